// The banner while the control plane does not answer: since when, what that means for the page, and its end.
import Button from "@cloudscape-design/components/button";
import type { FlashbarProps } from "@cloudscape-design/components/flashbar";
import { useSyncExternalStore } from "react";
import { get } from "../api/client";
import { onConnection, silence } from "../api/connection";
import { Announce } from "./announce";
import { Time } from "./time";

export const useSilence = (): string | undefined => useSyncExternalStore(onConnection, silence);

// Any read tells whether something answers; its own result is not wanted.
const tryNow = () => void get("/v1/health").catch(() => {});

/** The banner as an item for the stack of messages; nothing while the control plane answers. */
export function silenceItem(since: string | undefined): FlashbarProps.MessageDefinition[] {
  if (since === undefined) return [];
  return [
    {
      id: "silence",
      type: "warning",
      header: "The control plane does not answer",
      content: (
        <>
          No answer since <Time at={since} form="clock" />. What is shown was read before and may have changed; what was
          asked for goes on without this page. It is asked again every few seconds.
        </>
      ),
      action: <Button onClick={tryNow}>Try now</Button>,
      dismissible: false,
      ariaRole: "status",
    },
  ];
}

export function AnnounceSilence({ since }: { since: string | undefined }) {
  return <Announce text={since === undefined ? "The control plane answers again" : ""} />;
}
