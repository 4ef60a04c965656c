// The figure turning around once, as an animated GIF.

import { type PerspectiveCamera, Quaternion, Vector3 } from "three";
import { gifOf } from "./gif";

const COUNT = 36; // frames
const TALL = 400; // pixels
const DELAY = 8; // hundredths of a second

/** Draws the scene at some pixels for one of CSS, and hands the canvas over. */
export type Draw = (ratio: number, take: (canvas: HTMLCanvasElement) => void) => void;

/** Leads the camera around `middle` once; `told` hears the share that is done. */
export async function turntable(
  camera: PerspectiveCamera,
  middle: Vector3,
  canvas: HTMLCanvasElement,
  draw: Draw,
  told: (share: number) => void,
): Promise<Blob> {
  const [place, turn, about] = [camera.position.clone(), camera.quaternion.clone(), middle.clone()];
  const ratio = TALL / Math.max(1, canvas.clientHeight);
  const small = document.createElement("canvas");
  Object.assign(small, { width: Math.round(ratio * canvas.clientWidth), height: TALL });
  const pen = small.getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error("The browser offers no canvas to draw a picture on.");
  const frames: Uint8ClampedArray[] = [];
  for (let k = 0; k < COUNT; k++) {
    const by = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), (2 * Math.PI * k) / COUNT);
    // The view is only away for the time of one drawing: it may be turned by hand meanwhile.
    const [now, turned] = [camera.position.clone(), camera.quaternion.clone()];
    camera.position.copy(place).sub(about).applyQuaternion(by).add(about);
    camera.quaternion.copy(turn).premultiply(by);
    camera.updateMatrixWorld();
    draw(2 * ratio, (drawn) => pen.drawImage(drawn, 0, 0, small.width, small.height));
    camera.position.copy(now);
    camera.quaternion.copy(turned);
    camera.updateMatrixWorld();
    frames.push(pen.getImageData(0, 0, small.width, small.height).data);
    told((k + 1) / (COUNT + 4));
    await new Promise((resolve) => setTimeout(resolve)); // the page stays alive
  }
  return gifOf(frames, small.width, small.height, DELAY);
}
