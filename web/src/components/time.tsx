// Times as people read them: UTC, with how long ago or how long from now.
import { useSyncExternalStore } from "react";

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

// One clock for all times on the page, however many there are; it stands still while nobody reads it.
const EVERY_MS = 10_000;
const readers = new Set<() => void>();
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function onTick(reader: () => void): () => void {
  readers.add(reader);
  timer ??= setInterval(() => {
    ticks += 1;
    readers.forEach((told) => told());
  }, EVERY_MS);
  return () => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Draws anew with every tick of the clock; answers the time of drawing. */
function useNow(): number {
  useSyncExternalStore(onTick, () => ticks);
  return Date.now();
}

interface Props {
  at: string | undefined;
  /** `both`: date and distance; `short`: the distance, with the date as tooltip; `clock`: the other way around. */
  form?: "both" | "short" | "clock";
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", timeStyle: "medium" });

const clock = (time: string): string => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${CLOCK.format(date)} UTC`;
};

/** A time. Its distance is not announced as it grows. */
export function Time({ at, form = "both" }: Props) {
  const now = useNow();
  if (!at) return <>–</>;
  const both = `${utc(at)} (${relative(at, now)})`;
  const text = { both, short: relative(at, now), clock: clock(at) }[form];
  return (
    <time dateTime={at} title={form === "clock" ? both : utc(at)}>
      {text}
    </time>
  );
}
