// The strip of frames: its scale, the playhead that is a slider, and the keys under it.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { App } from "../state/app";
import type { Key, Timeline } from "../net/messages";
import { useEvents } from "../panels/controls/listening";
import { UnkeyedMarks } from "./autokey";
import { ContactLanes } from "./contacts/contacts";
import { CurveEditor } from "./curves/curveeditor";
import { Diamonds } from "./diamonds";
import { goTo, goToKey, insertKey, stepBy } from "./timelineActions";
import { ClipName, NAMES_CLIP } from "./settings";
import { Ruler, spoken, wholeView, type View } from "./ruler";
import { useWidth } from "./width";

function Scale({ ruler }: { ruler: Ruler }) {
  return (
    <svg class="scale" width="100%" height="22" aria-hidden="true">
      {ruler.ticks().map(({ frame, x, label }) => (
        <g key={frame}>
          <line x1={x} x2={x} y1={label === null ? 16 : 11} y2={22} />
          {label !== null && <text x={x} y={8.5}>{label}</text>}
        </g>
      ))}
    </svg>
  );
}

/** Drawn again with every pose, alone. */
function Playhead({ app, timeline, ruler }: { app: App; timeline: Timeline; ruler: Ruler }) {
  useEvents(app, "pose");
  const frame = app.frame;
  const type = (event: KeyboardEvent): void => {
    const size = event.shiftKey ? 10 : 1;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowDown") stepBy(app, -size);
    else if (event.key === "ArrowRight" || event.key === "ArrowUp") stepBy(app, size);
    else if (event.key === "Home") goTo(app, 0);
    else if (event.key === "End") goTo(app, timeline.frames - 1);
    else if (event.key === "PageUp") goToKey(app, -1);
    else if (event.key === "PageDown") goToKey(app, 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const x = ruler.x(frame);
  return (
    <div
      class="playhead"
      role="slider"
      tabIndex={0}
      aria-label="Playhead"
      aria-valuemin={0}
      aria-valuemax={timeline.frames - 1}
      aria-valuenow={Math.round(frame * 100) / 100}
      aria-valuetext={spoken(frame, timeline.frames, timeline.fps)}
      hidden={x < -1 || x > ruler.width + 1}
      style={{ transform: `translateX(${x}px)` }}
      onKeyDown={type}
    >
      <span class="handle">{Math.round(frame)}</span>
    </div>
  );
}

export function Strip(props: {
  app: App;
  timeline: Timeline;
  selected: ReadonlySet<number>;
  select: (ids: Set<number>) => void;
  remove: () => void;
}) {
  const { app, timeline } = props;
  const { element, width } = useWidth();
  const [zoomed, setZoomed] = useState<{ of: number; view: View } | null>(null);
  const scrubbing = useRef<number | null>(null);
  const view = zoomed?.of === timeline.frames ? zoomed.view : wholeView(timeline.frames);
  const ruler = new Ruler(timeline.frames, width, view);
  const x = (event: MouseEvent) => event.clientX - (element.current?.getBoundingClientRect().left ?? 0);

  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    element.current?.setPointerCapture(event.pointerId);
    element.current?.querySelector<HTMLElement>(".playhead")?.focus();
    event.preventDefault(); // the focus is where it belongs
    scrubbing.current = event.pointerId;
    if (!event.shiftKey) props.select(new Set());
    goTo(app, ruler.nearest(x(event)));
  };
  const move = (event: PointerEvent): void => {
    if (scrubbing.current === event.pointerId) goTo(app, ruler.nearest(x(event)));
  };
  const end = (event: PointerEvent): void => {
    if (scrubbing.current === event.pointerId) scrubbing.current = null;
  };
  const turn = (event: WheelEvent): void => {
    event.preventDefault();
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    const view = sideways
      ? ruler.panned(event.deltaX || event.deltaY)
      : ruler.zoomed(Math.exp(0.0015 * event.deltaY), x(event));
    setZoomed({ of: timeline.frames, view });
  };
  // The component's own onWheel would be passive, and the page would scroll or zoom as well.
  useLayoutEffect(() => {
    const box = element.current;
    box?.addEventListener("wheel", turn, { passive: false });
    return () => box?.removeEventListener("wheel", turn);
  });

  return (
    <>
    <div
      class={`strip ${app.ui.contacts ? "with-lanes" : ""}`}
      ref={element}
      title="Drag scrubs, double click inserts a key, the wheel zooms"
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDblClick={(event) => void insertKey(app, ruler.nearest(x(event)))}
    >
      <Scale ruler={ruler} />
      <Diamonds
        app={app}
        keys={timeline.keys}
        ruler={ruler}
        selected={props.selected}
        select={props.select}
        remove={props.remove}
      />
      <UnkeyedMarks frames={timeline.unkeyed} ruler={ruler} />
      {width < NAMES_CLIP && timeline.clip !== null && <ClipName app={app} timeline={timeline} short />}
      {app.ui.contacts && <ContactLanes app={app} timeline={timeline} ruler={ruler} />}
      <Playhead app={app} timeline={timeline} ruler={ruler} />
    </div>
    {app.ui.curves && !app.replay && <CurveEditor app={app} timeline={timeline} ruler={ruler} />}
    </>
  );
}

/** Keys that are selected and still there. */
export function chosen(keys: Key[], selected: ReadonlySet<number>): Key[] {
  return keys.filter((key) => selected.has(key.id));
}
