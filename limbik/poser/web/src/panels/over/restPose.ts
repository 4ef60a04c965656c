// Whether a figure is in its rest pose.

import type { FigureInfo, JointInfo } from "../../net/messages";

const AT_REST = 1e-4; // radians, or sizes of the figure

/** Whether a joint is a root that moves freely: where it stands is no part of the pose. */
function standsAnywhere(joint: JointInfo | undefined): boolean {
  return joint?.parent === -1 && joint.parts.filter((part) => part.kind === "slide").length === 3;
}

/** Whether the pose q is the rest pose, wherever the figure stands. */
export function isRestPose({ coordinates, joints, size }: FigureInfo, q: ArrayLike<number>): boolean {
  return coordinates.every(({ rest, slides, joint }, i) => {
    if (slides && standsAnywhere(joints[joint])) return true;
    return Math.abs((q[i] ?? NaN) - rest) < AT_REST * (slides ? size : 1);
  });
}
