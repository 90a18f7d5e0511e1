// A value whose form depends on what it is about: names and values a line each, nested ones indented.
import Box from "@cloudscape-design/components/box";

function words(name: string): string {
  const spaced = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll("_", " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <>unknown</>;
  if (typeof value === "boolean") return <>{value ? "yes" : "no"}</>;
  if (typeof value !== "object") return <span className="wrap">{String(value)}</span>;
  if (Array.isArray(value)) {
    if (value.length === 0) return <>none</>;
    return (
      <ul className="plain-list">
        {value.map((item, index) => (
          <li key={index}>
            <Value value={item} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <dl className="values">
      {Object.entries(value).map(([name, held]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>
            <Value value={held} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Values({ title, value }: { title: string; value: unknown }) {
  if (isEmpty(value)) return null;
  return (
    <div>
      <Box variant="awsui-key-label">{title}</Box>
      <Value value={value} />
    </div>
  );
}
