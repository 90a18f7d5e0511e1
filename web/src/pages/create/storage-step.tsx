// Which part of the project bucket the cluster mounts.
import Container from "@cloudscape-design/components/container";
import Input from "@cloudscape-design/components/input";
import { Field } from "../../components/field";
import type { StepProps } from "./step-props";

export function StorageStep({ draft, errors, change }: StepProps) {
  return (
    <Container>
      <Field
        pointer="/storage"
        label={
          <>
            Prefix <i>- optional</i>
          </>
        }
        description="The part of the project bucket that pods see. Left out, it is the cluster's own."
        constraintText="Letters, digits, - _ . = and / between names."
        errorText={errors["/storage/prefix"] ?? errors["/storage"]}
      >
        <Input
          value={draft.prefix}
          placeholder="teams/vision"
          onChange={({ detail }) => change({ prefix: detail.value.trim() })}
        />
      </Field>
    </Container>
  );
}
