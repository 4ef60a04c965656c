// Arrows, rings and scale handles on the selected prop.

import { Object3D } from "three";
import type { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import { Latest } from "../../net/latestOnly";
import type { Commands, PropInfo, Vec3 } from "../../net/messages";
import { propPlace } from "../../scene/propPlace";
import type { PropsView } from "../../scene/props";
import type { Stage } from "../../scene/stage";
import type { App } from "../../state/app";
import { toVec3, toWxyz } from "../frames";
import { hitsHandles, makeHandles } from "../handles";

const MODES = { move: "translate", rotate: "rotate", scale: "scale" } as const;
const LEAST = 0.005; // of the figure's size: no edge of a prop is made shorter by the mouse

/** The prop that is selected, if any. */
export function selectedProp(app: App): PropInfo | undefined {
  const { state, figure, ui } = app;
  return state && figure && state.figure === figure.id ? state.scene.props.find((prop) => prop.id === ui.prop) : undefined;
}

export class PropGizmo {
  private readonly controls: TransformControls;
  private readonly handle = new Object3D();
  private readonly sizes: Latest<Commands["prop.set"]>;
  private size: Vec3 = [1, 1, 1];

  constructor(
    private readonly stage: Stage,
    private readonly app: App,
    private readonly view: PropsView,
  ) {
    this.controls = makeHandles(stage, this.handle, (on) => this.dragged(on), () => this.changed());
    this.sizes = new Latest((set) => app.do("prop.set", set));
  }

  get holding(): boolean {
    return this.controls.dragging;
  }

  /** Follows selection, tool and pose; while it is dragged it leads. */
  update(): void {
    if (this.controls.dragging) return;
    const { tool, playing } = this.app.ui;
    const prop = selectedProp(this.app);
    if (!prop || tool === "direct" || tool === "limits" || playing) {
      if (this.controls.object) this.controls.detach();
      return;
    }
    this.controls.camera = this.stage.camera;
    this.controls.setMode(MODES[tool]);
    this.controls.setSpace(tool === "move" ? "world" : "local");
    const place = propPlace(prop, this.app.pose);
    this.handle.position.copy(place.position);
    this.handle.quaternion.copy(place.quaternion);
    this.handle.scale.setScalar(1);
    if (this.controls.object !== this.handle) this.controls.attach(this.handle);
  }

  /** Whether a press here takes hold of the gizmo. */
  hit(x: number, y: number): boolean {
    return hitsHandles(this.controls, this.stage, x, y);
  }

  private dragged(on: boolean): void {
    this.stage.controls.enabled = !on;
    const prop = selectedProp(this.app);
    if (on && prop) this.size = prop.size;
    if (on || !prop) return;
    if (this.controls.mode === "scale") {
      const { preview } = this.view;
      if (preview?.size) this.sizes.give({ prop: prop.id, size: preview.size, held: false });
      this.sizes.then(() => this.settle());
    } else {
      this.app.drop();
      this.settle();
    }
  }

  private settle(): void {
    this.view.preview = null;
    this.update();
    this.stage.render();
  }

  private changed(): void {
    const prop = selectedProp(this.app);
    if (!this.controls.dragging || !prop || !this.app.figure) return;
    const { position, quaternion, scale } = this.handle;
    if (this.controls.mode === "scale") {
      const least = LEAST * this.app.figure.size;
      const size = scale.toArray().map((s, k) => Math.max(least, Math.abs(s) * this.size[k]!)) as Vec3;
      // A ball stays round: the edge that the hand moves most leads.
      const most = scale.toArray().reduce((a, s) => (Math.abs(s - 1) > Math.abs(a - 1) ? s : a), 1);
      if (prop.kind === "ball") size.fill(Math.max(least, Math.abs(most) * this.size[0]));
      this.view.preview = { id: prop.id, size };
      this.sizes.give({ prop: prop.id, size, held: true });
    } else {
      const turns = this.controls.mode === "rotate";
      this.view.preview = { id: prop.id, position: position.clone(), quaternion: quaternion.clone() };
      this.app.drag(prop.id, turns ? null : toVec3(position), turns ? toWxyz(quaternion) : null);
    }
    this.stage.render();
  }

  dispose(): void {
    this.controls.detach();
    this.controls.getHelper().removeFromParent();
    this.controls.dispose();
    this.handle.removeFromParent();
  }
}
