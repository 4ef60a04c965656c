// The curve editor: coordinates of the selected joint over time, with keys and handles to drag.

import { coordinateLabel } from "../../edit/coordinateNames";
import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../../state/app";
import type { Key, Timeline } from "../../net/messages";
import { draggedHandles, handlePoints, isFlat, joinedAbove, scaleOf, ticks, valueAt, yOf } from "./curves";
import { useEscape } from "../escape";
import { clampShift, type Ruler } from "../ruler";
import { Asking, sampled, version } from "../playing/sampling";
import { goTo } from "../timelineActions";

const HEIGHT = 150;
const SLOP = 3;

interface Curves {
  joint: number;
  coordinates: number[];
  frames: number[];
  values: number[][]; // frames × coordinates
}

interface Drag {
  kind: "key" | "handle";
  key: Key;
  coordinate: number; // place among the curves
  which: 0 | 1;
  pointer: number;
  from: [number, number]; // pixels
  axis: "" | "x" | "y";
  by: number; // frames
  value: number;
}

/** Curves of the selected joint, kept up to date. */
function useCurves(app: App, ruler: Ruler): Curves | null {
  const [curves, setCurves] = useState<Curves | null>(null);
  const latest = useRef(ruler);
  latest.current = ruler;
  const asking = useRef<Asking<Curves> | null>(null);
  asking.current ??= new Asking<Curves>(() => {
    const { figure, state } = app;
    const joint = app.ui.joint;
    if (!figure || !state || joint === null || (app.ui.playing && curves)) return null;
    const { first, count } = figure.joints[joint]!;
    const coordinates = Array.from({ length: count }, (_, k) => first + k);
    if (count === 0) return null;
    const { from, across } = latest.current.view;
    const keys = state.timeline.keys.map((key) => key.frame);
    const frames = sampled(Math.max(from - 1, 0), Math.min(from + across + 1, state.timeline.frames - 1), keys);
    return {
      key: `${version(app)} ${joint} ${from} ${across}`,
      ask: async () => {
        const reply = await app.do("samples", { frames, joints: [], coordinates });
        return { joint, coordinates, frames, values: "values" in reply ? (reply.values ?? []) : [] };
      },
    };
  }, setCurves);
  useEffect(() => {
    const stops = (["state", "ui", "figure"] as const).map((event) => app.on(event, () => asking.current?.changed()));
    return () => stops.forEach((stop) => stop());
  }, [app]);
  useEffect(() => asking.current?.changed(), [ruler.view.from, ruler.view.across]);
  return curves && curves.joint === app.ui.joint ? curves : null;
}

const COLORS = ["var(--curve-x)", "var(--curve-y)", "var(--curve-z)", "var(--accent)", "var(--warn)", "var(--text-soft)"];

