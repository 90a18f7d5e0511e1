// Dark mode and density: the one thing that the console keeps between sessions.
import { applyDensity, applyMode, Density, Mode } from "@cloudscape-design/global-styles";

export type Appearance = "system" | "light" | "dark";

export interface Preferences {
  appearance: Appearance;
  compact: boolean;
}

const KEY = "hyperpod-instantstart.preferences";
const DEFAULTS: Preferences = { appearance: "system", compact: false };

const isAppearance = (value: unknown): value is Appearance =>
  value === "system" || value === "light" || value === "dark";

/** What was kept; the defaults where nothing was, or where it does not read. */
export function readPreferences(): Preferences {
  try {
    const kept = JSON.parse(window.localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>;
    return {
      appearance: isAppearance(kept.appearance) ? kept.appearance : DEFAULTS.appearance,
      compact: kept.compact === true,
    };
  } catch {
    return DEFAULTS;
  }
}

/** Keeps them and shows them at once. */
export function keepPreferences(preferences: Preferences): void {
  try {
    window.localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Storage can be full or forbidden; the choice then holds for this page alone.
  }
  applyPreferences(preferences);
}

const systemIsDark = () => window.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false;

/** Shows them. */
export function applyPreferences({ appearance, compact }: Preferences): void {
  const dark = appearance === "dark" || (appearance === "system" && systemIsDark());
  applyMode(dark ? Mode.Dark : Mode.Light);
  applyDensity(compact ? Density.Compact : Density.Comfortable);
}

/** Follows the system's change between light and dark while that is the choice. */
export function followSystem(): void {
  window.matchMedia?.("(prefers-color-scheme: dark)").addEventListener("change", () => {
    applyPreferences(readPreferences());
  });
}
