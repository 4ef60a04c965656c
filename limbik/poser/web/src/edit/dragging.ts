// Presses on the canvas: drags of effectors and of knobs, clicks and double clicks that select.
//
// What is not on an effector or a knob is left to the camera.

import type { Vector3 } from "three";
import type { App } from "../state/app";
import type { Effector } from "../net/messages";
import type { Stage } from "../scene/stage";
import type { LimitEditing } from "./limits/editing";
import type { Gizmo } from "./gizmo";
import { effectorsOf, type Hand, placeOf } from "./dragState";
import type { Label } from "./label";
import { type Picked, type Picking, type Pointer, pointerOf, spotOfEvent } from "./picking";
import { listenFirst } from "./pointerEvents";
import type { Rings } from "./turning/rings";
import { movedOnScreen, spotOf, viewOf } from "./view";

const STILL = { mouse: 4, touch: 10 }; // pixels that are not yet a drag
const TWICE = 500; // ms between the two presses of a double click
const FINE = 0.2; // with Alt

interface Press {
  id: number;
  kind: Pointer;
  picked: Picked;
  /** The effector that a drag from here moves. */
  effector: number | null;
  /** Whether it was selected before. */
  selected: boolean;
  x: number;
  y: number;
  started: boolean;
  /** The target in the hand, in the figure's axes. */
  point: Vector3 | null;
}

