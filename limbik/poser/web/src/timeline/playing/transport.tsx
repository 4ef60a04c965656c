// The timeline's row of buttons and numbers: playing, keys, the clip, and settings that fold away
// where there is no room for them.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../../state/app";
import type { Timeline } from "../../net/messages";
import { AutoKey } from "../autokey";
import { KeyEaseField } from "../curves/ease";
import { FrameField, Loop, Playing } from "./playing";
import { Holds, Keys, type Selection } from "../keys";
import { ClipName, NAMES_CLIP, Settings } from "../settings";
import { SymbolButton } from "../symbols";
import { toggleTrail } from "../trailActions";
import { useWidth } from "../width";

/** Pixels of the row below which settings fold away, what is drawn too, and all that can. */
const FOLDS = {
  fine: { some: 940, drawn: 840, all: 700 },
  coarse: { some: 1180, drawn: 1020, all: 840 },
};

/** Pixels that keys take in the row where they are selected, and where they are copied. */
const KEYS = { selected: 200, copied: 70 };

function Onion({ app }: { app: App }) {
  return (
    <SymbolButton
      symbol="onion"
      label="Onion skins"
      keys="O"
      pressed={app.ui.onion}
      onClick={() => app.set({ onion: !app.ui.onion })}
    />
  );
}

function Contacts({ app }: { app: App }) {
  return (
    <SymbolButton
      symbol="contacts"
      label="Contacts"
      pressed={app.ui.contacts}
      onClick={() => app.set({ contacts: !app.ui.contacts })}
    />
  );
}

function Curves({ app }: { app: App }) {
  return (
    <SymbolButton
      symbol="curves"
      label="Curves of the selected joint"
      keys="C"
      pressed={app.ui.curves}
      onClick={() => app.set({ curves: !app.ui.curves })}
    />
  );
}

function Trail({ app }: { app: App }) {
  const { joint, trails } = app.ui;
  return (
    <SymbolButton
      symbol="trail"
      label="Motion trail of the selected joint"
      keys="W"
      pressed={joint === null ? trails.length > 0 : trails.includes(joint)}
      onClick={() => toggleTrail(app)}
    />
  );
}

/** A button that the row has no room for, with its name beside it. */
function Folded({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="time-field">
      <span aria-hidden="true">{name}</span>
      {children}
    </div>
  );
}

export function Transport(props: { app: App; timeline: Timeline; frame: number; selection: Selection }) {
  const { app, timeline, frame, selection } = props;
  const { element, width } = useWidth();
  const [open, setOpen] = useState(false);
  const sheet = useRef<HTMLDivElement>(null);
  const folds = matchMedia("(pointer: coarse)").matches ? FOLDS.coarse : FOLDS.fine;
  // Keys that are selected or copied bring buttons and fields of their own.
  const more = (selection.keys.length > 0 ? KEYS.selected : 0) + (selection.copied.length > 0 ? KEYS.copied : 0);
  const some = width < folds.some + more;
  const drawn = width < folds.drawn;
  const all = width < folds.all;

  // Esc and a press elsewhere close the sheet; Esc gives the focus back to the button.
  useEffect(() => {
    if (!open) return;
    const button = () => element.current?.querySelector<HTMLElement>("[aria-controls=time-more]");
    const outside = (event: PointerEvent): void => {
      const target = event.target as Node;
      if (!sheet.current?.contains(target) && !button()?.contains(target)) setOpen(false);
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault(); // it meant the sheet, not the selection
      if (sheet.current?.contains(document.activeElement)) button()?.focus();
      setOpen(false);
    };
    addEventListener("pointerdown", outside);
    document.addEventListener("keydown", escape, { capture: true });
    return () => {
      removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", escape, { capture: true });
    };
  }, [open]);
  useEffect(() => {
    if (!some) setOpen(false);
  }, [some]);

  return (
    <>
      <div class={`transport ${all ? "small" : ""}`} ref={element}>
        <div class="time-group" role="group" aria-label="Playing">
          <Playing app={app} timeline={timeline} />
          {!all && <Loop app={app} timeline={timeline} />}
          {!all && <FrameField app={app} timeline={timeline} frame={frame} />}
        </div>
        {!app.replay && (
          <div class="time-group" role="group" aria-label="Keys">
            <AutoKey app={app} timeline={timeline} />
            <Keys app={app} selection={selection} fewer={all} />
            {!some && <Holds app={app} selected={selection.keys} />}
          </div>
        )}
        {width < NAMES_CLIP ? <span class="clip-name" /> : <ClipName app={app} timeline={timeline} />}
        <div class="time-group end" role="group" aria-label="Timeline settings">
          {!some && <Settings app={app} timeline={timeline} selected={selection.keys} />}
          {some && !all && !app.replay && <KeyEaseField app={app} selected={selection.keys} />}
          {!drawn && !app.replay && <Contacts app={app} />}
          {!drawn && !app.replay && <Curves app={app} />}
          {!drawn && !app.replay && <Trail app={app} />}
          <Onion app={app} />
          {some && (
            <SymbolButton
              symbol="more"
              label="More of the timeline"
              opens={{ id: "time-more", open }}
              onClick={() => setOpen(!open)}
            />
          )}
        </div>
      </div>
      {open && some && (
        <div class="time-more" id="time-more" ref={sheet} role="group" aria-label="More of the timeline">
          {all && <FrameField app={app} timeline={timeline} frame={frame} />}
          {all && (
            <Folded name="Loop">
              <Loop app={app} timeline={timeline} />
            </Folded>
          )}
          {drawn && !app.replay && (
            <>
              <Folded name="Contacts">
                <Contacts app={app} />
              </Folded>
              <Folded name="Curves">
                <Curves app={app} />
              </Folded>
              <Folded name="Trail">
                <Trail app={app} />
              </Folded>
            </>
          )}
          <Settings app={app} timeline={timeline} selected={selection.keys} />
          {!app.replay && <Holds app={app} selected={selection.keys} />}
          {!app.replay && timeline.clip !== null && (
            <button type="button" class="time-link" onClick={() => void app.do("clip.remove")}>
              Remove clip
            </button>
          )}
        </div>
      )}
    </>
  );
}
