// A value whose form depends on what it is about, as lines of a tree.

export interface Branch {
  /** Its place, unique in the tree. */
  id: string;
  name: string;
  /** What stands beside the name; empty for one that only has branches. */
  text: string;
  branches: Branch[];
}

/** `s3Endpoint` and `route_table_ids` as words; names with dots, slashes or colons (tags, labels) stay as they are. */
export function words(name: string): string {
  if (/[.:/]/.test(name)) return name;
  const spaced = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll("_", " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

function scalar(value: unknown): string | undefined {
  if (value === null || value === undefined) return "unknown";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? undefined : String(value);
}

/** What names a thing in a list: its name or id, else its place. */
function titleOf(value: object, index: number): string {
  const named = value as Record<string, unknown>;
  const title = named.name ?? named.id;
  return typeof title === "string" && title ? title : `${index + 1}`;
}

function branch(id: string, name: string, value: unknown): Branch {
  const text = scalar(value);
  if (text !== undefined) return { id, name, text, branches: [] };
  if (!Array.isArray(value)) {
    const branches = tree(value, id);
    return { id, name, text: branches.length === 0 ? "none" : "", branches };
  }
  const scalars = value.map(scalar);
  if (scalars.every((item) => item !== undefined)) {
    return { id, name, text: scalars.join(", ") || "none", branches: [] };
  }
  const branches = value.map((item: unknown, index) =>
    branch(`${id}/${index}`, typeof item === "object" && item ? titleOf(item, index) : `${index + 1}`, item),
  );
  return { id, name, text: `${value.length}`, branches };
}

/** The branches of an object, in its order. */
export function tree(value: unknown, at = ""): Branch[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, held]) => branch(`${at}/${name}`, words(name), held));
}
