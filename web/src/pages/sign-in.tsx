// Where one lands without a token, and after a 401 with the reason.
import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import FormField from "@cloudscape-design/components/form-field";
import Header from "@cloudscape-design/components/header";
import Input from "@cloudscape-design/components/input";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { type FormEvent, useState } from "react";
import { usePageTitle } from "../page-title";
import { signedOutReason, signIn } from "../session";

export function SignIn() {
  const [given, setGiven] = useState("");
  const [error, setError] = useState("");
  const reason = signedOutReason();
  usePageTitle("Sign in");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (given.trim()) signIn(given);
    else setError("Paste the access token.");
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <Container
          header={
            <Header variant="h1" description="Open the console link that was printed at the start, or paste its token.">
              Sign in
            </Header>
          }
        >
          <SpaceBetween size="l">
            {reason && (
              <Alert type="warning" header="You were signed out">
                {reason}
              </Alert>
            )}
            <FormField
              label="Access token"
              description="It is kept for this browser tab alone and forgotten when the tab closes."
              errorText={error}
            >
              <Input
                type="password"
                autoComplete={false}
                name="token"
                value={given}
                onChange={({ detail }) => {
                  setGiven(detail.value);
                  setError("");
                }}
              />
            </FormField>
            <Button variant="primary" formAction="submit">
              Sign in
            </Button>
          </SpaceBetween>
        </Container>
      </form>
    </main>
  );
}
