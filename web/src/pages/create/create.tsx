// The create wizard. The step is in the address, so that back and forward walk through it; the draft outlives a reload.
import Button from "@cloudscape-design/components/button";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Wizard from "@cloudscape-design/components/wizard";
import { useEffect, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useAsking } from "../../api/intention";
import { fieldErrors } from "../../api/problem";
import { routes } from "../../api/resources";
import type { OperationAccepted } from "../../api/schema";
import { focusField } from "../../components/field";
import { useNotices } from "../../components/notices";
import { usePlan } from "../../components/plan/use-plan";
import { usePageTitle } from "../../page-title";
import { BasicsStep } from "./basics-step";
import { CapacityStep } from "./capacity-step";
import { check, type Draft, emptyDraft, type Step, STEPS, stepOf, toRequest } from "./draft";
import { NetworkStep } from "./network-step";
import { PlanStep } from "./plan-step";
import { StorageStep } from "./storage-step";

const TITLES: Record<Step, string> = {
  basics: "Name and place",
  network: "Network",
  capacity: "Capacity",
  storage: "Storage",
  plan: "Plan and create",
};

const KEPT = "hyperpod-instantstart.draft";

function keptDraft(): Draft {
  try {
    const kept = JSON.parse(window.sessionStorage.getItem(KEPT) ?? "null") as Draft | null;
    return { ...emptyDraft(), ...kept };
  } catch {
    return emptyDraft();
  }
}

function useDraft() {
  const [draft, setDraft] = useState<Draft>(keptDraft);
  useEffect(() => window.sessionStorage.setItem(KEPT, JSON.stringify(draft)), [draft]);
  return { draft, change: (part: Partial<Draft>) => setDraft((held) => ({ ...held, ...part })) };
}

/** The first step whose page has something wrong, before `until`. */
const firstWrong = (draft: Draft, until: number): Step | undefined =>
  STEPS.slice(0, until).find((step) => Object.keys(check(draft, step)).length > 0);

function useStep(draft: Draft) {
  const [search, setSearch] = useSearchParams();
  const asked = Math.max(0, STEPS.indexOf((search.get("step") ?? "basics") as Step));
  // An address that leads past something unfinished leads there instead.
  const wrong = firstWrong(draft, asked);
  const index = wrong ? STEPS.indexOf(wrong) : asked;
  return { index, go: (step: Step) => setSearch({ step }) };
}

export default function Create() {
  const { draft, change } = useDraft();
  const { index, go } = useStep(draft);
  const [tried, setTried] = useState<readonly Step[]>([]);
  const navigate = useNavigate();
  const { follow } = useNotices();
  const step = STEPS[index] ?? "basics";
  usePageTitle(`Create cluster: ${TITLES[step]}`);
  const planned = usePlan(routes.create, step === "plan" ? toRequest(draft) : undefined);
  const creating = useAsking<OperationAccepted>();
  const fromApi = creating.error ?? planned.error;
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});

  // What the API found wrong stays at its fields while they are mended.
  useEffect(() => {
    if (fromApi) setRefused(fieldErrors(fromApi.problem));
  }, [fromApi]);

  const errors = { ...refused, ...(tried.includes(step) ? check(draft, step) : {}) };
  const edit = (part: Partial<Draft>) => {
    setRefused({});
    creating.clear();
    change(part);
  };
  const move = (target: number) => {
    const wrong = firstWrong(draft, target);
    if (target > index && wrong) {
      setTried([...tried, wrong]);
      if (wrong !== step) go(wrong);
      focusField(Object.keys(check(draft, wrong)));
      return;
    }
    go(STEPS[target] ?? "basics");
  };
  const submit = async () => {
    const accepted = await creating.ask(routes.create, toRequest(draft));
    if (!accepted) return;
    window.sessionStorage.removeItem(KEPT);
    follow(accepted);
    void navigate(`/clusters/${draft.tag}`);
  };
  const goTo = (pointer: string) => () => {
    setTried([...STEPS]);
    go(stepOf(pointer));
    focusField([pointer]);
  };
  const planActions = (
    <SpaceBetween direction="horizontal" size="xs">
      <Button variant="link" onClick={() => void navigate("/clusters")}>
        Cancel
      </Button>
      <Button onClick={() => go("storage")}>Previous</Button>
      <Button
        variant="primary"
        loading={creating.busy}
        disabled={!planned.plan?.ready}
        disabledReason={
          planned.plan ? "A finding blocks it. Change the choice that it names." : "The plan is not there yet."
        }
        onClick={() => void submit()}
      >
        Create cluster
      </Button>
    </SpaceBetween>
  );
  const page = { draft, errors, change: edit };

  return (
    <Wizard
      activeStepIndex={index}
      onNavigate={({ detail }) => move(detail.requestedStepIndex)}
      onCancel={() => void navigate("/clusters")}
      customPrimaryActions={step === "plan" ? planActions : undefined}
      i18nStrings={{
        stepNumberLabel: (number) => `Step ${number}`,
        collapsedStepsLabel: (number, all) => `Step ${number} of ${all}`,
        skipToButtonLabel: (target) => `Skip to ${target.title}`,
        navigationAriaLabel: "Steps",
      }}
      steps={[
        { title: TITLES.basics, content: <BasicsStep {...page} /> },
        {
          title: TITLES.network,
          description:
            "Subnets, routes, NAT, security groups and the S3 endpoint are made in the right order and zones.",
          content: <NetworkStep {...page} />,
        },
        {
          title: TITLES.capacity,
          description: "Where accelerators come from, how many, and where they stand.",
          content: <CapacityStep {...page} />,
        },
        {
          title: TITLES.storage,
          description: "Pods mount the project bucket through the claim s3-claim, with a role for this bucket alone.",
          content: <StorageStep {...page} />,
        },
        {
          title: TITLES.plan,
          description: "What would be made, what it costs and what was found. Nothing has been changed yet.",
          content: <PlanStep planned={planned} creatingError={creating.error} goTo={goTo} />,
        },
      ]}
    />
  );
}
