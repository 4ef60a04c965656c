// The handles of three.js in limbik's colours: arrows, rings and boxes around an object.

import { type Object3D, Vector2 } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Stage } from "../scene/stage";
import { AXIS_COLOURS } from "./colours";
import { viewOf } from "./view";

/** Handles for ``handle``, which is put on the stage; ``dragged`` hears of a drag's start and end, ``changed`` of its moves. */
export function makeHandles(
  stage: Stage,
  handle: Object3D,
  dragged: (on: boolean) => void,
  changed: () => void,
): TransformControls {
  const controls = new TransformControls(stage.camera, stage.canvas);
  controls.size = 0.75;
  controls.setColors(...AXIS_COLOURS, "#ffb020");
  stage.world.add(handle);
  stage.scene.add(controls.getHelper());
  controls.addEventListener("change", () => stage.render());
  controls.addEventListener("dragging-changed", (event) => dragged(Boolean(event.value)));
  controls.addEventListener("objectChange", changed);
  return controls;
}

/** Whether a press here takes hold of the handles; also for fingers, which never hover. */
export function hitsHandles(controls: TransformControls, stage: Stage, x: number, y: number): boolean {
  if (!controls.object) return false;
  const { width, height } = viewOf(stage);
  const at = new Vector2((2 * x) / width - 1, 1 - (2 * y) / height);
  controls.pointerHover(Object.assign(at, { button: -1 }) as unknown as PointerEvent);
  return controls.axis !== null;
}
