// Who looks into the camera follows it when the view is turned.

import { Vector3 } from "three";
import { Latest } from "../net/latestOnly";
import type { Vec3 } from "../net/messages";
import type { Stage } from "../scene/stage";
import type { App } from "../state/app";
import { effectorsOf } from "./dragState";
import { toVec3 } from "./frames";

const STILL = 1e-3; // sizes of the figure: the camera has not moved

/** Tells the server where the camera is for as long as somebody looks into it; returns what stops it. */
export function followCamera(stage: Stage, app: App): () => void {
  const eye = (): Vec3 => {
    stage.camera.updateMatrixWorld();
    return toVec3(stage.world.worldToLocal(new Vector3().setFromMatrixPosition(stage.camera.matrixWorld)));
  };
  app.eye = eye;
  const sending = new Latest((position: Vec3) => app.do("look.camera", { position }));
  let told: Vec3 = [Infinity, 0, 0];
  return stage.onBeforeRender(() => {
    const { figure, ui } = app;
    if (!figure || ui.playing || app.link !== "open") return;
    if (!effectorsOf(app).some(({ mode, look }) => mode === "aim" && look === "camera")) return;
    const now = eye();
    if (Math.hypot(...now.map((v, k) => v - told[k]!)) < STILL * figure.size) return;
    told = now;
    sending.give(now);
  });
}
