// What a stage or operation waits for: why, since when, until when at the most, and when it is looked at next.
import Box from "@cloudscape-design/components/box";
import type { Waiting } from "../api/schema";
import { Time } from "./time";
import { count, WAITS } from "./words";

export function WaitingDetails({ waiting }: { waiting: Waiting }) {
  return (
    <div>
      <div>
        <strong>{WAITS[waiting.on]}:</strong> {waiting.reason}
      </div>
      <Box variant="small">
        Since <Time at={waiting.since} /> · becomes a failure at <Time at={waiting.deadline} /> · next look{" "}
        <Time at={waiting.nextLookAt} form="short" />
        {/\busually\b/.test(waiting.reason) && " · usual times are AWS's own pace"}
        {waiting.looks > 0 && ` · looked ${count(waiting.looks, "time")} without change`}
      </Box>
    </div>
  );
}
