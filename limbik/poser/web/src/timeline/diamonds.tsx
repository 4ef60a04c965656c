// The keys on the timeline: selected by a click, moved and copied by a drag, or by the keyboard.

import { useRef, useState } from "preact/hooks";
import type { App } from "../state/app";
import type { Key } from "../net/messages";
import { useEscape } from "./escape";
import { goTo, togglePlaying } from "./timelineActions";
import { clampShift, type Ruler } from "./ruler";

const SLOP = 3; // pixels that a click may slip before it is a drag

interface Drag {
  key: Key;
  pointer: number;
  from: number;
  by: number;
  moved: boolean;
  copy: boolean;
}

function holds({ pose, goals }: Key): string {
  return pose && goals ? "pose and goals" : pose ? "pose" : "goals";
}

/** The selection after a click on a key: the key alone, or with Shift one more or one less. */
export function clicked(selected: ReadonlySet<number>, id: number, more: boolean): Set<number> {
  if (!more) return selected.has(id) ? new Set(selected) : new Set([id]);
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return next;
}

function copies(event: { ctrlKey: boolean; altKey: boolean; metaKey: boolean }): boolean {
  return event.ctrlKey || event.altKey || event.metaKey;
}

export function Diamonds(props: {
  app: App;
  keys: Key[];
  ruler: Ruler;
  selected: ReadonlySet<number>;
  select: (ids: Set<number>) => void;
  remove: () => void;
}) {
  const { app, keys, ruler, selected, select } = props;
  const [drag, setDrag] = useState<Drag | null>(null);
  const row = useRef<HTMLDivElement>(null);
  const editable = !app.replay;
  const frames = (ids: ReadonlySet<number>) => keys.filter((key) => ids.has(key.id)).map((key) => key.frame);

  const shift = (ids: ReadonlySet<number>, by: number, copy: boolean): void => {
    const inside = clampShift(frames(ids), by, ruler.frames);
    if (inside !== 0) void app.do(copy ? "key.copy" : "key.move", { keys: [...ids], by: inside });
  };

  const press = (event: PointerEvent, key: Key): void => {
    if (event.button !== 0) return;
    event.stopPropagation();
    const target = event.currentTarget as HTMLElement;
    target.focus();
    if (!editable) {
      goTo(app, key.frame);
      return;
    }
    target.setPointerCapture(event.pointerId);
    const ids = clicked(selected, key.id, event.shiftKey);
    select(ids);
    setDrag({ key, pointer: event.pointerId, from: event.clientX, by: 0, moved: false, copy: copies(event) });
  };

  const move = (event: PointerEvent): void => {
    if (!drag || drag.pointer !== event.pointerId) return;
    const pixels = event.clientX - drag.from;
    const moved = drag.moved || Math.abs(pixels) > SLOP;
    const by = moved ? clampShift(frames(selected), Math.round(pixels / ruler.scale), ruler.frames) : 0;
    setDrag({ ...drag, by, moved, copy: copies(event) });
  };

  const release = (event: PointerEvent): void => {
    if (!drag || drag.pointer !== event.pointerId) return;
    setDrag(null);
    if (drag.moved) shift(selected, drag.by, copies(event));
    else if (!event.shiftKey) {
      select(new Set([drag.key.id]));
      goTo(app, drag.key.frame);
    }
  };

  // A drag that the browser ends, or Esc, leaves the keys where they were.
  useEscape(drag !== null, () => setDrag(null));

  const type = (event: KeyboardEvent, key: Key): void => {
    const side = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (side !== 0 && editable && copies(event)) {
      const ids = clicked(selected, key.id, false);
      select(ids);
      shift(ids, side * (event.shiftKey ? 10 : 1), event.ctrlKey || event.metaKey);
    } else if (side !== 0) {
      const next = keys[keys.indexOf(key) + side];
      if (next) row.current?.querySelector<HTMLElement>(`[data-key="${next.id}"]`)?.focus();
    } else if (event.key === " ") togglePlaying(app);
    else if (event.key === "Enter") {
      if (editable) select(clicked(selected, key.id, event.shiftKey));
      if (!event.shiftKey) goTo(app, key.frame);
    } else if ((event.key === "Delete" || event.key === "Backspace") && editable) {
      if (selected.has(key.id)) props.remove();
      else void app.do("key.delete", { keys: [key.id] });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const { from, across } = ruler.view;
  const inView = keys.filter((key) => key.frame >= from - 0.1 * across && key.frame <= from + 1.1 * across);
  return (
    <div class="diamonds" role="group" aria-label="Keys" ref={row}>
      {inView.map((key) => {
        const chosen = selected.has(key.id);
        const by = drag && chosen && !drag.copy ? drag.by : 0;
        return (
          <button
            key={key.id}
            type="button"
            class={`diamond ${key.pose ? "" : "goals-only"} ${key.goals ? "" : "pose-only"}`}
            data-key={key.id}
            style={{ left: `${ruler.x(key.frame + by)}px` }}
            aria-label={`Key at frame ${key.frame}, ${holds(key)}`}
            aria-pressed={chosen}
            title={`Frame ${key.frame}: ${holds(key)}. Drag moves, Ctrl+drag copies, Delete deletes.`}
            onPointerDown={(event) => press(event, key)}
            onPointerMove={move}
            onPointerUp={release}
            onPointerCancel={() => setDrag(null)}
            onDblClick={(event) => event.stopPropagation()}
            onKeyDown={(event) => type(event, key)}
          />
        );
      })}
      {drag?.copy && drag.by !== 0 && frames(selected).map((frame) => (
        <span key={frame} class="diamond copy" style={{ left: `${ruler.x(frame + drag.by)}px` }} aria-hidden="true" />
      ))}
    </div>
  );
}
