// The network: ours by default; a block or subnets for those who must give them.
import AttributeEditor from "@cloudscape-design/components/attribute-editor";
import Container from "@cloudscape-design/components/container";
import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Tiles from "@cloudscape-design/components/tiles";
import { Field } from "../../components/field";
import type { Draft } from "./draft";
import type { StepProps } from "./step-props";

const KINDS = [
  {
    value: "automatic",
    label: "Automatic",
    description: "A new VPC whose block overlaps no other VPC of the Region. Recommended.",
  },
  { value: "cidr", label: "A block that I give", description: "A new VPC with this IPv4 block." },
  { value: "subnets", label: "Subnets that exist", description: "EKS goes into subnets of a VPC that exists." },
];

const SUBNETS_AT_MOST = 16;

function Subnets({ draft, errors, change }: StepProps) {
  const set = (subnetIds: readonly string[]) => change({ subnetIds });
  return (
    <Field
      pointer="/network"
      label="Subnets"
      description="Two or more of one VPC, in two or more zones that EKS accepts. They are used and never changed."
      errorText={errors["/network/subnetIds"] ?? errors["/network"]}
    >
      <AttributeEditor
        items={draft.subnetIds.map((id) => ({ id }))}
        addButtonText="Add a subnet"
        removeButtonText="Remove"
        removeButtonAriaLabel={(item) => `Remove ${item.id || "the empty subnet"}`}
        disableAddButton={draft.subnetIds.length >= SUBNETS_AT_MOST}
        empty="No subnets yet."
        definition={[
          {
            label: "Subnet id",
            errorText: (_item, index) => errors[`/network/subnetIds/${index}`],
            control: ({ id }, index) => (
              <Input
                value={id}
                ariaLabel={`Subnet ${index + 1}`}
                placeholder="subnet-0123456789abcdef0"
                onChange={({ detail }) =>
                  set(draft.subnetIds.map((held, at) => (at === index ? detail.value.trim() : held)))
                }
              />
            ),
          },
        ]}
        onAddButtonClick={() => set([...draft.subnetIds, ""])}
        onRemoveButtonClick={({ detail }) => set(draft.subnetIds.filter((_id, at) => at !== detail.itemIndex))}
      />
    </Field>
  );
}

export function NetworkStep(props: StepProps) {
  const { draft, errors, change } = props;
  return (
    <Container>
      <SpaceBetween size="l">
        <FormField label="VPC" description="It cannot be changed later.">
          <Tiles
            ariaLabel="VPC"
            value={draft.network}
            items={KINDS}
            onChange={({ detail }) => change({ network: detail.value as Draft["network"] })}
          />
        </FormField>
        {draft.network === "cidr" && (
          <Field
            pointer="/vpcCidr"
            label="IPv4 block"
            constraintText="/16 to /24 within 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10."
            errorText={errors["/vpcCidr"]}
          >
            <Input
              value={draft.vpcCidr}
              placeholder="10.40.0.0/16"
              onChange={({ detail }) => change({ vpcCidr: detail.value.trim() })}
            />
          </Field>
        )}
        {draft.network === "subnets" && <Subnets {...props} />}
      </SpaceBetween>
    </Container>
  );
}