export function CurveEditor({ app, timeline, ruler }: { app: App; timeline: Timeline; ruler: Ruler }) {
  const curves = useCurves(app, ruler);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [shown, setShown] = useState<number | null>(null); // one of the curves, or all
  const sheet = useRef<SVGSVGElement>(null);
  const { figure } = app;
  const joint = app.ui.joint;

  useEffect(() => setShown(null), [joint]);
  useEscape(drag !== null, () => setDrag(null));

  if (joint === null || !figure) return <p class="curves-empty">Select a joint: its coordinates over time are drawn here.</p>;
  const info = figure.joints[joint]!;
  if (info.count === 0) return <p class="curves-empty">{info.name} does not move by itself.</p>;
  if (!curves || curves.values.length === 0) return <p class="curves-empty">{info.name}</p>;

  const slides = curves.coordinates.map((c) => figure.coordinates[c]!.slides);
  const unit = (k: number, value: number): number => (slides[k] ? value : (value * 180) / Math.PI);
  const write = (k: number, value: number): string =>
    slides[k] ? `${value.toFixed(3)} ${figure.unit}` : `${((value * 180) / Math.PI).toFixed(1)}°`;
  const visible = curves.coordinates.map((_, k) => k).filter((k) => shown === null || shown === k);
  // Lengths and angles have scales of their own.
  const scales = curves.coordinates.map((_, k) =>
    scaleOf(curves.values.flatMap((row) => visible.filter((j) => slides[j] === slides[k]).map((j) => row[j]!)), HEIGHT),
  );
  const rowOf = (frame: number): number[] | undefined => curves.values[curves.frames.indexOf(frame)];
  const keys = timeline.keys.filter((key) => key.pose && rowOf(key.frame));
  const x = (frame: number): number => ruler.x(frame);

  const press = (event: PointerEvent, key: Key, coordinate: number, kind: Drag["kind"], which: 0 | 1 = 0): void => {
    if (event.button !== 0) return;
    event.stopPropagation();
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    app.set({ curveKey: key.id });
    const value = rowOf(key.frame)![coordinate]!;
    setDrag({ kind, key, coordinate, which, pointer: event.pointerId, from: [event.clientX, event.clientY], axis: "", by: 0, value });
  };
  const move = (event: PointerEvent): void => {
    if (!drag || drag.pointer !== event.pointerId) return;
    const [dx, dy] = [event.clientX - drag.from[0], event.clientY - drag.from[1]];
    if (drag.kind === "handle") {
      bend(event, drag);
      return;
    }
    // A drag goes along time or along the value, whichever it begins with.
    const axis = drag.axis || (Math.hypot(dx, dy) < SLOP ? "" : Math.abs(dx) > Math.abs(dy) ? "x" : "y");
    const scale = scales[drag.coordinate]!;
    const start = rowOf(drag.key.frame)?.[drag.coordinate] ?? drag.value;
    const by = axis === "x" ? clampShift([drag.key.frame], Math.round(dx / ruler.scale), ruler.frames) : 0;
    const value = axis === "y" ? valueAt(scale, yOf(scale, start) + dy) : start;
    setDrag({ ...drag, axis, by, value });
  };
  const bend = (event: PointerEvent, held: Drag): void => {
    const box = sheet.current?.getBoundingClientRect();
    const next = timeline.keys.find((key) => key.frame > held.key.frame && key.pose);
    const [a, b] = [rowOf(held.key.frame), next && rowOf(next.frame)];
    if (!box || !next || !a || !b) return;
    const k = held.coordinate;
    const to: [number, number] = [ruler.frame(event.clientX - box.left), valueAt(scales[k]!, event.clientY - box.top)];
    const now = timeline.keys.find((key) => key.id === held.key.id)!;
    const handles = draggedHandles(now.handles, held.which, to, [held.key.frame, a[k]!], [next.frame, b[k]!]);
    void app.do("key.ease", { keys: [held.key.id], ease: "bezier", handles, held: true });
  };
  const release = (event: PointerEvent): void => {
    if (!drag || drag.pointer !== event.pointerId) return;
    setDrag(null);
    const { key, coordinate, axis, by, value } = drag;
    if (drag.kind === "handle") {
      const now = timeline.keys.find((one) => one.id === key.id);
      if (now) void app.do("key.ease", { keys: [key.id], ease: "bezier", handles: now.handles });
    } else if (axis === "x" && by !== 0) void app.do("key.move", { keys: [key.id], by });
    else if (axis === "y") void app.do("key.value", { key: key.id, coordinate: curves.coordinates[coordinate]!, value });
    else if (axis === "") goTo(app, key.frame);
  };

  const first = visible[0]!;
  const { low, high } = scales[first]!;
  const marks = ticks({ ...scales[first]!, low: unit(first, low), high: unit(first, high) }).map((tick) => ({
    tick,
    y: yOf(scales[first]!, slides[first] ? tick : (tick * Math.PI) / 180),
  }));
  const chosen = timeline.keys.find((key) => key.id === app.ui.curveKey);
  return (
    <div class="curves" role="group" aria-label={`Curves of ${info.name}`}>
      <div class="curve-names">
        <strong>{info.name}</strong>
        {curves.coordinates.map((c, k) => (
          <button
            key={c}
            type="button"
            class="curve-name"
            aria-pressed={shown === k}
            title={`${figure.coordinates[c]!.name}: this curve alone, or all of them`}
            onClick={() => setShown(shown === k ? null : k)}
          >
            <span class="swatch" style={{ background: COLORS[k % COLORS.length] }} />
            {coordinateLabel(figure, c)}
          </button>
        ))}
        {timeline.keys.length > 1 && !drag && isFlat(curves.values) && (
          <span class="curve-flat">
            does not turn by itself; what moves it:
            {joinedAbove(figure.joints, joint, 3).map((above) => (
              <button key={above} type="button" class="curve-name" onClick={() => app.select(above)}>
                {figure.joints[above]!.name}
              </button>
            ))}
          </span>
        )}
        {drag?.kind === "key" && drag.axis === "y" && <span class="curve-value">{write(drag.coordinate, drag.value)}</span>}
        {drag?.kind === "key" && drag.axis === "x" && <span class="curve-value">frame {drag.key.frame + drag.by}</span>}
      </div>
      <svg
        ref={sheet}
        class="curve-sheet"
        role="img"
        aria-label={`Coordinates of ${info.name} over time`}
        width="100%"
        height={HEIGHT}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={() => setDrag(null)}
      >
        {marks.map(({ tick, y }) => (
          <g key={tick} class="curve-tick">
            <line x1={0} x2="100%" y1={y} y2={y} />
          </g>
        ))}
        {visible.map((k) => (
          <polyline
            key={k}
            class="curve"
            style={{ stroke: COLORS[k % COLORS.length] }}
            points={curves.frames.map((frame, i) => `${x(frame).toFixed(1)},${yOf(scales[k]!, curves.values[i]![k]!).toFixed(1)}`).join(" ")}
          />
        ))}
        <Now app={app} ruler={ruler} />
        {marks.map(({ tick, y }) => (
          <g key={tick} class="curve-tick">
            <text x={4} y={y - 2}>{slides[first] ? Number(tick.toPrecision(3)) : `${Number(tick.toPrecision(3))}°`}</text>
          </g>
        ))}
        {chosen?.pose && rowOf(chosen.frame) && visible.map((k) => {
          const next = timeline.keys.find((key) => key.frame > chosen.frame && key.pose);
          const [a, b] = [rowOf(chosen.frame), next && rowOf(next.frame)];
          if (!next || !a || !b || chosen.ease !== "bezier" || timeline.clip !== null) return null;
          const [from, to]: [number, number][] = [[chosen.frame, a[k]!], [next.frame, b[k]!]];
          return handlePoints(from!, to!, chosen.handles).map(([frame, value], which) => {
            const [hx, hy] = [x(frame), Math.min(Math.max(yOf(scales[k]!, value), 4), HEIGHT - 4)];
            const [kx, kv] = which === 0 ? from! : to!;
            return (
              <g key={`${k} ${which}`} class="curve-handle">
                <line x1={x(kx)} y1={yOf(scales[k]!, kv)} x2={hx} y2={hy} />
                <circle
                  cx={hx}
                  cy={hy}
                  r={5}
                  data-handle={which}
                  onPointerDown={(event) => press(event, chosen, k, "handle", which as 0 | 1)}
                />
              </g>
            );
          });
        })}
        {keys.map((key) => visible.map((k) => {
          const held = drag?.kind === "key" && drag.key.id === key.id;
          const value = held && drag.coordinate === k ? drag.value : rowOf(key.frame)![k]!;
          const at = held ? key.frame + drag.by : key.frame;
          return (
            <rect
              key={`${key.id} ${k}`}
              class={`curve-key ${app.ui.curveKey === key.id ? "chosen" : ""}`}
              data-key={key.id}
              data-coordinate={curves.coordinates[k]}
              style={{ fill: COLORS[k % COLORS.length] }}
              x={x(at) - 4.5}
              y={yOf(scales[k]!, value) - 4.5}
              width={9}
              height={9}
              onPointerDown={(event) => press(event, key, k, "key")}
            >
              <title>{`Frame ${key.frame}: ${write(k, value)}. Drag up and down changes the value, sideways the frame.`}</title>
            </rect>
          );
        }))}
      </svg>
    </div>
  );
}

/** The present frame, drawn again with every pose, alone. */
function Now({ app, ruler }: { app: App; ruler: Ruler }) {
  const [, redraw] = useState(0);
  useEffect(() => app.on("pose", () => redraw((count) => count + 1)), [app]);
  const x = ruler.x(app.frame);
  return <line class="curve-now" x1={x} x2={x} y1={0} y2={HEIGHT} />;
}
