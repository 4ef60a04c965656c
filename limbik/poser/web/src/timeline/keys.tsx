// What can be done to keys: the one to come, those that are selected, and those that were copied.

import type { App } from "../state/app";
import type { Key } from "../net/messages";
import { insertKey } from "./timelineActions";
import { SymbolButton } from "./symbols";

/** The keys that are selected, and what can be done to all of them. */
export interface Selection {
  keys: Key[];
  remove: () => void;
  copy: () => void;
  /** Copied keys that are still there; pasting brings them to the frame in view. */
  copied: Key[];
  paste: () => void;
  /** Pasting with left and right exchanged; at their own frame the keys themselves are flipped. */
  pasteFlipped: () => void;
}

/** Frames by which copied keys move so that the first of them comes to a frame. */
export function pasteBy(copied: Key[], frame: number): number {
  return Math.round(frame) - Math.min(...copied.map((key) => key.frame));
}

const some = (keys: Key[], one: string): string => (keys.length > 1 ? `${keys.length} keys` : one);

export function Keys({ app, selection, fewer }: { app: App; selection: Selection; fewer: boolean }) {
  const { keys, copied } = selection;
  return (
    <>
      <SymbolButton symbol="key" label="Insert a key at this frame" keys="K" onClick={() => void insertKey(app)} />
      {(!fewer || keys.length > 0) && (
        <SymbolButton
          symbol="copy"
          label={`Copy ${some(keys, "the selected key")}`}
          keys="Ctrl+C"
          disabled={keys.length === 0}
          onClick={selection.copy}
        />
      )}
      {copied.length > 0 && (
        <SymbolButton
          symbol="paste"
          label={`Paste ${some(copied, "the copied key")} at this frame`}
          keys="Ctrl+V"
          disabled={pasteBy(copied, app.frame) === 0}
          onClick={selection.paste}
        />
      )}
      {copied.length > 0 && app.figure?.mirrors && (
        <SymbolButton
          symbol="flip"
          label={`Paste ${some(copied, "the copied key")} flipped, left and right exchanged`}
          keys="Ctrl+Shift+V"
          onClick={selection.pasteFlipped}
        />
      )}
      {(!fewer || keys.length > 0) && (
        <SymbolButton
          symbol="trash"
          label={`Delete ${some(keys, "the selected key")}`}
          keys="Delete"
          disabled={keys.length === 0}
          onClick={selection.remove}
        />
      )}
    </>
  );
}

const HELD = [
  { part: "pose", name: "Pose", title: "The key holds all joints" },
  { part: "goals", name: "Goals", title: "The key holds the targets of the effectors" },
] as const;

/** What the one selected key holds. */
export function Holds({ app, selected }: { app: App; selected: Key[] }) {
  const one = selected.length === 1 ? selected[0] : undefined;
  if (!one) return null;
  const set = (change: Partial<Key>) => void app.do("key.set", { key: one.id, ...change });
  return (
    <span class="time-holds" role="group" aria-label={`The key at frame ${one.frame} holds`}>
      {HELD.map(({ part, name, title }) => (
        <label key={part} title={title}>
          <input
            type="checkbox"
            checked={one[part]}
            disabled={one[part] && !(one.pose && one.goals)}
            onChange={(event) => set({ [part]: event.currentTarget.checked })}
          />
          {name}
        </label>
      ))}
    </span>
  );
}
