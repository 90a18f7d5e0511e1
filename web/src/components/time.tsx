// Times as people read them: UTC, with how long ago or how long from now.
import { useEffect, useState } from "react";

const FORMAT = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  day: "2-digit",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** `30 Nov 2026, 21:14:03 UTC`; the text as given if it is no time. */
export function utc(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${FORMAT.format(date)} UTC`;
}

/** `45 s`, `12 min`, `3 h 20 min`, `2 d 4 h`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
}

/** `12 min ago` or `in 12 min`. */
export function relative(time: string, now: number): string {
  const distance = new Date(time).getTime() - now;
  return distance > 0 ? `in ${span(distance)}` : `${span(-distance)} ago`;
}

function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

interface Props {
  at: string | undefined;
  /** `both`: date and distance; `short`: the distance, with the date as tooltip. */
  form?: "both" | "short";
}

/** A time. Its distance is not announced as it grows. */
export function Time({ at, form = "both" }: Props) {
  const now = useNow(10_000);
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={utc(at)}>
      {form === "both" ? `${utc(at)} (${relative(at, now)})` : relative(at, now)}
    </time>
  );
}
