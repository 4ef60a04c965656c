// Everything that is touched in the scene: effectors, gizmo, limits.

import type { App } from "../state/app";
import { onThemeChange } from "../scene/palette";
import type { Stage } from "../scene/stage";
import { readColours } from "./colours";
import { Dragging } from "./dragging";
import { LimitEditing } from "./limits/editing";
import { Gauges } from "./limits/gauges";
import { Gizmo } from "./gizmo";
import { Hand } from "./dragState";
import { followCamera } from "./lookIntoCamera";
import { Label } from "./label";
import { Picking } from "./picking";
import { attachSurroundings } from "./props/surroundings";
import { Targets } from "./targets";
import { Rings } from "./turning/rings";

export { endNudge, nudge, selectNext, selectPrevious, turn } from "./keyboard";

/** What is in the scene for the hand, and where; `dispose` takes it off again. */
export interface Attached {
  /** Where the knobs of limits are on the page, CSS pixels. */
  knobs(): { x: number; y: number }[];
  /** Where rings of the selected joint can be pressed on the page, and their middles. */
  rings(): { name: string; x: number; y: number; cx: number; cy: number }[];
  /** Effectors whose markers lie on one another, the nearest to the eye first in each stack. */
  stacks(): number[][];
  dispose(): void;
}

/** Puts targets, gauges and the gizmo on a stage. */
export function attach(stage: Stage, app: App): Attached {
  const colours = readColours();
  let stale = true;
  const changed = (): void => {
    stale = true;
    stage.render();
  };
  const hand = new Hand(app, changed);
  const label = new Label(stage.canvas);
  const targets = new Targets(stage, app, hand, colours);
  const busy = (): boolean => hand.holding !== null;
  const gauges = new Gauges(stage, app, colours, busy);
  const gizmo = new Gizmo(stage, app, hand);
  const editing = new LimitEditing(stage, app, gauges, label, busy);
  const rings = new Rings(stage, app, hand, label);
  const picking = new Picking(stage, app, hand, targets, editing, gizmo, rings, label);
  const detach = attachSurroundings(stage, app, picking, label);
  const dragging = new Dragging(stage, app, hand, picking, editing, gizmo, rings, label);

  const stops = (["figure", "state", "pose", "ui"] as const).map((event) => app.on(event, changed));
  stops.push(
    app.on("pose", () => hand.rest()),
    onThemeChange(() => {
      targets.colours = gauges.colours = readColours();
      changed();
    }),
    // Several messages between two frames are drawn once.
    stage.onBeforeRender(() => {
      if (stale) {
        stale = false;
        targets.update();
        gauges.update();
        gizmo.update();
      }
      targets.place();
      editing.place();
      rings.place();
    }),
  );
  let square = app.ui.square;
  stops.push(
    followCamera(stage, app),
    app.on("ui", () => {
      if (square !== app.ui.square) label.hide(); // what it named is elsewhere now
      square = app.ui.square;
    }),
  );
  changed();
  const onPage = (spot: { x: number; y: number }): { x: number; y: number } => {
    const { left, top } = stage.canvas.getBoundingClientRect();
    return { x: left + spot.x, y: top + spot.y };
  };
  return {
    knobs: () => editing.spots().map(onPage),
    rings: () => rings.spots().map((spot) => ({ ...spot, ...onPage(spot), cx: onPage({ x: spot.cx, y: 0 }).x, cy: onPage({ x: 0, y: spot.cy }).y })),
    stacks: () => targets.stacks(),
    dispose: () => {
      for (const stop of stops) stop();
      detach();
      for (const part of [dragging, gizmo, rings, editing, gauges, targets, label]) part.dispose();
    },
  };
}
