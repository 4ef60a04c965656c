// The pose as a picture of 18 key points in the colours of OpenPose (COCO), for programs that read those.
//
// The order of the points, the limbs and their colours are those of OpenPose's COCO model.

import { Vector3 } from "three";
import type { FigureInfo } from "../../net/messages";
import { jointFrame, type Placed, vector } from "../../edit/frames";

/** Pairs of points that are joined; the colour of a limb is that of its number. */
const LIMBS: [number, number][] = [
  [1, 2], [1, 5], [2, 3], [3, 4], [5, 6], [6, 7], [1, 8], [8, 9], [9, 10],
  [1, 11], [11, 12], [12, 13], [1, 0], [0, 14], [14, 16], [0, 15], [15, 17],
];

/** Eighteen steps around the circle of colours. */
const COLOURS = [
  "255,0,0", "255,85,0", "255,170,0", "255,255,0", "170,255,0", "85,255,0", "0,255,0", "0,255,85", "0,255,170",
  "0,255,255", "0,170,255", "0,85,255", "0,0,255", "85,0,255", "170,0,255", "255,0,255", "255,0,170", "255,0,85",
];

const ROLES: Record<number, string> = {
  2: "right upper arm", 3: "right lower arm", 4: "right hand",
  5: "left upper arm", 6: "left lower arm", 7: "left hand",
  8: "right upper leg", 9: "right lower leg", 10: "right foot",
  11: "left upper leg", 12: "left lower leg", 13: "left foot",
};

/** Left, up and forward of points of the face, in heights of the head above its joint. */
const FACE: Record<number, [number, number, number]> = {
  0: [0, 0.4, 0.5], 14: [-0.16, 0.52, 0.42], 15: [0.16, 0.52, 0.42], 16: [-0.38, 0.45, 0], 17: [0.38, 0.45, 0],
};

/** Whether a figure is a body, so that it has these points. */
export function hasKeypoints(figure: FigureInfo | null): boolean {
  const known = new Set(figure?.joints.map((joint) => joint.role));
  return known.has("head") && Object.values(ROLES).every((role) => known.has(role));
}

/** The 18 points in the figure's axes, by OpenPose's numbers. */
export function keypoints(figure: FigureInfo, pose: Placed): Vector3[] {
  const joint = (role: string): number => figure.joints.findIndex((one) => one.role === role);
  const out = Array.from({ length: 18 }, () => new Vector3());
  for (const [k, role] of Object.entries(ROLES)) out[Number(k)]!.copy(vector(pose.positions, 3 * joint(role)));
  out[1]!.copy(out[2]!).add(out[5]!).multiplyScalar(0.5);
  const head = joint("head");
  const { position, quaternion } = jointFrame(pose, head);
  const axes = figure.joints[head]?.axes ?? [];
  const axis = (name: string, otherwise: Vector3): Vector3 =>
    vector(axes.find((one) => one.name === name)?.axis ?? otherwise.toArray()).applyQuaternion(quaternion);
  const left = axis("flex", new Vector3(1, 0, 0));
  const ahead = axis("spread", new Vector3(0, 0, -1)).negate();
  const up = axis("twist", new Vector3(0, 1, 0));
  const bone = figure.bones.find((one) => one.joint === head);
  const length = bone ? vector(bone.to).distanceTo(vector(bone.from)) : 0;
  const tall = Math.min(Math.max(length, 0.07 * figure.size), 0.12 * figure.size);
  for (const [k, [x, y, z]] of Object.entries(FACE)) {
    out[Number(k)]!.copy(position).addScaledVector(left, x * tall).addScaledVector(up, y * tall).addScaledVector(ahead, z * tall);
  }
  return out;
}

/** Draws the points (pixels) on black; lines are as thick as OpenPose has them for this height. */
export function drawKeypoints(points: { x: number; y: number }[], width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("The browser offers no canvas to draw a picture on.");
  pen.fillStyle = "black";
  pen.fillRect(0, 0, width, height);
  const thick = Math.max(2, (4 * Math.min(width, height)) / 512);
  LIMBS.forEach(([a, b], k) => {
    const [from, to] = [points[a]!, points[b]!];
    const long = Math.hypot(to.x - from.x, to.y - from.y) / 2;
    pen.fillStyle = `rgba(${COLOURS[k]}, 0.6)`;
    pen.beginPath();
    pen.ellipse((from.x + to.x) / 2, (from.y + to.y) / 2, long, thick, Math.atan2(to.y - from.y, to.x - from.x), 0, 2 * Math.PI);
    pen.fill();
  });
  points.forEach(({ x, y }, k) => {
    pen.fillStyle = `rgb(${COLOURS[k]})`;
    pen.beginPath();
    pen.arc(x, y, thick, 0, 2 * Math.PI);
    pen.fill();
  });
  return canvas;
}
