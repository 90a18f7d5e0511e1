// A value whose form depends on what it is about, as a tree that opens level by level.
import Box from "@cloudscape-design/components/box";
import TreeView from "@cloudscape-design/components/tree-view";
import { useState } from "react";
import { type Branch, tree } from "./value-tree";

function Line({ name, text }: Branch) {
  return (
    <span className="wrap">
      <strong>{name}</strong>
      {text && `: ${text}`}
    </span>
  );
}

export function Values({ title, value }: { title: string; value: unknown }) {
  const [open, setOpen] = useState<readonly string[]>([]);
  const branches = tree(value);
  if (branches.length === 0) return null;
  return (
    <div>
      <Box variant="awsui-key-label">{title}</Box>
      <TreeView
        ariaLabel={title}
        items={branches}
        getItemId={({ id }) => id}
        getItemChildren={(branch) => branch.branches}
        renderItem={(branch) => ({ content: <Line {...branch} />, announcementLabel: branch.name })}
        expandedItems={open}
        onItemToggle={({ detail }) =>
          setOpen((held) => (detail.expanded ? [...held, detail.id] : held.filter((id) => id !== detail.id)))
        }
      />
    </div>
  );
}
