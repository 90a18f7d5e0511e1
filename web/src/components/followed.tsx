// Notices of operations that were asked for: they say how the operation stands until it has ended, and then what came of
// it. Asked about here and nowhere else, so that a notice follows its operation whatever page is open.
import Button from "@cloudscape-design/components/button";
import type { FlashbarProps } from "@cloudscape-design/components/flashbar";
import { useEffect } from "react";
import { useOperation } from "../api/resources";
import type { OperationView } from "../api/schema";
import { capitalised } from "./advice";
import { useFollow } from "./app-link";
import { kind, OPERATION_STATES, STAGE_TITLES } from "./words";

/** How an operation stands, as a notice; it changes only with the state, so that it is spoken once for each. */
export interface Standing {
  type: FlashbarProps.Type;
  header: string;
  content: string;
}

const awaited = ({ outcome }: OperationView): boolean =>
  typeof outcome?.awaitingDecision === "string" && outcome.awaitingDecision !== "";

/** What a notice says of an operation. */
export function standing(operation: OperationView): Standing {
  const what = `${kind(operation.kind)}: ${operation.clusterTag}`;
  const header = `${what}: ${OPERATION_STATES[operation.state].text.toLowerCase()}`;
  switch (operation.state) {
    case "succeeded":
      return awaited(operation)
        ? { type: "info", header: `${what}: awaiting your decision`, content: "Done as far as it was decided." }
        : { type: "success", header, content: "" };
    case "failed": {
      const where = operation.stage ? `Stage ${STAGE_TITLES[operation.stage]}: ` : "";
      return { type: "error", header, content: where + capitalised(operation.failure?.message ?? operation.summary) };
    }
    case "cancelled":
      return { type: "warning", header, content: "What was made is there and may be billed." };
    case "awaiting_approval":
      return { type: "info", header, content: "A person with the scope approve decides. It holds nothing up." };
    default:
      return {
        type: "in-progress",
        header: `${what}: running`,
        content: "It goes on whether this page is open or not.",
      };
  }
}

/** Draws nothing: tells how the operation stands whenever that changes. */
export function Follower({ id, tell }: { id: string; tell: (standing: Standing) => void }) {
  const { data } = useOperation(id);
  const told = data && standing(data);
  const { type, header, content } = told ?? {};
  useEffect(() => {
    if (type && header !== undefined && content !== undefined) tell({ type, header, content });
  }, [type, header, content, tell]);
  return null;
}

export function ShowOperation({ id }: { id: string }) {
  const follow = useFollow();
  return (
    <Button href={`/operations/${id}`} onFollow={follow as never}>
      Show the operation
    </Button>
  );
}
