// A figure without a mesh as bones with balls at the joints: one surface, one draw call.

import { BufferAttribute, BufferGeometry, Color, Group, Matrix4, Vector3, type Ray } from "three";
import type { FigureInfo } from "../../net/messages";
import { BodyMaterial, type Body, type Hit } from "./body";
import { ballsOf, join, shapes, type Ball, type Shaped } from "./bones";
import { boneRadii, isTrunk, parts, visibleBones } from "./boneRadii";
import { sideOf } from "../framing";
import type { Palette } from "../palette";
import { frameMatrices, PosedPiece, type Piece } from "./skinnedPiece";
import { addBall, addBone, boneRadius, cornersFor, joiningRings, type Surface } from "./shapes";
import { broaden } from "./trunk";

/** A bone or a ball: its first vertex, the joint it moves with, and the joints that it shares its start
 *  and end with, −1 for none. */
interface Part {
  first: number;
  joint: number;
  ball: boolean;
  before: number;
  after: number;
}

/** How much a vertex at the share t of a bone follows the bones before and after it. */
export function shared(t: number): [before: number, after: number] {
  const near = (distance: number): number => {
    const x = Math.max(0, 1 - 2 * distance);
    return 0.5 * x * x * (3 - 2 * x);
  };
  return [near(t), near(1 - t)];
}

export class Capsules implements Body {
  readonly group = new Group();
  readonly pieces: readonly Piece[];
  private readonly posed: PosedPiece;
  private readonly material: BodyMaterial;
  private readonly shaped: Shaped[];
  private readonly balls: Ball[];
  private readonly parts: Part[] = [];
  private readonly colors: Float32Array;
  private readonly sides: ("left" | "right" | "middle")[];
  private frames: Float32Array = new Float32Array();
  private hover = -1;
  private selected = -1;

  /** Vertices are bound in the pose of `positions` and `wxyz`, which also tells left from right. */
  constructor(whole: FigureInfo, positions: ArrayLike<number>, wxyz: ArrayLike<number>, palette: Palette) {
    const figure = { ...whole, bones: visibleBones(whole) };
    const radii = boneRadii(figure);
    this.balls = ballsOf(figure, radii);
    this.shaped = join(broaden(figure, positions, wxyz, shapes(figure, radii, this.balls)));
    const part = parts(figure);
    this.sides = figure.joints.map((joint, i) => (isTrunk(part[i]!) ? "middle" : sideOf(joint.name, joint.role)));
    const surface = this.surface(figure);
    const frames = frameMatrices(positions, wxyz, new Float32Array(16 * figure.joints.length));
    const frameOf = figure.joints.map((_, i) => new Matrix4().fromArray(frames, 16 * i));
    const piece = {
      geometry: this.bound(surface, frameOf),
      joints: figure.joints.map((_, i) => i),
      bind: frameOf.map((frame) => frame.clone().invert()),
    };
    this.colors = piece.geometry.getAttribute("color").array as Float32Array;
    this.pieces = [piece];
    this.material = new BodyMaterial(palette);
    this.material.vertexColors = true;
    this.posed = new PosedPiece(piece, this.material);
    this.posed.mesh.castShadow = this.posed.mesh.receiveShadow = true;
    this.group.add(this.posed.mesh);
    this.paint(palette);
  }

  /** All bones and balls, each in the frame of its joint; fills `parts`. */
  private surface(figure: FigureInfo): Surface {
    const surface: Surface = { positions: [], normals: [], indices: [], shares: [] };
    for (const { bone, shape, end } of this.shaped) {
      this.parts.push({
        first: surface.shares.length,
        joint: bone.joint,
        ball: false,
        before: shape.joins?.start ? figure.joints[bone.joint]!.parent : -1,
        after: shape.joins?.end ? end : -1,
      });
      addBone(surface, shape);
    }
    this.balls.forEach(({ radius, shown }, joint) => {
      if (!shown) return;
      this.parts.push({ first: surface.shares.length, joint, ball: true, before: -1, after: -1 });
      addBall(surface, [0, 0, 0], radius, cornersFor(radius / figure.size));
    });
    return surface;
  }

