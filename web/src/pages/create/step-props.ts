// What every step's page of the wizard is given.
import type { FieldErrors } from "../../components/capacity/group-draft";
import type { Draft } from "./draft";

export interface StepProps {
  draft: Draft;
  errors: FieldErrors;
  change: (part: Partial<Draft>) => void;
}
