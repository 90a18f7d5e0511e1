// Tells those who hear the page what changed on it: only changes, never the first sight.
import LiveRegion from "@cloudscape-design/components/live-region";
import { useEffect, useRef, useState } from "react";

export function Announce({ text }: { text: string }) {
  const before = useRef(text);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (before.current === text) return;
    before.current = text;
    setSaid(text);
  }, [text]);
  return (
    <LiveRegion hidden assertive={false}>
      {said}
    </LiveRegion>
  );
}
