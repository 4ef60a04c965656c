// Poses that were stored in the document itself: put one back, rename, delete; new ones go to the library.

import { useState } from "preact/hooks";
import type { App } from "../../state/app";
import { IconButton, Section } from "../controls/controls";
import { useEvents } from "../controls/listening";
import { RenameField } from "../controls/renameField";

/** "Pose 3", the first of its kind that is not taken. */
export function freshName(taken: readonly string[]): string {
  for (let n = taken.length + 1; ; n++) {
    if (!taken.includes(`Pose ${n}`)) return `Pose ${n}`;
  }
}

export function PosesPanel({ app }: { app: App }) {
  useEvents(app, "state");
  const [renamed, setRenamed] = useState<{ id: number; name: string } | null>(null);
  const poses = app.state?.poses ?? [];
  const rename = (): void => {
    const before = poses.find((pose) => pose.id === renamed?.id);
    const next = renamed?.name.trim();
    if (renamed && next && next !== before?.name) void app.do("pose.rename", { pose: renamed.id, name: next });
    setRenamed(null);
  };
  if (poses.length === 0) return null;
  return (
    <Section id="poses" title="Poses of this document" summary={poses.length} open={false}>
      <ul class="poses" aria-label="Stored poses">
        {poses.map((pose) => (
          <li key={pose.id}>
            {renamed?.id === pose.id ? (
              <RenameField
                label={`New name of ${pose.name}`}
                name={renamed.name}
                onName={(name) => setRenamed({ id: pose.id, name })}
                onCommit={rename}
                onCancel={() => setRenamed(null)}
              />
            ) : (
              <button
                type="button"
                class="pose-name"
                aria-label={`Recall ${pose.name}`}
                title="Put the figure into this pose"
                onClick={() => void app.do("pose.recall", { pose: pose.id })}
              >
                {pose.name}
              </button>
            )}
            <IconButton icon="pencil" class="quiet" label={`Rename ${pose.name}`} onClick={() => setRenamed(pose)} />
            <IconButton
              icon="trash"
              class="quiet"
              label={`Delete ${pose.name}`}
              onClick={() => void app.do("pose.delete", { pose: pose.id })}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}
