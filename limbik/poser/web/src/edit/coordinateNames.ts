// What the coordinates of joints are called: by what they do to a body, where one is recognised.

import type { FigureInfo, JointInfo } from "../net/messages";
import { axesOf, isBall, vector } from "./frames";
import type { Vector3 } from "three";

const ANATOMICAL = new Set(["flex", "spread", "twist"]);
/** Cosine between a coordinate's axis and an anatomical one that is the same to people: 37°. */
const SAME = 0.8;

const known = new WeakMap<FigureInfo, string[]>();

/** The label of a coordinate: "flex" where it bends the joint, "−flex" where it straightens it, and
 * "swing 1" or "turn x" where the joint's own axes are no anatomical ones. */
export function coordinateLabel(figure: FigureInfo, coordinate: number): string {
  let labels = known.get(figure);
  if (!labels) {
    labels = figure.coordinates.map((one) => shortName(one.name));
    for (const joint of figure.joints)
      for (const [index, axis] of turns(joint)) labels[index] = anatomical(joint, axis) ?? labels[index]!;
    known.set(figure, labels);
  }
  return labels[coordinate] ?? "";
}

/** A sentence of the solver with the labels that people see: "LeftArm flex" for "LeftArm.swing1". */
export function withLabels(figure: FigureInfo, sentence: string): string {
  if (!sentence.includes(".")) return sentence;
  let out = sentence;
  figure.coordinates.forEach((one, index) => {
    const label = coordinateLabel(figure, index);
    const isOwn = label === shortName(one.name) && !ANATOMICAL.has(label);
    if (!isOwn && out.includes(`${one.name} `))
      out = out.replaceAll(`${one.name} `, `${figure.joints[one.joint]!.name} ${label} `);
  });
  return out;
}

/** The label of a coordinate by its own name, without the joint's: "LeftArm.swing1" is "swing 1". */
export function shortName(name: string): string {
  const label = name.slice(name.lastIndexOf(".") + 1);
  const words: Record<string, string> = {
    tx: "move x", ty: "move y", tz: "move z",
    rx: "turn x", ry: "turn y", rz: "turn z",
    swing1: "swing 1", swing2: "swing 2",
  };
  return words[label] ?? label;
}

function anatomical(joint: JointInfo, axis: Vector3): string | null {
  for (const one of joint.axes) {
    const cosine = ANATOMICAL.has(one.name) ? vector(one.axis).normalize().dot(axis) : 0;
    if (Math.abs(cosine) > SAME) return cosine > 0 ? one.name : `−${one.name}`;
  }
  return null;
}

/** The coordinates by which a joint turns, and about which axes in its own frame at rest. */
function turns(joint: JointInfo): [number, Vector3][] {
  return joint.parts.flatMap((part): [number, Vector3][] => {
    if (isBall(part)) {
      const { u, v, t } = axesOf(part);
      const axes = part.kind === "exponential" ? [vector([1, 0, 0]), vector([0, 1, 0]), vector([0, 0, 1])] : [u, v, t];
      return axes.map((axis, k) => [part.coordinate + k, axis.normalize()]);
    }
    if (part.kind !== "turn" || part.coordinate < 0) return [];
    return [[part.coordinate, vector(part.axis).normalize().multiplyScalar(Math.sign(part.scale) || 1)]];
  });
}
