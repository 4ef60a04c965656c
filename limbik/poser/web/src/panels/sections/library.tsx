// The pose library on disk: poses of all figures with their pictures, kept whatever figure is open.

import { useEffect, useState } from "preact/hooks";
import type { App } from "../../state/app";
import type { LibraryPose } from "../../net/messages";
import { IconButton, Section } from "../controls/controls";
import { Icon } from "../controls/icons";
import { useEvents } from "../controls/listening";
import { RenameField } from "../controls/renameField";
import { address } from "../files/opening";
import type { StageView } from "../files/saving";
import { freshName } from "./poses";
import { thumbnail } from "./thumbnail";

/** What a press on a pose does, in words. */
export function fitWords({ fit, figure }: LibraryPose): string {
  const more = "; with Shift flipped, with Alt only the selected joint and what hangs on it";
  if (fit === "exact") return `Put the figure into this pose${more}`;
  if (fit === "roles") return `Put the figure into this pose of ${figure || "another body"}, bone by bone${more}`;
  return `A pose of ${figure || "another figure"}, whose joints this figure does not have`;
}

function Tile({ app, pose, rename }: { app: App; pose: LibraryPose; rename: () => void }) {
  const off = pose.fit === "none";
  const take = (flipped: boolean, part: boolean): void => {
    if (off) return;
    const joint = part ? (app.ui.joint ?? -1) : -1;
    if (part && joint < 0) app.note("Select a joint first: it and what hangs on it take the pose.");
    else void app.do("library.take", { pose: pose.id, flipped, joint });
  };
  return (
    <li class={`library-pose ${off ? "off" : ""}`}>
      <button
        type="button"
        class="library-take"
        aria-label={`Take ${pose.name}`}
        aria-disabled={off || undefined}
        title={fitWords(pose)}
        onClick={(event) => take(event.shiftKey, event.altKey)}
      >
        {pose.picture ? (
          <img src={address(app, "library", pose.id)} alt="" loading="lazy" width={72} height={72} />
        ) : (
          <Icon name="figure" size={32} />
        )}
        <span class="library-name">{pose.name}</span>
        <span class="library-from">{pose.figure}</span>
      </button>
      <span class="library-buttons">
        {!off && app.figure?.mirrors && (
          <IconButton
            icon="mirror"
            class="quiet"
            label={`${pose.name}, flipped`}
            title="Put the figure into this pose with left and right exchanged"
            onClick={() => take(true, false)}
          />
        )}
        <IconButton icon="pencil" class="quiet" label={`Rename ${pose.name}`} onClick={rename} />
        <IconButton
          icon="trash"
          class="quiet"
          label={`Delete ${pose.name}`}
          title="Take it out of the library; its file is kept for a while in the folder “deleted”"
          onClick={() => void app.do("library.delete", { pose: pose.id })}
        />
      </span>
    </li>
  );
}

export function LibraryPanel({ app, stage }: { app: App; stage: StageView }) {
  useEvents(app, "library", "figure", "link");
  const [name, setName] = useState("");
  const [renamed, setRenamed] = useState<{ id: string; name: string } | null>(null);
  const [busy, setBusy] = useState(false);
  // Whether a pose fits depends on the figure.
  useEffect(() => {
    if (app.link === "open" && app.figure) void app.do("library.list").catch(() => undefined);
  }, [app, app.link, app.figure?.id]);
  const poses = app.library;
  const fresh = freshName(poses.map((pose) => pose.name));
  const store = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    let picture: string[] = [];
    try {
      picture = await thumbnail(stage.pictures.png({ transparent: true, ratio: 1 }));
    } catch (error) {
      app.note(`The pose is stored without a picture: ${error instanceof Error ? error.message : String(error)}`);
    }
    await app.do("library.store", { name: name.trim() || fresh, picture }).catch(() => undefined);
    setName("");
    setBusy(false);
  };
  const rename = (): void => {
    const before = poses.find((pose) => pose.id === renamed?.id);
    const next = renamed?.name.trim();
    if (renamed && next && next !== before?.name) void app.do("library.rename", { pose: renamed.id, name: next });
    setRenamed(null);
  };
  return (
    <Section id="library" title="Poses" summary={poses.length || ""} open={false}>
      <form
        class="store"
        onSubmit={(event) => {
          event.preventDefault();
          void store();
        }}
      >
        <input
          type="text"
          aria-label="Name of the pose in the library"
          placeholder={fresh}
          maxLength={80}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="button plain" title="Keep the pose at hand on disk, for this figure and for others">
          Keep
        </button>
      </form>
      {poses.length === 0 && <p class="empty">Nothing kept yet. Poses stay here whatever figure you open.</p>}
      {renamed && (
        <RenameField
          class="library-rename"
          label="New name of the pose"
          name={renamed.name}
          onName={(name) => setRenamed({ ...renamed, name })}
          onCommit={rename}
          onCancel={() => setRenamed(null)}
        />
      )}
      <ul class="library" aria-label="Poses in the library">
        {poses.map((pose) => (
          <Tile key={pose.id} app={app} pose={pose} rename={() => setRenamed(pose)} />
        ))}
      </ul>
    </Section>
  );
}
