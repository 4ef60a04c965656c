// Arrows on the selected effector: exact moves along axes.  Rings are in turning/rings.ts.

import { Object3D } from "three";
import type { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { App } from "../state/app";
import type { Stage } from "../scene/stage";
import { effectorsOf, type Hand } from "./dragState";
import { hitsHandles, makeHandles } from "./handles";

export class Gizmo {
  private readonly controls: TransformControls;
  private readonly handle = new Object3D();

  constructor(
    private readonly stage: Stage,
    private readonly app: App,
    private readonly hand: Hand,
  ) {
    this.controls = makeHandles(stage, this.handle, (on) => this.dragged(on), () => this.changed());
    this.controls.setMode("translate");
    this.controls.setSpace("world");
    this.update();
  }

  get holding(): boolean {
    return this.controls.dragging;
  }

  private effector() {
    return effectorsOf(this.app).find((effector) => effector.id === this.app.ui.effector);
  }

  /** Follows selection, tool and pose; while it is dragged it leads. */
  update(): void {
    if (this.controls.dragging) return;
    const { tool, playing } = this.app.ui;
    const effector = this.effector();
    if (!effector || tool !== "move" || playing) {
      if (this.controls.object) this.controls.detach();
      return;
    }
    this.handle.position.copy(this.hand.targetOf(effector));
    if (this.controls.object !== this.handle) this.controls.attach(this.handle);
  }

  /** Whether a press here takes hold of the gizmo; also for fingers, which never hover. */
  hit(x: number, y: number): boolean {
    return hitsHandles(this.controls, this.stage, x, y);
  }

  private dragged(on: boolean): void {
    this.stage.controls.enabled = !on;
    const effector = this.effector();
    if (on && effector) this.hand.grab(effector.id);
    else this.hand.release();
    if (!on) this.update();
  }

  private changed(): void {
    if (this.controls.dragging) this.hand.move(this.handle.position, null);
  }

  /** Lets go in the middle of a drag and takes it back. */
  cancel(): void {
    this.hand.cancel();
    this.controls.reset();
    this.controls.dragging = false;
    this.controls.axis = null;
  }

  dispose(): void {
    this.controls.detach();
    this.controls.getHelper().removeFromParent();
    this.controls.dispose();
    this.handle.removeFromParent();
  }
}
