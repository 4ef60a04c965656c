// Contacts on the timeline: bars whose ends are dragged, a lane for each joint.

import { useState } from "preact/hooks";
import type { App } from "../../state/app";
import type { Contact, Timeline } from "../../net/messages";
import { draggedSpan, lanesOf, newSpan, spokenSpan, type Grip, type Lane, type Span } from "./lanes";
import { useEscape } from "../escape";
import type { Ruler } from "../ruler";
import { goTo } from "../timelineActions";

const SLOP = 3; // pixels that a click may slip before it is a drag
const EDGE = 7; // pixels at either end of a bar that are its handle

interface Drag {
  contact: Contact;
  lane: Lane;
  grip: Grip;
  pointer: number;
  from: number;
  moved: boolean;
  span: Span;
}

function gripAt(event: PointerEvent): Grip {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const edge = Math.min(EDGE, box.width / 3);
  if (event.clientX < box.left + edge) return "start";
  return event.clientX > box.right - edge ? "end" : "whole";
}

export function ContactLanes({ app, timeline, ruler }: { app: App; timeline: Timeline; ruler: Ruler }) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const lanes = lanesOf(timeline.contacts, app.figure?.joints ?? []);
  const chosen = app.ui.contact;

  const press = (event: PointerEvent, contact: Contact, lane: Lane): void => {
    if (event.button !== 0) return;
    event.stopPropagation();
    const target = event.currentTarget as HTMLElement;
    target.focus();
    app.set({ contact: contact.id });
    if (app.replay) return;
    target.setPointerCapture(event.pointerId);
    const { start, end } = contact;
    const grip = gripAt(event);
    setDrag({ contact, lane, grip, pointer: event.pointerId, from: event.clientX, moved: false, span: { start, end } });
  };
  const move = (event: PointerEvent): void => {
    if (!drag || drag.pointer !== event.pointerId) return;
    const pixels = event.clientX - drag.from;
    const moved = drag.moved || Math.abs(pixels) > SLOP;
    const others = drag.lane.contacts.filter((other) => other.id !== drag.contact.id);
    const by = moved ? pixels / ruler.scale : 0;
    setDrag({ ...drag, moved, span: draggedSpan(drag.contact, others, drag.grip, by, ruler.frames) });
  };
  const release = (event: PointerEvent): void => {
    if (!drag || drag.pointer !== event.pointerId) return;
    setDrag(null);
    const { contact, span, moved } = drag;
    if (moved && (span.start !== contact.start || span.end !== contact.end)) {
      void app.do("contact.set", { contact: contact.id, ...span });
    } else if (!moved && drag.grip !== "whole") goTo(app, drag.grip === "start" ? span.start : span.end - 1);
  };
  // Esc leaves the contact where it was.
  useEscape(drag !== null, () => setDrag(null));

  const type = (event: KeyboardEvent, contact: Contact, lane: Lane): void => {
    const side = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (app.replay) return;
    if (event.key === "Delete" || event.key === "Backspace") {
      void app.do("contact.delete", { contacts: [contact.id] });
    } else if (event.key === "Enter") {
      void app.do("contact.set", { contact: contact.id, held: !contact.held });
    } else if (side !== 0 && (event.altKey || event.shiftKey)) {
      // Alt moves the contact, Shift its end, both its start.
      const grip: Grip = event.altKey && event.shiftKey ? "start" : event.altKey ? "whole" : "end";
      const others = lane.contacts.filter((other) => other.id !== contact.id);
      const span = draggedSpan(contact, others, grip, side, ruler.frames);
      if (span.start !== contact.start || span.end !== contact.end) void app.do("contact.set", { contact: contact.id, ...span });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const add = (event: MouseEvent, lane: Lane): void => {
    event.stopPropagation();
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const span = newSpan(lane.contacts, ruler.frame(event.clientX - box.left), timeline.fps / 2, timeline.frames);
    if (span && !app.replay) void app.do("contact.add", { joint: lane.joint, ...span });
  };

  return (
    <div class="lanes" role="group" aria-label="Contacts">
      {lanes.map((lane) => (
        <div
          key={lane.joint}
          class="lane"
          title={`${lane.label}: double click adds a contact`}
          onDblClick={(event) => add(event, lane)}
        >
          {lane.contacts.map((contact) => {
            const span = drag?.contact.id === contact.id ? drag.span : contact;
            const x = ruler.x(span.start - 0.5);
            const width = Math.max((span.end - span.start) * ruler.scale - 1, 4);
            if (x > ruler.width || x + width < 0) return null;
            return (
              <button
                key={contact.id}
                type="button"
                class={`contact ${contact.held ? "held" : ""}`}
                data-contact={contact.id}
                style={{ left: `${x}px`, width: `${width}px` }}
                aria-label={`Contact of ${lane.label}, ${spokenSpan(contact)}${contact.held ? ", locked" : ""}`}
                aria-pressed={chosen === contact.id}
                title={
                  `${lane.label}: ${spokenSpan(span)}${contact.held ? ", locked" : ""}. Drag an end or the bar; ` +
                  "double click locks it, Delete deletes it."
                }
                onPointerDown={(event) => press(event, contact, lane)}
                onPointerMove={move}
                onPointerUp={release}
                onPointerCancel={() => setDrag(null)}
                onDblClick={(event) => {
                  event.stopPropagation();
                  if (!app.replay) void app.do("contact.set", { contact: contact.id, held: !contact.held });
                }}
                onKeyDown={(event) => type(event, contact, lane)}
              />
            );
          })}
          <span class="lane-label" aria-hidden="true">{lane.label}</span>
        </div>
      ))}
    </div>
  );
}

/** What can be done to contacts: a row above the strip of frames. */
export function ContactTools({ app, timeline }: { app: App; timeline: Timeline }) {
  const { contacts, clip, keys } = timeline;
  const chosen = contacts.find((contact) => contact.id === app.ui.contact);
  const busy = app.task !== null;
  const joint = app.ui.joint;
  const named = joint === null ? null : (app.figure?.joints[joint]?.name ?? null);
  const held = contacts.length > 0 && contacts.every((contact) => contact.held);
  const moves = clip !== null || keys.length > 0;
  const lockHere = (): void => {
    const own = contacts.filter((contact) => contact.joint === joint);
    const span = newSpan(own, app.frame, timeline.fps / 2, timeline.frames);
    if (joint === null) return;
    if (span) void app.do("contact.add", { joint, ...span, held: true });
    else app.note(`${named} has a contact at this frame; double click on its bar locks it.`);
  };
  const link = (label: string, title: string, off: boolean, onClick: () => void) => (
    <button type="button" class="time-link" title={title} aria-disabled={off || undefined} onClick={() => !off && onClick()}>
      {label}
    </button>
  );
  return (
    <div class="contact-tools" role="group" aria-label="Contacts of the timeline">
      <span class="what">Contacts</span>
      {link("Find", "Find where feet, toes and hands rest on the ground", !moves, () => void app.do("contacts.find"))}
      {link(
        named ? `Lock ${named} here` : "Lock a joint here",
        named ? `Hold ${named} in place from this frame on, for half a second` : "Select a joint first",
        named === null,
        lockHere,
      )}
      {link(
        held ? "Unlock all" : "Lock all",
        held ? "Let go of every contact" : "Hold every contact in its place while the timeline plays",
        contacts.length === 0,
        () => void app.do("contacts.hold", { on: !held }),
      )}
      {clip !== null && app.state?.origin == null &&
        link("Plant feet", "Work the contacts into the clip: no sliding", contacts.length === 0 || busy, () => void app.do("contacts.plant"))}
      {app.state?.origin != null &&
        link("Retarget again", "Put the source's motion on this figure once more, with these contacts", busy, () => void app.do("retarget.again"))}
      {chosen && (
        <span class="chosen">
          {laneName(app, chosen)} {spokenSpan(chosen)}
          <label>
            <input
              type="checkbox"
              checked={chosen.held}
              onChange={(event) => void app.do("contact.set", { contact: chosen.id, held: event.currentTarget.checked })}
            />
            Locked
          </label>
          {link("Delete", "Delete this contact", false, () => void app.do("contact.delete", { contacts: [chosen.id] }))}
        </span>
      )}
    </div>
  );
}

function laneName(app: App, contact: Contact): string {
  return app.figure?.joints[contact.joint]?.name ?? "";
}
