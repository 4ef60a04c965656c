// One joint's gauge: its limits as cones, arcs and bars around the joint, with needles at its values.
//
// Geometry is made once for a limit; a new pose only moves it.

import { BufferAttribute, BufferGeometry, type Color, DoubleSide, Group, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { FigureInfo, Limit } from "../../net/messages";
import type { HeldLimit } from "../../net/protocol";
import type { Colours } from "../colours";
import { type Ball, frameBefore, type Placed, swingRotation, swingTwistOf } from "../frames";
import { type Arc, arcDirection, drawnArc, edgeDirections, type Shape, shapesOf, swungDirection, twistDirection } from "./shapes";
import { Strokes } from "../strokes";

/** Where along its needle a twist's arc sits, and how wide it is, as shares of the gauge's radius. */
export const TWIST_AT = 0.72;
export const TWIST_RADIUS = 0.3;

interface Drawn {
  shape: Shape;
  group: Group;
  fill: Mesh<BufferGeometry, MeshBasicMaterial> | null;
  edge: Strokes;
  needle: Strokes;
}

/** Length of a gauge in the figure's unit: much of the bone, out of its flesh, yet not huge. */
export function gaugeRadius(figure: FigureInfo, joint: number): number {
  const thick = figure.bones.filter((bone) => bone.joint === joint).map((bone) => 2.2 * bone.radius);
  return Math.min(0.16 * figure.size, Math.max(0.03 * figure.size, 0.6 * boneOf(figure, joint).length(), ...thick));
}

/** Where a joint's bone goes in its own frame: the longest that it moves, or towards its children. */
export function boneOf(figure: FigureInfo, joint: number): Vector3 {
  const ways = figure.bones
    .filter((bone) => bone.joint === joint)
    .map((bone) => new Vector3(...bone.to).sub(new Vector3(...bone.from)));
  ways.push(...figure.joints.filter((child) => child.parent === joint).map((child) => new Vector3(...child.offset)));
  return ways.reduce((best, way) => (way.length() > best.length() ? way : best), new Vector3());
}

/** Radius of an arc: several on one joint differ, so that each can be read. */
export function arcRadius(arc: Arc, radius: number): number {
  return arc.along !== 0 ? TWIST_RADIUS * radius : radius * (1 - 0.14 * (arc.part % 3));
}

/** Centre of an arc: at the joint, or out on the bone where it turns about that. */
export function arcCenter(arc: Arc, radius: number): Vector3 {
  return arc.axis.clone().multiplyScalar(arc.along * TWIST_AT * radius);
}

export class Gauge {
  readonly group = new Group();
  readonly shapes: Shape[];
  readonly radius: number;
  /** It moves through space and turns any way: what has no end is not worth a picture. */
  private readonly roams: boolean;
  private readonly drawn: Drawn[];

  constructor(
    private readonly figure: FigureInfo,
    readonly joint: number,
    readonly limit: Limit | null,
  ) {
    const info = figure.joints[joint];
    const bone = boneOf(figure, joint);
    this.radius = gaugeRadius(figure, joint);
    this.shapes = info ? shapesOf(info, limit, [bone.x, bone.y, bone.z]) : [];
    this.roams = (info?.count ?? 0) > 3;
    this.drawn = this.shapes.map((shape) => this.draw(shape));
    for (const { group } of this.drawn) this.group.add(group);
  }

  private draw(shape: Shape): Drawn {
    const group = new Group();
    const edge = new Strokes(2);
    const needle = new Strokes(2.5);
    let fill: Drawn["fill"] = null;
    if (shape.shape === "bar") {
      const ends = this.barEnds(shape).map((end) => shape.axis.clone().multiplyScalar(end));
      edge.setLine(ends);
    } else {
      const rim = this.rim(shape);
      fill = fan(rim.center, rim.points);
      const closed = shape.shape === "cone";
      edge.setLine(closed ? rim.points : rim.whole ? rim.points : [rim.center, ...rim.points, rim.center]);
    }
    group.add(edge, needle);
    if (fill) group.add(fill);
    return { shape, group, fill, edge, needle };
  }

  /** The curve of a shape in the frame before its part, a twist's after the swing. */
  private rim(shape: Exclude<Shape, { shape: "bar" }>): { center: Vector3; points: Vector3[]; whole: boolean } {
    if (shape.shape === "cone") {
      const points = edgeDirections(shape, 96).map((way) => way.multiplyScalar(this.radius));
      return { center: new Vector3(), points, whole: true };
    }
    const [low, high] = drawnArc(shape.lower, shape.upper);
    const steps = Math.max(2, Math.ceil((high - low) / 0.08));
    const angles = Array.from({ length: steps + 1 }, (_, i) => low + ((high - low) * i) / steps);
    const whole = high - low > 2 * Math.PI - 1e-6;
    if (shape.shape === "arc") {
      const center = arcCenter(shape, this.radius);
      const radius = arcRadius(shape, this.radius);
      const points = angles.map((angle) => arcDirection(shape, angle).multiplyScalar(radius).add(center));
      return { center, points, whole };
    }
    const center = shape.axes.t.clone().multiplyScalar(shape.sign * TWIST_AT * this.radius);
    const points = angles.map((angle) =>
      twistDirection(shape.axes, 0, 0, angle).multiplyScalar(TWIST_RADIUS * this.radius).add(center),
    );
    return { center, points, whole };
  }

  /** Whether one of its shapes is drawn now. */
  shows(shape: number): boolean {
    return this.drawn[shape]?.group.visible ?? false;
  }

  /** What of a slide is drawn: an open end goes one radius past the other, or past zero. */
  barEnds(bar: { lower: number | null; upper: number | null }): [number, number] {
    return [bar.lower ?? (bar.upper ?? 0) - this.radius, bar.upper ?? (bar.lower ?? 0) + this.radius];
  }

  /** The joint's two swing numbers and twist at a shape, zeros where it is no ball. */
  swingAt(pose: Placed, shape: Shape): [number, number, number] {
    const part = this.figure.joints[this.joint]?.parts[shape.part];
    return part && "twist" in part ? swingTwistOf(part as Ball, pose.q) : [0, 0, 0];
  }

  /** Puts the gauge where the joint is in a pose. */
  pose(pose: Placed): void {
    for (const { shape, group, needle } of this.drawn) {
      const frame = frameBefore(this.figure, pose, this.joint, shape.part);
      group.position.copy(frame.position);
      group.quaternion.copy(frame.quaternion);
      const origin = new Vector3();
      if (shape.shape === "arc") {
        const center = arcCenter(shape, this.radius);
        const way = arcDirection(shape, pose.q[shape.coordinate] ?? 0).multiplyScalar(arcRadius(shape, this.radius));
        needle.setLine([center, way.add(center)]);
      } else if (shape.shape === "bar") {
        const at = shape.axis.clone().multiplyScalar(pose.q[shape.coordinate] ?? 0);
        const tick = new Vector3().crossVectors(shape.axis, Math.abs(shape.axis.y) < 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0)).setLength(0.12 * this.radius);
        needle.setLine([at.clone().sub(tick), at.add(tick)]);
      } else {
        const [s1, s2, twist] = this.swingAt(pose, shape);
        if (shape.shape === "cone") needle.setLine([origin, swungDirection(shape.axes, s1, s2).multiplyScalar(shape.sign * this.radius)]);
        else {
          group.quaternion.multiply(swingRotation(shape.axes, s1, s2));
          const center = shape.axes.t.clone().multiplyScalar(shape.sign * TWIST_AT * this.radius);
          const way = twistDirection(shape.axes, 0, 0, twist).multiplyScalar(TWIST_RADIUS * this.radius);
          needle.setLine([center, way.add(center)]);
        }
      }
    }
  }

  /** Lights what holds the pose back, by its share; the rest is quiet, and hidden if `onlyHeld`. */
  paint(colours: Colours, held: HeldLimit[], onlyHeld: boolean, chosen: boolean): void {
    for (const { shape, group, fill, edge, needle } of this.drawn) {
      const share = held
        .filter((limit) => (shape.shape === "cone" ? limit.side === 0 || this.inBox(shape, limit) : limit.coordinate === shape.coordinate))
        .reduce((most, limit) => Math.max(most, limit.share), 0);
      const lit = share > 0;
      const bounded = bounds(shape);
      group.visible = lit || (!onlyHeld && (bounded || (chosen && !this.roams)));
      const color: Color = lit ? colours.limit : chosen ? colours.accent : colours.gauge;
      const strength = lit ? 0.45 + 0.55 * share : bounded ? (chosen ? 0.75 : 0.5) : 0.25;
      edge.paint(color, strength, shape.shape === "bar" ? 5 : lit ? 2.5 : 1.75);
      needle.paint(lit ? colours.limit : colours.text, lit ? 1 : chosen ? 0.75 : 0.35, lit ? 3.5 : chosen ? 2 : 1.5);
      if (fill) {
        fill.material.color.copy(color);
        fill.material.depthTest = !lit && !chosen; // what matters now is seen through the body
        fill.material.opacity = lit ? 0.14 + 0.26 * share : bounded ? (chosen ? 0.16 : 0.1) : 0.04;
      }
    }
  }

  private inBox(cone: Extract<Shape, { shape: "cone" }>, limit: HeldLimit): boolean {
    const part = this.figure.joints[this.joint]?.parts[cone.part];
    const first = part && "twist" in part ? part.coordinate : -9;
    return cone.box && (limit.coordinate === first || limit.coordinate === first + 1);
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const { fill, edge, needle } of this.drawn) {
      edge.dispose();
      needle.dispose();
      fill?.geometry.dispose();
      fill?.material.dispose();
    }
  }
}

/** Whether a shape ends anywhere: a turn that may go all the way round does not. */
export function bounds(shape: Shape): boolean {
  if (shape.shape === "cone") return true;
  if (shape.lower === null && shape.upper === null) return false;
  return shape.shape === "bar" || shape.lower === null || shape.upper === null || shape.upper - shape.lower < 2 * Math.PI - 1e-6;
}

/** A translucent surface from a point to a curve. */
function fan(center: Vector3, points: Vector3[]): Mesh<BufferGeometry, MeshBasicMaterial> {
  const geometry = new BufferGeometry();
  const all = [center, ...points].flatMap((point) => point.toArray());
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(all), 3));
  geometry.setIndex(points.slice(1).flatMap((_, i) => [0, i + 1, i + 2]));
  const material = new MeshBasicMaterial({ transparent: true, side: DoubleSide, depthWrite: false, toneMapped: false });
  const mesh = new Mesh(geometry, material);
  mesh.renderOrder = 15;
  mesh.raycast = () => undefined;
  return mesh;
}
