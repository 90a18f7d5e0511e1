// The instance groups of a form.
import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { type FieldErrors, freeName, type GroupDraft, newGroup } from "./group-draft";
import { GroupEditor } from "./group-editor";

interface Props {
  region: string;
  groups: readonly GroupDraft[];
  /** Pointer to the map of groups in the request. */
  at: string;
  errors: FieldErrors;
  set: (groups: GroupDraft[]) => void;
}

export function GroupsEditor({ region, groups, at, errors, set }: Props) {
  const change = (id: string, part: Partial<GroupDraft>) =>
    set(groups.map((group) => (group.id === id ? { ...group, ...part } : group)));
  return (
    <div data-pointer={at}>
      <SpaceBetween size="l">
        {errors[at] && <Alert type="error">{errors[at]}</Alert>}
        {groups.map((group) => (
          <GroupEditor
            key={group.id}
            region={region}
            group={group}
            at={`${at}/${group.name}`}
            errors={errors}
            change={(part) => change(group.id, part)}
            remove={() => set(groups.filter(({ id }) => id !== group.id))}
          />
        ))}
        <Button iconName="add-plus" onClick={() => set([...groups, newGroup(freeName(groups))])}>
          Add an instance group
        </Button>
      </SpaceBetween>
    </div>
  );
}
