// Deciding the capacity of a cluster that waits for it: groups, then the plan on the same page, then the start.
import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import ContentLayout from "@cloudscape-design/components/content-layout";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { useAsking } from "../api/intention";
import { fieldErrors } from "../api/problem";
import { routes, useCluster } from "../api/resources";
import type { ClusterView, CreateHyperPod, OperationAccepted } from "../api/schema";
import { advice } from "../components/advice";
import { checkCapacity, type GroupDraft, newGroup, newSystem, toCapacity } from "../components/capacity/group-draft";
import { GroupsEditor } from "../components/capacity/groups-editor";
import { SystemGroup } from "../components/capacity/system-group";
import { useNotices } from "../components/notices";
import { focusField } from "../components/field";
import { PlannedView } from "../components/plan/planned";
import { usePlan } from "../components/plan/use-plan";
import { ProblemAlert } from "../components/problem-alert";
import { Resource } from "../components/resource";
import { usePageTitle } from "../page-title";

const GROUPS_AT = "/instanceGroups";
const SYSTEM_AT = "/systemGroup";

const canDecide = (cluster: ClusterView) =>
  cluster.stages.some(({ stage, state }) => stage === "hyperpod" && state === "awaiting_decision");

function DecideForm({ cluster }: { cluster: ClusterView }) {
  const [groups, setGroups] = useState<GroupDraft[]>([newGroup("workers")]);
  const [system, setSystem] = useState(newSystem);
  const [tried, setTried] = useState(false);
  const [reviewed, setReviewed] = useState<CreateHyperPod>();
  const navigate = useNavigate();
  const { follow } = useNotices();
  const deciding = useAsking<OperationAccepted>();
  const planned = usePlan(routes.hyperpod(cluster.tag), reviewed);
  const refused = deciding.error ?? planned.error;
  const wrong = checkCapacity(groups, system, "");
  const errors = { ...(refused ? fieldErrors(refused.problem) : {}), ...(tried ? wrong : {}) };

  // A change of the form makes the plan that was shown another one's.
  const edit = (change: () => void) => {
    setReviewed(undefined);
    deciding.clear();
    change();
  };
  const review = () => {
    setTried(true);
    if (Object.keys(wrong).length > 0) {
      focusField(Object.keys(wrong));
      return;
    }
    setReviewed(toCapacity(groups, system));
  };
  const start = async () => {
    const accepted = await deciding.ask(routes.hyperpod(cluster.tag), reviewed);
    if (!accepted) return;
    follow(accepted);
    void navigate(`/clusters/${cluster.tag}`);
  };
  return (
    <SpaceBetween size="l">
      <GroupsEditor
        region={cluster.region}
        groups={groups}
        at={GROUPS_AT}
        errors={errors}
        set={(changed) => edit(() => setGroups(changed))}
      />
      <SystemGroup
        region={cluster.region}
        system={system}
        groups={groups}
        at={SYSTEM_AT}
        errors={errors}
        set={(changed) => edit(() => setSystem(changed))}
      />
      {deciding.error && <ProblemAlert error={deciding.error} />}
      {reviewed && <PlannedView planned={planned} goTo={(pointer) => () => focusField([pointer])} />}
      <SpaceBetween direction="horizontal" size="xs">
        <Button variant="link" onClick={() => void navigate(`/clusters/${cluster.tag}`)}>
          Cancel
        </Button>
        <Button variant={planned.plan ? "normal" : "primary"} loading={planned.loading} onClick={review}>
          Review the plan
        </Button>
        <Button
          variant={planned.plan ? "primary" : "normal"}
          disabled={!planned.plan?.ready}
          disabledReason={planned.plan ? "A finding blocks it." : "Review the plan first."}
          loading={deciding.busy}
          onClick={() => void start()}
        >
          Create capacity
        </Button>
      </SpaceBetween>
    </SpaceBetween>
  );
}

export default function Decide() {
  const { tag = "" } = useParams();
  usePageTitle(`Decide the capacity of ${tag}`);
  const live = useCluster(tag);
  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          description="Instance groups of the HyperPod cluster. Zone, instance type and capacity type of a group cannot be changed later."
        >
          Decide the capacity of {tag}
        </Header>
      }
    >
      <Resource live={live} what="the cluster">
        {(cluster) =>
          canDecide(cluster) ? (
            <DecideForm cluster={cluster} />
          ) : (
            <Alert header="No decision is awaited">
              {advice(cluster.next) ||
                "The capacity of this cluster was decided, or its earlier stages are not done yet."}
            </Alert>
          )
        }
      </Resource>
    </ContentLayout>
  );
}
