// Trunks of bodies are wider than deep; this widens the bones between hips and shoulders.

import { Matrix4, Vector3 } from "three";
import type { FigureInfo } from "../../net/messages";
import type { Shaped } from "./bones";
import { isTrunk, parts, plainRole } from "./boneRadii";
import { frameMatrices } from "./skinnedPiece";

/** Width and depth of a trunk as shares of its bones' radii. */
const WIDTH = 1.32;
const DEPTH = 0.94;

/** The shapes, those of the trunk widened from right to left as the pose has it. */
export function broaden(
  figure: FigureInfo,
  positions: ArrayLike<number>,
  wxyz: ArrayLike<number>,
  shaped: Shaped[],
): Shaped[] {
  const place = (role: string): Vector3 | null => {
    const i = figure.joints.findIndex((joint) => plainRole(joint.role) === role);
    return i < 0 ? null : new Vector3(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
  };
  const between = (part: string): Vector3 | null => {
    const [left, right] = [place(`left${part}`), place(`right${part}`)];
    return left && right ? left.sub(right) : null;
  };
  const legs = between("upperleg");
  const arms = between("upperarm");
  if (!legs || !arms) return shaped;
  const frames = frameMatrices(positions, wxyz, new Float32Array(16 * figure.joints.length));
  const part = parts(figure);
  return shaped.map((one) => {
    const { bone, shape } = one;
    const role = part[bone.joint]!;
    if (!isTrunk(role) || !shape.straight) return one;
    const back = new Matrix4().fromArray(frames, 16 * bone.joint).invert();
    const along = (role === "hips" || role === "spine" ? legs : arms).clone().transformDirection(back);
    return { ...one, shape: { ...shape, wide: { along: along.toArray(), width: WIDTH, depth: DEPTH } } };
  });
}
