// Name, Region, Kubernetes version, administrators.
import AttributeEditor from "@cloudscape-design/components/attribute-editor";
import Container from "@cloudscape-design/components/container";
import Input from "@cloudscape-design/components/input";
import Select from "@cloudscape-design/components/select";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { Field } from "../../components/field";
import { RegionChoice } from "../../components/region-choice";
import { newGroup } from "../../components/capacity/group-draft";
import type { StepProps } from "./step-props";

// What HyperPod takes; whether EKS still offers it is for the plan to find.
const VERSIONS = [
  { value: "", label: "Recommended", description: "One that HyperPod and every add-on take" },
  ...["1.35", "1.34", "1.33", "1.32", "1.31", "1.30"].map((value) => ({ value, label: value })),
];

const ADMINISTRATORS_AT_MOST = 50;

function Administrators({ draft, errors, change }: StepProps) {
  const items = draft.administrators.map((arn) => ({ arn }));
  const set = (administrators: readonly string[]) => change({ administrators });
  return (
    <Field
      pointer="/administrators"
      label="Administrators"
      description="IAM roles and users that administer Kubernetes. Their access is proven when the cluster is there."
      errorText={errors["/administrators"]}
    >
      <AttributeEditor
        items={items}
        addButtonText="Add an administrator"
        removeButtonText="Remove"
        removeButtonAriaLabel={(item) => `Remove ${item.arn || "the empty administrator"}`}
        disableAddButton={items.length >= ADMINISTRATORS_AT_MOST}
        empty="Only this control plane administers it."
        definition={[
          {
            label: "ARN",
            errorText: (_item, index) => errors[`/administrators/${index}`],
            control: ({ arn }, index) => (
              <Input
                value={arn}
                ariaLabel={`ARN of administrator ${index + 1}`}
                placeholder="arn:aws:iam::111122223333:role/platform-admins"
                onChange={({ detail }) =>
                  set(draft.administrators.map((held, at) => (at === index ? detail.value.trim() : held)))
                }
              />
            ),
          },
        ]}
        onAddButtonClick={() => set([...draft.administrators, ""])}
        onRemoveButtonClick={({ detail }) => set(draft.administrators.filter((_arn, at) => at !== detail.itemIndex))}
      />
    </Field>
  );
}

export function BasicsStep({ draft, errors, change }: StepProps) {
  // Zones, types, plans and subnets are those of a Region: another Region is another choice of all of them.
  const chooseRegion = (region: string) =>
    region !== draft.region &&
    change({ region, groups: [newGroup("workers")], subnetIds: [], system: { ...draft.system, zoneId: "" } });
  return (
    <Container>
      <SpaceBetween size="l">
        <Field
          pointer="/tag"
          label="Cluster tag"
          description="The cluster's name here and in EKS. It cannot be changed later."
          constraintText="1 to 100 letters, digits, hyphens and underscores."
          errorText={errors["/tag"]}
        >
          <Input value={draft.tag} onChange={({ detail }) => change({ tag: detail.value })} />
        </Field>
        <Field pointer="/region" label="Region" description="It cannot be changed later." errorText={errors["/region"]}>
          <RegionChoice region={draft.region} choose={chooseRegion} />
        </Field>
        <Field
          pointer="/kubernetesVersion"
          label="Kubernetes version"
          description="The plan shows until when AWS supports it."
          errorText={errors["/kubernetesVersion"]}
        >
          <Select
            options={VERSIONS}
            selectedOption={VERSIONS.find(({ value }) => value === draft.kubernetesVersion) ?? null}
            onChange={({ detail }) => change({ kubernetesVersion: detail.selectedOption.value ?? "" })}
          />
        </Field>
        <Administrators draft={draft} errors={errors} change={change} />
      </SpaceBetween>
    </Container>
  );
}
