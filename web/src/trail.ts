// Breadcrumbs from the address.

export interface Crumb {
  text: string;
  href: string;
}

const NAMES: Record<string, string> = {
  clusters: "Clusters",
  create: "Create cluster",
  capacity: "Capacity",
  operations: "Operations",
  health: "Health",
};

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The crumbs of an address; parts that are names of things stand for themselves. */
export function trail(pathname: string): Crumb[] {
  const parts = pathname.split("/").filter(Boolean);
  return parts.map((part, index) => {
    const isDecision = parts[0] === "clusters" && index === 2 && part === "capacity";
    const isThing = index === 1 && part !== "create";
    const text = isDecision ? "Decide capacity" : isThing ? decoded(part) : (NAMES[part] ?? decoded(part));
    return { text, href: `/${parts.slice(0, index + 1).join("/")}` };
  });
}
