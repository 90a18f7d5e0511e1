// Importing one EKS cluster: under which tag, what may be mended, whether access may be granted.
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Checkbox from "@cloudscape-design/components/checkbox";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import Input from "@cloudscape-design/components/input";
import Modal from "@cloudscape-design/components/modal";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useEffect, useState } from "react";
import { Field, focusField } from "./field";
import { useAsking } from "../api/intention";
import { fieldErrors } from "../api/problem";
import { routes } from "../api/resources";
import type { Fix, ImportableCluster, ImportCluster, OperationAccepted } from "../api/schema";
import { Findings } from "./findings";
import { useNotices } from "./notices";
import { PlannedView } from "./plan/planned";
import { usePlan } from "./plan/use-plan";
import { ProblemAlert } from "./problem-alert";
import { FIXES } from "./words";

interface Props {
  cluster: ImportableCluster;
  region: string;
  close: () => void;
  imported: (operationId: string) => void;
}

const ALL_FIXES = Object.keys(FIXES) as Fix[];

export function ImportDialog({ cluster, region, close, imported }: Props) {
  const [tag, setTag] = useState(cluster.eksClusterName);
  const [fixes, setFixes] = useState<readonly Fix[]>([]);
  const [grantAccess, setGrantAccess] = useState(true);
  const { follow } = useNotices();
  const { ask, busy, error } = useAsking<OperationAccepted>();
  const content: ImportCluster = { eksClusterName: cluster.eksClusterName, region, tag, fixes, grantAccess };
  const [reviewed, setReviewed] = useState<string>();
  // A plan is shown for the choices that it was made for, and for no others.
  const planned = usePlan(routes.import, reviewed === JSON.stringify(content) ? content : undefined);
  const refused = error ?? planned.error;
  const errors = refused ? fieldErrors(refused.problem) : {};

  // What was refused is at its field; the focus goes there.
  useEffect(() => {
    if (refused) focusField(Object.keys(fieldErrors(refused.problem)));
  }, [refused]);

  const submit = async () => {
    const accepted = await ask(routes.import, content);
    if (!accepted) return;
    follow(accepted);
    imported(accepted.operationId);
  };
  const turn = (fix: Fix, on: boolean) => setFixes(ALL_FIXES.filter((one) => (one === fix ? on : fixes.includes(one))));

  return (
    <Modal
      visible
      size="large"
      header={`Import ${cluster.eksClusterName}`}
      onDismiss={close}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={close}>
              Cancel
            </Button>
            <Button loading={planned.loading} onClick={() => setReviewed(JSON.stringify(content))}>
              Review the plan
            </Button>
            <Button variant="primary" loading={busy} onClick={() => void submit()}>
              Import
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="l">
        {error && <ProblemAlert error={error} />}
        <Field
          pointer="/tag"
          label="Cluster tag"
          description="The name under which it is managed here. It cannot be changed later."
          errorText={errors["/tag"]}
        >
          <Input value={tag} onChange={({ detail }) => setTag(detail.value)} />
        </Field>
        <Field
          pointer="/fixes"
          label="What may be mended"
          description="Nothing is changed in what the cluster has already, but for what you choose here."
          errorText={errors["/fixes"]}
        >
          <SpaceBetween size="xs">
            {ALL_FIXES.map((fix) => (
              <Checkbox
                key={fix}
                checked={fixes.includes(fix)}
                description={FIXES[fix].about}
                onChange={({ detail }) => turn(fix, detail.checked)}
              >
                {FIXES[fix].text}
              </Checkbox>
            ))}
          </SpaceBetween>
        </Field>
        <Checkbox
          checked={grantAccess}
          description="An access entry for this control plane. Without access to its Kubernetes API it cannot be managed."
          onChange={({ detail }) => setGrantAccess(detail.checked)}
        >
          Grant this control plane access to Kubernetes
        </Checkbox>
        {reviewed !== undefined && <PlannedView planned={planned} />}
        {cluster.findings.length > 0 && (
          <ExpandableSection defaultExpanded={!planned.plan} headerText={`What was found (${cluster.findings.length})`}>
            <Findings findings={cluster.findings} />
          </ExpandableSection>
        )}
      </SpaceBetween>
    </Modal>
  );
}
