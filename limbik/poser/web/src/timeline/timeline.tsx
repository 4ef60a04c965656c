// The timeline at the bottom of the page.

import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../state/app";
import { focusOf, isChord, mayTake } from "../keyboard";
import { useEvents, usePose } from "../panels/controls/listening";
import { pasteBy, type Selection } from "./keys";
import { ContactTools } from "./contacts/contacts";
import { chosen, Strip } from "./strip";
import { Transport } from "./playing/transport";

/** Ctrl+C and Ctrl+V for keys, where no text is selected that somebody means instead. */
function useClipboard(selection: Selection): void {
  const latest = useRef(selection);
  latest.current = selection;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { keys, copied, copy, paste, pasteFlipped } = latest.current;
      if (event.defaultPrevented || !mayTake(event, focusOf(event.target))) return;
      if (isChord(event, "Ctrl+C") && keys.length > 0 && !getSelection()?.toString()) copy();
      else if (isChord(event, "Ctrl+V") && copied.length > 0) paste();
      else if (isChord(event, "Ctrl+Shift+V") && copied.length > 0) pasteFlipped();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

export function Timeline({ app }: { app: App }) {
  useEvents(app, "state", "ui", "link", "task");
  usePose(app, 100);
  const [selected, select] = useState<Set<number>>(new Set());
  const [clipboard, setClipboard] = useState<ReadonlySet<number>>(new Set());
  const timeline = app.state?.timeline;
  const all = timeline?.keys ?? [];
  const keys = chosen(all, selected);
  const copied = chosen(all, clipboard);
  const selection: Selection = {
    keys,
    copied,
    remove: () => {
      if (keys.length > 0) void app.do("key.delete", { keys: keys.map((key) => key.id) });
      select(new Set());
    },
    copy: () => {
      setClipboard(new Set(keys.map((key) => key.id)));
      app.note(`${keys.length > 1 ? `${keys.length} keys are` : "The key is"} copied. Go to a frame and paste with Ctrl+V, flipped with Ctrl+Shift+V.`);
    },
    pasteFlipped: () => void app.do("key.flip", { keys: copied.map((key) => key.id), by: pasteBy(copied, app.frame) }),
    paste: () => {
      const by = pasteBy(copied, app.frame);
      if (by !== 0) void app.do("key.copy", { keys: copied.map((key) => key.id), by });
    },
  };
  useClipboard(selection);
  if (!timeline) return null;
  return (
    <div class="timeline">
      <Transport app={app} timeline={timeline} frame={app.frame} selection={selection} />
      {app.ui.contacts && !app.replay && <ContactTools app={app} timeline={timeline} />}
      <Strip
        app={app}
        timeline={timeline}
        selected={new Set(keys.map((key) => key.id))}
        select={select}
        remove={selection.remove}
      />
    </div>
  );
}
