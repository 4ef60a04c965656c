// The help sheet: what mouse and fingers do, and every shortcut of the keyboard.

import { useEffect, useRef } from "preact/hooks";
import type { App } from "../../state/app";
import { ARROWS, SHORTCUTS } from "../../shortcuts";
import { IconButton } from "../controls/controls";
import { useEvents } from "../controls/listening";

const GROUPS = ["Effectors", "Pose", "Time", "View", "File"] as const;

const BY_HAND: [how: string, what: string][] = [
  ["Drag an effector", "the figure follows; Shift moves it away or towards you, Alt finely, Esc takes the drag back"],
  ["Double-click a joint", "makes it an effector; an effector is pinned, or freed"],
  ["Click a joint", "selects it: its coordinates and limits are in the panel"],
  ["Drag a knob of a limit", "in the Limits tool (J): changes that limit; with Alt, both sides of a cone; Esc takes it back"],
  ["Drag the background", "looks around, with the middle button also over the figure; with Shift, the right button, or two fingers, it pans"],
  ["Wheel, or pinch", "comes nearer, or goes away"],
  ["Drop a file", "opens it"],
];

function Keys({ keys }: { keys: string[] }) {
  return (
    <span class="chords">
      {keys.map((chord, at) => (
        <>
          {at > 0 && <span class="or"> or </span>}
          {chord.split(/(?<=.)\+(?=.)/).map((key) => <kbd key={key}>{key}</kbd>)}
        </>
      ))}
    </span>
  );
}

export function Help({ app }: { app: App }) {
  useEvents(app, "ui", "hello");
  const sheet = useRef<HTMLDialogElement>(null);
  const { help } = app.ui;
  useEffect(() => {
    const dialog = sheet.current;
    // A modal dialog keeps the focus inside and gives it back afterwards.
    if (help && !dialog?.open) dialog?.showModal();
    else if (!help && dialog?.open) dialog.close();
  }, [help]);
  const shown = [...SHORTCUTS, ...ARROWS].filter((shortcut) => shortcut.replay || !app.replay);
  return (
    <dialog
      ref={sheet}
      class="help-sheet"
      aria-labelledby="help-title"
      onClose={() => app.set({ help: false })}
      onClick={(event) => {
        if (event.target === event.currentTarget) app.set({ help: false }); // beside the sheet
      }}
    >
      {help && (
        <div class="help-body">
          <div class="help-head">
            <h2 id="help-title">Help</h2>
            <IconButton icon="close" label="Close the help" keys="Esc" onClick={() => app.set({ help: false })} />
          </div>
          <div class="help-columns">
            {!app.replay && (
              <section aria-labelledby="help-hand">
                <h3 id="help-hand">By hand</h3>
                <dl class="by-hand">
                  {BY_HAND.map(([how, what]) => (
                    <div key={how}>
                      <dt>{how}</dt>
                      <dd>{what}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            )}
            {GROUPS.map((group) => {
              const rows = shown.filter((shortcut) => shortcut.group === group);
              return rows.length === 0 ? null : (
                <section key={group} aria-labelledby={`help-${group}`}>
                  <h3 id={`help-${group}`}>{group}</h3>
                  <dl>
                    {rows.map(({ keys, what }) => (
                      <div key={what}>
                        <dt><Keys keys={keys} /></dt>
                        <dd>{what}</dd>
                      </div>
                    ))}
                  </dl>
                </section>
              );
            })}
          </div>
          <p class="help-foot">limbik {app.hello.version}</p>
        </div>
      )}
    </dialog>
  );
}
