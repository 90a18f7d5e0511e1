// The plan page: everything to be known before anything starts. The same for a new cluster and for later requests.
import Alert from "@cloudscape-design/components/alert";
import ColumnLayout from "@cloudscape-design/components/column-layout";
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import KeyValuePairs from "@cloudscape-design/components/key-value-pairs";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { Finding, PlanView } from "../../api/schema";
import { Findings } from "../findings";
import { State } from "../state";
import { count } from "../words";
import { Cost } from "./cost";
import { GroupsTable } from "./groups-table";
import { StagesTable } from "./stages-table";

interface Props {
  plan: PlanView;
  goTo?: (pointer: string) => (() => void) | undefined;
}

const isBlocking = ({ severity }: Finding) => severity === "blocking";

/** Whether it can start, and right there whatever stands against it. */
function Verdict({ plan, goTo }: Props) {
  const blocking = plan.findings.filter(isBlocking);
  if (!plan.ready) {
    return (
      <Alert type="error" header="This cannot start yet">
        <SpaceBetween size="s">
          <div>
            {blocking.length > 0
              ? `${count(blocking.length, "finding blocks", "findings block")} it.`
              : "It is blocked."}
          </div>
          <Findings findings={blocking} goTo={goTo} />
        </SpaceBetween>
      </Alert>
    );
  }
  const open = plan.findings.length;
  return (
    <Alert type={open > 0 ? "warning" : "success"} header="Nothing blocks">
      {open > 0
        ? `${count(open, "finding")} to know before it starts, below the cost.`
        : "Every check passed. Nothing has been changed yet."}
    </Alert>
  );
}

function Remarks({ plan, goTo }: Props) {
  const remarks = plan.findings.filter((finding) => !isBlocking(finding));
  if (remarks.length === 0) return null;
  return (
    <Container
      header={
        <Header variant="h2" counter={`(${remarks.length})`}>
          Findings
        </Header>
      }
    >
      <Findings findings={remarks} goTo={goTo} />
    </Container>
  );
}

function Lines({ lines, none }: { lines: readonly string[]; none: string }) {
  if (lines.length === 0) return <>{none}</>;
  return (
    <ul className="plain-list">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** A support end that has passed is said as such. */
function EndOfSupport({ date }: { date: string | undefined }) {
  if (!date) return <State text="End of support unknown" tone="info" />;
  const over = new Date(date).getTime() < Date.now();
  return over ? <State text={`Standard support ended ${date}`} tone="warning" /> : <>Standard support until {date}</>;
}

function Particulars({ plan }: { plan: PlanView }) {
  return (
    <Container header={<Header variant="h2">What is used and what is fixed</Header>}>
      <SpaceBetween size="l">
        <KeyValuePairs
          columns={3}
          items={[
            { label: "Kubernetes version", value: plan.kubernetesVersion },
            { label: "End of support", value: <EndOfSupport date={plan.endOfSupport} /> },
            { label: "Node image", value: plan.image },
            { label: "Lifecycle scripts", value: <span className="mono">{plan.lifecycleScripts}</span> },
            { label: "Plan digest", value: <span className="mono">{plan.hash}</span> },
            { label: "Roles", value: <Lines lines={plan.roles} none="None" /> },
          ]}
        />
        <ColumnLayout columns={3} variant="text-grid">
          <div>
            <Header variant="h3">Cannot be changed later</Header>
            <Lines lines={plan.unchangeable} none="Nothing" />
          </div>
          <div>
            <Header variant="h3">There already and used</Header>
            <Lines lines={plan.reused} none="Nothing: everything is made" />
          </div>
          <div>
            <Header variant="h3">There and in the way</Header>
            <Lines lines={plan.foreign} none="Nothing" />
          </div>
        </ColumnLayout>
      </SpaceBetween>
    </Container>
  );
}

/** In the order in which a person decides: can it start, what does it cost, what is it, what is there afterwards. */
export function Plan({ plan, goTo }: Props) {
  return (
    <SpaceBetween size="l">
      <Verdict plan={plan} goTo={goTo} />
      <Cost plan={plan} />
      <Remarks plan={plan} goTo={goTo} />
      {plan.groups.length > 0 && <GroupsTable groups={plan.groups} />}
      <StagesTable plan={plan} />
      <Particulars plan={plan} />
    </SpaceBetween>
  );
}
