// The title of the page that is open: in the browser's tab, and told to those who hear the page.
import { useEffect } from "react";

const PRODUCT = "HyperPod InstantStart";
let current = "";
const listeners = new Set<() => void>();

/** The title of the page that is open. */
export const pageTitle = (): string => current;

export function onPageTitle(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Names the page that is open. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} | ${PRODUCT}` : PRODUCT;
    current = title;
    listeners.forEach((listener) => listener());
  }, [title]);
}
