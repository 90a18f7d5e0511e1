// Said above a list of which some records cannot be read: they are there, though the list cannot show them.
import Alert from "@cloudscape-design/components/alert";
import { count } from "./words";

export function Unreadable({ records }: { records: readonly string[] | undefined }) {
  if (!records?.length) return null;
  return (
    <Alert type="warning" header={`${count(records.length, "record")} cannot be shown`}>
      <ul>
        {records.map((record) => (
          <li key={record}>{record}</li>
        ))}
      </ul>
      What a newer release wrote is read by that release; a damaged record is told in the log of the control plane.
    </Alert>
  );
}
