// Pictures of the stage as files: as it is seen, as a map, as key points, or as a turning GIF.

import type { Object3D, WebGLRenderer } from "three";
import type { Stage } from "../stage";
import { depthMap, normalMap, withoutSurface } from "./maps";
import { drawKeypoints, keypoints } from "./openpose";
import { drawnFor, type Override, type PictureOptions, pngOf } from "./picture";
import { type Draw, turntable } from "./turntable";

export class StagePictures {
  /** `lights` light it, `ground` is what it stands on and before, `ghosts` are its figures elsewhere. */
  constructor(
    private readonly stage: Stage,
    private readonly renderer: WebGLRenderer,
    private readonly lights: Object3D,
    private readonly ground: Object3D[],
    private readonly ghosts: Object3D[],
  ) {}

  /** The picture as a PNG, without what is not of the figure and its floor unless `clean` is false. */
  png({ transparent = false, clean = true, ratio = 2, map }: PictureOptions = {}): Promise<Blob> {
    const alone = transparent || map !== undefined;
    const hidden = clean || alone ? this.besides(!alone, map === undefined) : [];
    let override: Override | null = null;
    if (map === "depth") override = depthMap(this.stage.camera, this.stage.surface());
    else if (map === "normal") override = normalMap();
    const made = drawnFor(this.renderer, this.stage.scene, this.stage.camera, hidden, ratio, pngOf, override);
    return made.finally(() => override?.material.dispose());
  }

  /** The pose as key points of OpenPose, in a picture as large as that of the view. */
  openpose(ratio = 2): Promise<Blob> {
    const { figure, pose } = this.stage.app;
    if (!figure || !pose) return Promise.reject(new Error("There is no pose yet."));
    const { left, top, width, height } = this.stage.canvas.getBoundingClientRect();
    const points = keypoints(figure, pose).map((point) => this.stage.project(point));
    const spots = points.map(({ x, y }) => ({ x: ratio * (x - left), y: ratio * (y - top) }));
    return pngOf(drawKeypoints(spots, Math.round(ratio * width), Math.round(ratio * height)));
  }

  /** The figure turning around once as a GIF; `onProgress` hears the share that is done. */
  turntable(onProgress: (share: number) => void): Promise<Blob> {
    const draw: Draw = (ratio, take) => drawnFor(this.renderer, this.stage.scene, this.stage.camera, this.besides(true, true), ratio, take);
    return turntable(this.stage.camera, this.stage.viewpoint.target, this.stage.canvas, draw, onProgress).finally(() => this.stage.render());
  }

  /** What is not of the figures, their props and, where it is wanted, their ground; `lines` belong to
   *  props. */
  private besides(ground: boolean, lines: boolean): Object3D[] {
    const { scene, world, body } = this.stage;
    const own: (Object3D | undefined)[] = [world, this.lights, body?.group, ...this.ghosts];
    own.push(world.getObjectByName("props"), world.getObjectByName("figures"));
    if (ground) own.push(...this.ground);
    const out = [...scene.children, ...world.children].filter((object) => !own.includes(object));
    if (!lines) out.push(...this.ghosts, ...withoutSurface(world));
    return out;
  }
}
