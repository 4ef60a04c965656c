// What is under the pointer: knobs of limits, signs of effectors, then the body.

import type { App } from "../state/app";
import type { Stage } from "../scene/stage";
import type { LimitEditing } from "./limits/editing";
import type { Gizmo } from "./gizmo";
import { effectorsOf, type Hand } from "./dragState";
import type { Label } from "./label";
import type { Targets } from "./targets";
import type { Rings } from "./turning/rings";

export type Pointer = "mouse" | "touch";

export type Picked =
  | { kind: "knob" }
  | { kind: "gizmo" }
  | { kind: "ring" }
  | { kind: "effector"; effector: number; joint: number }
  | { kind: "joint"; joint: number }
  | { kind: "figure"; figure: number }
  | null;

/** A pen is as exact as a mouse. */
export function pointerOf(event: PointerEvent): Pointer {
  return event.pointerType === "touch" ? "touch" : "mouse";
}

/** CSS pixels of the canvas. */
export function spotOfEvent(canvas: HTMLCanvasElement, event: PointerEvent): { x: number; y: number } {
  const { left, top } = canvas.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}

/** Pixels within which two clicks are on one spot. */
const SAME = 4;

export class Picking {
  private below: { effector: number; x: number; y: number } | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly app: App,
    private readonly hand: Hand,
    private readonly targets: Targets,
    private readonly editing: LimitEditing,
    private readonly gizmo: Gizmo,
    private readonly rings: Rings,
    private readonly label: Label,
  ) {}

  /** `knobs`: those of limits count too; there are some in the Limits tool only, where nothing else is
   *  dragged. */
  at(x: number, y: number, kind: Pointer, knobs = true): Picked {
    if (this.gizmo.hit(x, y)) return { kind: "gizmo" };
    if (this.rings.hit(x, y, kind)) return { kind: "ring" };
    return this.behindRings(x, y, kind, knobs);
  }

  /** What a press takes where no ring is in the way. */
  behindRings(x: number, y: number, kind: Pointer, knobs = true): Picked {
    if (knobs && this.editing.distance(x, y, kind) < Infinity) return { kind: "knob" };
    const sign = this.chosen(x, y, kind) ?? this.targets.hit(x, y, kind)?.effector;
    const found = effectorsOf(this.app).find((one) => one.id === sign);
    if (found) return { kind: "effector", effector: found.id, joint: found.joint };
    const { left, top } = this.stage.canvas.getBoundingClientRect();
    const other = this.stage.pickOther(left + x, top + y);
    if (other !== null) return { kind: "figure", figure: other };
    const body = this.stage.pick(left + x, top + y);
    return body ? { kind: "joint", joint: body.joint } : null;
  }

  /** The effector below the selected one, where several signs are on one spot, and after the last the
   *  first again; presses here mean it from now on.  Null where there is only one. */
  next(x: number, y: number, kind: Pointer): number | null {
    const there = this.targets.under(x, y, kind);
    const place = there.indexOf(this.app.ui.effector ?? -1);
    if (place < 0 || there.length < 2) return null;
    const effector = there[(place + 1) % there.length]!;
    this.below = { effector, x, y };
    return effector;
  }

  /** The effector that clicks on this spot came to, for as long as it is selected. */
  private chosen(x: number, y: number, kind: Pointer): number | undefined {
    const { below } = this;
    if (!below || below.effector !== this.app.ui.effector || Math.hypot(below.x - x, below.y - y) > SAME) return undefined;
    return this.targets.under(x, y, kind).find((effector) => effector === below.effector);
  }

  /** Shows what a press here would take; called while nothing is held. */
  hover(x: number, y: number): void {
    const picked = this.at(x, y, "mouse");
    const { canvas } = this.stage;
    if (this.editing.hover(x, y) && picked?.kind === "knob") {
      this.leave();
      canvas.style.cursor = "grab";
      return;
    }
    if (picked?.kind === "ring" && this.rings.hover(x, y)) {
      this.hand.over(null, null);
      this.stage.setHighlight(null);
      canvas.style.cursor = "grab";
      return;
    }
    this.rings.leave();
    if (!picked || picked.kind === "gizmo" || picked.kind === "knob" || picked.kind === "ring") {
      this.leave();
      this.label.hide();
      canvas.style.cursor = picked ? "grab" : "";
      return;
    }
    if (picked.kind === "figure") {
      this.leave();
      canvas.style.cursor = "pointer";
      this.label.show(`${this.app.state?.others.find((one) => one.number === picked.figure)?.name ?? ""}: click to pose it`, x, y);
      return;
    }
    const onJoint = this.app.effectorOn(picked.joint);
    canvas.style.cursor = picked.kind === "effector" || onJoint ? "grab" : "pointer";
    const joint = this.app.figure?.joints[picked.joint];
    const effector = picked.kind === "effector" ? this.app.effector(picked.effector) : undefined;
    this.hand.over(effector?.id ?? onJoint?.id ?? null, picked.joint);
    this.stage.setHighlight(picked.joint);
    const words = wordsOf(joint?.name ?? "", effector?.mode, this.app.locked(picked.joint));
    if (joint) this.label.show(words + (effector ? this.besides(effector.id, x, y) : ""), x, y);
  }

  /** What is said of signs below the one under the pointer. */
  private besides(effector: number, x: number, y: number): string {
    const there = this.targets.under(x, y, "mouse");
    const place = there.indexOf(effector);
    if (place < 0 || there.length < 2) return "";
    const below = this.app.effector(there[(place + 1) % there.length]!)?.name ?? "";
    return ` (${place + 1} of ${there.length} here; click again: ${below})`;
  }

  leave(): void {
    this.hand.over(null, null);
    this.stage.setHighlight(null);
  }
}

function wordsOf(name: string, mode: string | undefined, locked: boolean): string {
  const modes: Record<string, string> = { pin: "pinned", aim: "aims" };
  return [name, modes[mode ?? ""] ?? "", locked ? "locked" : ""].filter(Boolean).join(" · ");
}