  /** The surface with every vertex where the pose has it, and bound to the joints that move it. */
  private bound(surface: Surface, frameOf: readonly Matrix4[]): BufferGeometry {
    const vertices = surface.shares.length;
    const positions = new Float32Array(surface.positions);
    const normals = new Float32Array(surface.normals);
    const bones = new Uint16Array(4 * vertices);
    const weights = new Float32Array(4 * vertices);
    const v = new Vector3();
    this.each(vertices, ({ joint, before, after }, k) => {
      const frame = frameOf[joint]!;
      v.fromArray(positions, 3 * k).applyMatrix4(frame).toArray(positions, 3 * k);
      v.fromArray(normals, 3 * k).transformDirection(frame).toArray(normals, 3 * k);
      const [toBefore, toAfter] = shared(surface.shares[k]!);
      const others = [before >= 0 ? toBefore : 0, after >= 0 ? toAfter : 0] as const;
      bones.set([joint, Math.max(before, 0), Math.max(after, 0), 0], 4 * k);
      weights.set([1 - others[0] - others[1], others[0], others[1], 0], 4 * k);
    });
    this.weld(positions, normals);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(positions, 3));
    geometry.setAttribute("normal", new BufferAttribute(normals, 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(3 * vertices), 3));
    geometry.setAttribute("skinIndex", new BufferAttribute(bones, 4));
    geometry.setAttribute("skinWeight", new BufferAttribute(weights, 4));
    geometry.setIndex(surface.indices);
    return geometry;
  }

  /** Bones that go on in each other share the ring between them, halfway, whatever their directions. */
  private weld(positions: Float32Array, normals: Float32Array): void {
    const v = new Vector3();
    const w = new Vector3();
    this.shaped.forEach(({ bone, shape }, k) => {
      if (!shape.joins?.start) return;
      const l = this.parts.findIndex((part) => !part.ball && part.after === bone.joint);
      const above = this.shaped[l];
      if (!above || above.shape.corners !== shape.corners) return;
      const here = joiningRings(shape, "start").map((ring) => this.parts[k]!.first + ring);
      const there = joiningRings(above.shape, "end").map((ring) => this.parts[l]!.first + ring);
      for (const array of [positions, normals]) {
        for (let c = 0; c <= shape.corners; c++) {
          v.fromArray(array, 3 * (here[0]! + c)).lerp(w.fromArray(array, 3 * (there[0]! + c)), 0.5);
          if (array === normals) v.normalize();
          for (const ring of [...here, ...there]) v.toArray(array, 3 * (ring + c));
        }
      }
    });
  }

  private each(vertices: number, f: (part: Part, vertex: number) => void): void {
    this.parts.forEach((part, k) => {
      const end = this.parts[k + 1]?.first ?? vertices;
      for (let v = part.first; v < end; v++) f(part, v);
    });
  }

  pose(frames: Float32Array): void {
    this.frames = frames;
    this.posed.pose(frames);
  }

  setHighlight(joint: number | null): void {
    this.hover = joint ?? -1;
    this.material.light(this.hover, this.selected);
  }

  setSelected(joint: number | null): void {
    this.selected = joint ?? -1;
    this.material.light(this.hover, this.selected);
  }

  pick(ray: Ray, slack: number): Hit | null {
    let best: Hit | null = null;
    let nearest = Infinity;
    let beside = Infinity; // how far outside of the surface the best one is, as a share of the distance
    const onBone = new Vector3();
    const onRay = new Vector3();
    const frame = new Matrix4();
    const [from, to] = [new Vector3(), new Vector3()];
    const meet = (joint: number, radiusAt: (t: number) => number, ahead: number): void => {
      const gap = Math.sqrt(Math.max(0, ray.distanceSqToSegment(from, to, onRay, onBone)));
      const length = from.distanceTo(to);
      const radius = radiusAt(length > 0 ? onBone.distanceTo(from) / length : 0);
      const along = onRay.distanceTo(ray.origin);
      const outside = Math.max(0, gap - radius) / Math.max(along, 1e-12);
      const distance = along - Math.sqrt(Math.max(0, radius * radius - gap * gap));
      if (outside > slack || outside > beside) return;
      if (outside === beside && distance - ahead >= nearest) return;
      [beside, nearest] = [outside, distance - ahead];
      best = { joint, point: ray.at(distance, new Vector3()), distance };
    };
    for (const { bone, shape } of this.shaped) {
      frame.fromArray(this.frames, 16 * bone.joint);
      from.set(...shape.from).applyMatrix4(frame);
      to.set(...shape.to).applyMatrix4(frame);
      meet(bone.joint, (t) => boneRadius(shape, t) * (shape.wide?.depth ?? 1), 0);
    }
    // Who presses on a joint means the joint, though the bone before it ends there as well.
    this.balls.forEach(({ radius }, joint) => {
      if (radius === 0) return;
      from.fromArray(this.frames, 16 * joint + 12);
      to.copy(from);
      meet(joint, () => radius, radius);
    });
    return best;
  }

  outline(): Float32Array {
    const points: number[] = [];
    const frame = new Matrix4();
    const at = new Vector3();
    for (const { bone, shape } of this.shaped) {
      frame.fromArray(this.frames, 16 * bone.joint);
      for (const [end, radius] of [[shape.from, shape.start], [shape.to, shape.end]] as const) {
        at.set(...end).applyMatrix4(frame);
        for (const r of [radius, -radius]) {
          points.push(at.x + r, at.y, at.z, at.x, at.y + r, at.z, at.x, at.y, at.z + r);
        }
      }
    }
    return new Float32Array(points);
  }

  paint(palette: Palette): void {
    this.material.repaint(palette);
    const tint = { left: palette.left, right: palette.right, middle: palette.bone };
    const color = new Color();
    this.each(this.colors.length / 3, (part, v) => {
      color.copy(part.ball ? palette.ball : tint[this.sides[part.joint]!]);
      color.toArray(this.colors, 3 * v);
    });
    this.pieces[0]!.geometry.getAttribute("color").needsUpdate = true;
  }

  dispose(): void {
    this.posed.dispose();
    this.pieces[0]!.geometry.dispose();
    this.material.dispose();
  }
}