export class Dragging {
  private press: Press | null = null;
  private fingers = 0;
  private handing = false;
  private tap: { time: number; x: number; y: number } | null = null;
  private clicked: { x: number; y: number } | null = null;
  private readonly undo: (() => void)[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly app: App,
    private readonly hand: Hand,
    private readonly picking: Picking,
    private readonly editing: LimitEditing,
    private readonly gizmo: Gizmo,
    private readonly rings: Rings,
    private readonly label: Label,
  ) {
    const listen = listenFirst(stage.canvas, this.undo);
    listen("pointerdown", (event) => this.down(event));
    listen("pointermove", (event) => this.move(event));
    listen("pointerup", (event) => this.up(event));
    listen("pointercancel", (event) => this.lost(event));
    listen("lostpointercapture", (event) => this.lost(event));
    listen("pointerleave", () => {
      if (this.press) return;
      this.picking.leave();
      this.label.hide();
    });
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || !this.cancel()) return;
      event.preventDefault();
      event.stopImmediatePropagation(); // it meant the drag, not the selection
    };
    window.addEventListener("keydown", escape, { capture: true });
    this.undo.push(() => window.removeEventListener("keydown", escape, { capture: true }));
  }

  private down(event: PointerEvent): void {
    if (this.handing) return;
    const kind = pointerOf(event);
    if (kind === "touch") this.fingers++;
    if (event.button !== 0 || this.press?.started) return;
    if (this.fingers > 1) {
      // A second finger: pan and zoom, not a click.
      const first = this.press;
      this.drop();
      if (first && first.picked?.kind !== "gizmo") this.handOver(first);
      return;
    }
    const { x, y } = spotOfEvent(this.stage.canvas, event);
    // The first press of a double click brings up the knobs of the joint: the second does not mean them.
    const knobs = !this.again(kind, x, y, event.timeStamp);
    const picked = this.app.replay ? null : this.picking.at(x, y, kind, knobs);
    const effector = this.effectorFor(picked);
    const selected = effector !== null && effector === this.app.ui.effector;
    this.press = { id: event.pointerId, kind, picked, effector, selected, x, y, started: false, point: null };
    this.label.hide();
    const ours = picked?.kind === "knob" || picked?.kind === "ring" || effector !== null;
    if (ours || picked?.kind === "gizmo") this.stage.controls.enabled = false;
    if (!ours) return;
    this.stage.canvas.setPointerCapture(event.pointerId);
    if (picked?.kind === "knob") {
      this.press.started = this.editing.grab(x, y, kind);
      this.stage.canvas.style.cursor = "grabbing";
    } else if (picked?.kind === "ring") {
      this.rings.grab(x, y, kind);
      this.stage.canvas.style.cursor = "grabbing";
    } else if (effector !== null) this.app.selectEffector(effector);
  }

  /** The camera gets the finger that had been ours, so that two fingers pinch wherever they came down.
   *  One that it has already it takes no second time. */
  private handOver({ id, x, y }: Press): void {
    const { left, top } = this.stage.canvas.getBoundingClientRect();
    this.handing = true;
    this.stage.canvas.dispatchEvent(
      new PointerEvent("pointerdown", { pointerId: id, pointerType: "touch", clientX: left + x, clientY: top + y, buttons: 1 }),
    );
    this.handing = false;
  }

  private effectorFor(picked: Picked): number | null {
    // In the Limits tool a press selects, and moves nothing.
    if (this.app.ui.playing || this.app.ui.tool === "limits") return null;
    if (picked?.kind === "effector") return picked.effector;
    if (picked?.kind !== "joint") return null;
    return effectorsOf(this.app).find((effector) => effector.joint === picked.joint)?.id ?? null;
  }

  private move(event: PointerEvent): void {
    const { press } = this;
    const { x, y } = spotOfEvent(this.stage.canvas, event);
    if (!press) {
      // With a button down the camera is being moved.
      if (event.buttons === 0 && pointerOf(event) === "mouse" && !this.gizmo.holding) this.picking.hover(x, y);
      return;
    }
    if (event.pointerId !== press.id) return;
    if (press.picked?.kind === "knob") {
      this.editing.drag(x, y, event.altKey);
      return;
    }
    const far = Math.hypot(x - press.x, y - press.y) > STILL[press.kind];
    if (press.picked?.kind === "ring") {
      press.started ||= far;
      if (press.started) this.rings.drag(x, y, event);
      return;
    }
    if (!press.started) {
      if (!far) return;
      press.started = true;
      if (press.effector === null || press.picked?.kind === "gizmo") return;
      const effector = this.app.effector(press.effector);
      if (!effector) return;
      press.point = this.grabbedPoint(effector, press.x, press.y);
      this.hand.grab(effector.id);
      this.picking.leave();
      this.stage.canvas.style.cursor = "grabbing";
    }
    if (!press.point) return;
    const fine = event.altKey ? FINE : 1;
    const [dx, dy] = [(x - press.x) * fine, (y - press.y) * fine];
    const view = viewOf(this.stage);
    press.point = event.shiftKey
      ? movedOnScreen(view, press.point, 0, 0, -2 * dy)
      : movedOnScreen(view, press.point, dx, dy);
    [press.x, press.y] = [x, y];
    this.hand.move(press.point, null);
  }

  /** Where a drag begins: at the target or at the effector, whichever was pressed. */
  private grabbedPoint(effector: Effector, x: number, y: number): Vector3 {
    const view = viewOf(this.stage);
    const points = [this.hand.targetOf(effector), placeOf(this.app, effector)] as const;
    const [target, place] = points.map((point) => {
      const spot = spotOf(view, point);
      return Math.hypot(spot.x - x, spot.y - y);
    }) as [number, number];
    if (effector.mode !== "aim") return place < target ? points[1] : points[0];
    // Whoever takes the eye looks where the pointer is: the target comes under it, as far away as it was.
    return place < target ? movedOnScreen(view, points[0], x - spotOf(view, points[0]).x, y - spotOf(view, points[0]).y) : points[0];
  }

  private up(event: PointerEvent): void {
    if (event.pointerType === "touch") this.fingers = Math.max(0, this.fingers - 1);
    const { press } = this;
    if (!press || event.pointerId !== press.id) return;
    const clicked = !press.started;
    const { x, y } = spotOfEvent(this.stage.canvas, event);
    this.drop();
    if (clicked && press.picked?.kind !== "gizmo" && !this.app.replay) this.click(press, x, y, event.timeStamp);
  }

  private lost(event: PointerEvent): void {
    if (event.type === "pointercancel" && event.pointerType === "touch") this.fingers = Math.max(0, this.fingers - 1);
    // An ordinary release has been dealt with; what is left was taken away by the browser.
    const ring = this.press?.picked?.kind === "ring";
    if (this.press && event.pointerId === this.press.id && (this.press.effector !== null || ring)) this.drop();
  }

  /** Ends what is held. */
  private drop(): void {
    const { press } = this;
    this.press = null;
    if (!press) return;
    if (press.picked?.kind === "knob") this.editing.release();
    else if (press.picked?.kind === "ring") this.rings.release();
    else if (press.point) this.hand.release();
    this.free();
  }

  private free(): void {
    if (!this.gizmo.holding) this.stage.controls.enabled = true;
    this.stage.canvas.style.cursor = "";
  }

  /** Whether a press here and now is the second of two. */
  private again(kind: Pointer, x: number, y: number, now: number): boolean {
    const { tap } = this;
    return tap !== null && Math.hypot(x - tap.x, y - tap.y) < 3 * STILL[kind] && now - tap.time < TWICE;
  }

  private click(press: Press, x: number, y: number, now: number): void {
    const twice = this.again(press.kind, x, y, now);
    this.tap = twice ? null : { time: now, x, y };
    const { picked } = press;
    if (picked?.kind === "knob" || picked?.kind === "gizmo") return;
    if (picked?.kind === "ring") {
      // It means what is behind the ring; where nothing is, the rings stay.
      const behind = this.picking.behindRings(x, y, press.kind);
      if (behind?.kind === "effector") this.app.selectEffector(behind.effector);
      else if (behind?.kind === "joint") this.app.select(behind.joint);
      return;
    }
    if (picked?.kind === "figure") {
      void this.app.do("figure.activate", { figure: picked.figure });
      return;
    }
    const { clicked } = this;
    this.clicked = twice ? null : { x, y };
    if (twice && picked) {
      this.twice(picked.joint, press.effector);
      return;
    }
    if (picked?.kind === "effector") {
      // A second click on the same spot, too late for a double click, means the sign below.
      const same = clicked !== null && Math.hypot(x - clicked.x, y - clicked.y) < STILL[press.kind];
      const below = same && press.selected ? this.picking.next(x, y, press.kind) : null;
      this.app.selectEffector(below ?? picked.effector);
    }
    else this.app.select(picked?.joint ?? null);
  }

  /** A double click makes a joint an effector, and pins or frees one that is there. */
  private twice(joint: number, id: number | null): void {
    const effector = id === null ? undefined : this.app.effector(id);
    if (!effector) void this.app.do("effector.add", { joint });
    else if (effector.mode !== "aim") {
      void this.app.do("effector.set", { effector: effector.id, mode: effector.mode === "pin" ? "free" : "pin" });
    }
  }

  /** Takes back the drag that is going on; false when there is none. */
  cancel(): boolean {
    if (this.gizmo.holding) {
      this.gizmo.cancel();
      this.press = null;
      this.free();
      return true;
    }
    const { press } = this;
    if (!press?.started) return false;
    if (press.picked?.kind === "knob") this.editing.cancel();
    else if (press.picked?.kind === "ring") this.rings.cancel();
    else if (press.point) this.hand.cancel();
    else return false;
    // The button is still down: until it comes up, moves mean nothing.
    this.press = null;
    this.free();
    return true;
  }

  dispose(): void {
    this.drop();
    for (const f of this.undo) f();
  }
}
