// The API's sentences are for programs and people alike; the console leaves out those that name a tool to call, since its
// buttons are that call.

const TOOL = /\b[a-z]+(?:_[a-z]+)+\b/;

/** The sentences of an advice that a person can follow here; empty if there is none. */
export function advice(text: string | undefined): string {
  const sentences = (text ?? "").split(/(?<=[.!?])\s+(?=[A-Z])/);
  return sentences.filter((sentence) => !TOOL.test(sentence)).join(" ");
}

// A word of its own: no id, and no service before the name of its call.
const WORD = /^[a-z][a-z'-]*(?=$|[\s,:;]|\.(?:\s|$))(?!\s[A-Z][a-z]+[A-Z])/;

/** A line that begins with a capital, unless it begins with a name that is written small. */
export const capitalised = (text: string): string =>
  WORD.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
