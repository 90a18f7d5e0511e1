// Which part of the project bucket the cluster mounts.
import Container from "@cloudscape-design/components/container";
import FormField from "@cloudscape-design/components/form-field";
import Header from "@cloudscape-design/components/header";
import Input from "@cloudscape-design/components/input";
import type { StepProps } from "./step-props";

export function StorageStep({ draft, errors, change }: StepProps) {
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="The project bucket is mounted in pods through the claim s3-claim, with a role for this bucket alone."
        >
          Storage
        </Header>
      }
    >
      <FormField
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
      </FormField>
    </Container>
  );
}
