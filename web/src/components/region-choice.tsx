// The choice of a Region: those of the account, the ones that are switched off shown as such.
import Select from "@cloudscape-design/components/select";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useRegions } from "../api/resources";
import { ProblemAlert } from "./problem-alert";

interface Props {
  region: string;
  choose: (region: string) => void;
  label?: string;
  disabled?: boolean;
}

const enabledFirst = (a: { enabled: boolean }, b: { enabled: boolean }) => Number(b.enabled) - Number(a.enabled);

export function RegionChoice({ region, choose, label, disabled }: Props) {
  const { data, error, loading, refresh } = useRegions();
  const options = [...(data?.items ?? [])].sort(enabledFirst).map((item) => ({
    value: item.region,
    label: item.region,
    disabled: !item.enabled,
    ...(item.enabled ? {} : { description: "Not switched on in this account" }),
  }));
  const select = (
    <Select
      ariaLabel={label}
      disabled={disabled}
      placeholder="Choose a Region"
      selectedOption={region ? { value: region, label: region } : null}
      options={options}
      filteringType={options.length > 8 ? "auto" : "none"}
      statusType={loading ? "loading" : error ? "error" : "finished"}
      loadingText="Loading Regions"
      errorText="The Regions could not be loaded."
      recoveryText="Try again"
      onLoadItems={() => error && refresh()}
      onChange={({ detail }) => choose(detail.selectedOption.value ?? "")}
    />
  );
  if (!error) return select;
  return (
    <SpaceBetween size="xs">
      {select}
      <ProblemAlert error={error} retry={refresh} />
    </SpaceBetween>
  );
}
