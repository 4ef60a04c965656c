import { describe, expect, it, vi } from "vitest";
import { Color, Matrix4, Quaternion, Ray, Vector3 } from "three";
import type { FigureInfo, JointInfo, Vec3 } from "../../src/net/messages";
import { ballsOf, join, shapes, type Shaped } from "../../src/scene/figure/bones";
import { Capsules, shared } from "../../src/scene/figure/capsules";
import { boneRadii, visibleBones } from "../../src/scene/figure/boneRadii";
import { onionOpacity, ranked } from "../../src/scene/figure/ghosts";
import { leader, placeVertices, readMesh } from "../../src/scene/figure/mesh";
import type { Palette } from "../../src/scene/palette";
import { frameMatrices } from "../../src/scene/figure/skinnedPiece";
import { Quality } from "../../src/scene/quality";
import { addBone, basis, boneRadius, type Surface } from "../../src/scene/figure/shapes";

const PART = { kind: "turn" as const, axis: [0, 0, 1] as Vec3, coordinate: 0, scale: 1, shift: 0, driver: 0 };

function joint(name: string, parent: number, offset: Vec3, role = ""): JointInfo {
  return { name, role, parent, kind: "", first: 0, count: 1, offset, wxyz: [1, 0, 0, 0], parts: [PART], axes: [] };
}

function figure(joints: JointInfo[], bones: FigureInfo["bones"]): FigureInfo {
  return {
    id: 1, name: "", unit: "m", up: "y", size: 2, floor: 0, joints, coordinates: [], bones, mesh: false,
    clips: [], file: "", builtin: "", mirrors: false, limbs: [],
  };
}

describe("frameMatrices", () => {
  it("is what three.js makes of the same position and quaternion", () => {
    const turn = new Quaternion(0.3, -0.5, 0.7, 0.2).normalize();
    const out = frameMatrices(
      [1, 2, 3, -4, 5, 6],
      [1, 0, 0, 0, turn.w, turn.x, turn.y, turn.z],
      new Float32Array(32),
    );
    expect([...out.subarray(0, 16)]).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]);
    const expected = new Matrix4().compose(new Vector3(-4, 5, 6), turn, new Vector3(1, 1, 1)).elements;
    expected.forEach((value, k) => expect(out[16 + k]).toBeCloseTo(value, 6));
  });
});

const limb = figure(
  [joint("Upper", -1, [0, 0, 0]), joint("Lower", 0, [1, 0, 0])],
  [
    { joint: 0, from: [0, 0, 0], to: [1, 0, 0], radius: 0.1 },
    { joint: 1, from: [0, 0, 0], to: [0.8, 0, 0], radius: 0.06 },
  ],
);

describe("bones", () => {
  it("fit the ball at the joint they meet in, and end where they should", () => {
    const balls = ballsOf(limb, boneRadii(limb));
    expect(balls[1]).toEqual({ radius: 0.8 * 0.06, shown: true, trunk: false });
    const [upper, lower] = shapes(limb, boneRadii(limb), balls);
    expect(upper!.shape.end).toBeLessThan(balls[1]!.radius);
    expect(upper!.shape.belly).toBe(0.1);
    expect(upper!.end).toBe(1);
    // A free end is rounded off before its tip.
    expect(lower!.shape.to[0] + lower!.shape.end).toBeCloseTo(0.8, 12);
  });

  it("are closed surfaces whose normals point outwards", () => {
    const [{ shape }] = shapes(limb, boneRadii(limb), ballsOf(limb, boneRadii(limb))) as [Shaped];
    const surface: Surface = { positions: [], normals: [], indices: [], shares: [] };
    addBone(surface, shape);
    let volume = 0;
    const corner = (i: number): Vector3 => new Vector3().fromArray(surface.positions, 3 * surface.indices[i]!);
    for (let i = 0; i < surface.indices.length; i += 3) {
      const [a, b, c] = [corner(i), corner(i + 1), corner(i + 2)];
      volume += a.dot(b.clone().cross(c)) / 6;
      const face = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
      const normal = new Vector3().fromArray(surface.normals, 3 * surface.indices[i]!);
      expect(face.dot(normal)).toBeGreaterThan(0.5);
    }
    // Between the cylinders of its thinnest and its fullest radius.
    expect(volume).toBeGreaterThan(Math.PI * 0.04 ** 2);
    expect(volume).toBeLessThan(Math.PI * 0.1 ** 2 * 1.2);
  });

  it("are fullest in their upper half", () => {
    const shape = { start: 0.5, belly: 1, end: 0.4 };
    expect([boneRadius(shape, 0), boneRadius(shape, 0.34), boneRadius(shape, 1)]).toEqual([0.5, 1, 0.4]);
    expect(boneRadius(shape, 0.5)).toBeLessThan(1);
  });

  it("stand at right angles to each other in a basis", () => {
    for (const along of [[0, 0, 1], [1, 2, 3], [-1, 0, 0.001]] as Vec3[]) {
      const [x, y, z] = basis(along, [0, 1, 0]).map((v) => new Vector3(...v)) as [Vector3, Vector3, Vector3];
      expect(x.clone().cross(y).distanceTo(z)).toBeLessThan(1e-12);
      expect(z.angleTo(new Vector3(...along))).toBeLessThan(1e-7);
    }
  });

  it("of a trunk run into each other, and share the vertices between them", () => {
    const trunk = figure(
      [
        joint("Root", -1, [0, 0, 0]),
        joint("Hips", 0, [0, 1, 0], "hips"),
        joint("Spine", 1, [0, 0.2, 0], "spine"),
        joint("Chest", 2, [0, 0.2, 0], "upper chest"),
        joint("Neck", 3, [0, 0.2, 0], "neck"),
      ],
      [
        { joint: 0, from: [0, 0, 0], to: [0, 1, 0], radius: 0.1 },
        { joint: 1, from: [0, 0, 0], to: [0, 0.2, 0], radius: 0.12 },
        { joint: 2, from: [0, 0, 0], to: [0, 0.2, 0], radius: 0.12 },
        { joint: 3, from: [0, 0, 0], to: [0, 0.2, 0], radius: 0.13 },
      ],
    );
    const bones = visibleBones(trunk);
    expect(bones.map((bone) => bone.joint)).toEqual([1, 2, 3]); // not the post below the hips
    const body = { ...trunk, bones };
    const balls = ballsOf(body, boneRadii(body));
    expect(balls.slice(0, 4).map((ball) => ball.shown)).toEqual([false, false, false, false]);
    const joined = join(shapes(body, boneRadii(body), balls));
    expect(joined.map(({ shape }) => shape.joins)).toEqual([
      { start: false, end: true },
      { start: true, end: true },
      { start: true, end: false },
    ]);
    expect(joined[0]!.shape.end).toBe(joined[1]!.shape.start);
    expect(joined[1]!.shape.end).toBe(joined[2]!.shape.start);
    expect(shared(0)).toEqual([0.5, 0]);
    expect(shared(1)).toEqual([0, 0.5]);
    expect(shared(0.5)).toEqual([0, 0]);
  });

  it("of a head are round up to their end, also where a joint stands there", () => {
    const head = figure(
      [joint("Neck", -1, [0, 0, 0], "neck"), joint("Head", 0, [0, 0.1, 0], "head"), joint("HeadEnd", 1, [0, 0.17, 0])],
      [
        { joint: 0, from: [0, 0, 0], to: [0, 0.1, 0], radius: 0.05 },
        { joint: 1, from: [0, 0, 0], to: [0, 0.17, 0], radius: 0.09 },
        { joint: 2, from: [0, 0, 0], to: [0, 0, 0], radius: 0.015 },
      ],
    );
    const shape = shapes(head, boneRadii(head), ballsOf(head, boneRadii(head)))[1]!.shape;
    expect(shape.egg).toBe(true);
    expect(shape.end).toBeGreaterThan(0.05);
  });

  it("grow where many begin together", () => {
    const knuckles: Vec3[] = [[0, 0, 1], [0.3, 0, 1], [0.6, 0, 1], [0.9, 0, 1]];
    const palm = figure(
      [joint("Wrist", -1, [0, 0, 0]), ...knuckles.map((at, k) => joint(`F${k}`, 0, at))],
      knuckles.map((to) => ({ joint: 0, from: [0, 0, 0], to, radius: 0.15 })),
    );
    for (const radius of boneRadii(palm)) expect(radius).toBeCloseTo(0.8 * 0.3, 12);
  });
});

describe("meshes", () => {
  function bytes(): ArrayBuffer {
    const header = JSON.stringify({
      pieces: [
        {
          name: "one", color: [1, 0.5, 0, 1], vertices: 3, triangles: 1, bones: 2, joints: [1, 0],
          position: 0, normal: null, uv: null, index: 36, bone: 48, weight: 72, bind: 120,
          image: { offset: 248, length: 3, type: "image/png" },
        },
      ],
    });
    const head = header.padEnd(Math.ceil(header.length / 4) * 4);
    const data = new ArrayBuffer(4 + head.length + 252);
    new DataView(data).setUint32(0, head.length, true);
    new Uint8Array(data, 4).set(new TextEncoder().encode(head));
    const at = 4 + head.length;
    new Float32Array(data, at, 9).set([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    new Uint32Array(data, at + 36, 3).set([0, 1, 2]);
    new Uint16Array(data, at + 48, 12).set([0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]);
    new Float32Array(data, at + 72, 12).set([1, 0, 0, 0, 1, 0, 0, 0, 0.25, 0.75, 0, 0]);
    const bind = new Float32Array(data, at + 120, 32);
    new Matrix4().makeTranslation(0, 0, -1).toArray(bind, 0);
    new Matrix4().makeScale(2, 2, 2).toArray(bind, 16);
    new Uint8Array(data, at + 248, 3).set([1, 2, 3]);
    return data;
  }

  it("are read as they were written", async () => {
    const [piece] = readMesh(bytes());
    expect(piece!.joints).toEqual([1, 0]);
    expect([...piece!.index]).toEqual([0, 1, 2]);
    expect(piece!.normal).toBeNull();
    expect(piece!.image!.type).toBe("image/png");
    expect([...new Uint8Array(await piece!.image!.arrayBuffer())]).toEqual([1, 2, 3]);
    expect(() => readMesh(new ArrayBuffer(2))).toThrow("2 bytes");
  });

  it("follow the frames: Σ w · frame · bind · v", () => {
    const [piece] = readMesh(bytes());
    const half = Math.SQRT1_2; // joint 0 turned by 90° about z and moved, joint 1 moved along x
    const frames = frameMatrices([0, 10, 0, 5, 0, 0], [half, 0, 0, half, 1, 0, 0, 0], new Float32Array(32));
    const placed = placeVertices(piece!, frames, new Float32Array(9));
    // Vertex 0: bone 0 is joint 1: (0, 0, 0) − z, + 5x.
    [5, 0, -1].forEach((value, k) => expect(placed[k]).toBeCloseTo(value, 6));
    // Vertex 1: bone 1 is joint 0: (2, 0, 0) turned to (0, 2, 0), + 10y.
    [0, 12, 0].forEach((value, k) => expect(placed[3 + k]).toBeCloseTo(value, 5));
    // Vertex 2: a quarter of (5, 1, −1) and three quarters of (−2, 10, 0).
    [-0.25, 7.75, -0.25].forEach((value, k) => expect(placed[6 + k]).toBeCloseTo(value, 5));
    expect([leader(piece!, 0), leader(piece!, 1), leader(piece!, 2)]).toEqual([1, 0, 0]);
  });
});

describe("onion skins", () => {
  it("are ranked from the frame that is shown, which is left out", () => {
    const frames = [2, 9, 5, 4, 7].map((frame) => ({ frame }));
    const order = ranked(frames, 5).map(({ frame, rank, after }) => [frame.frame, rank, after]);
    expect(order).toEqual([[4, 0, false], [2, 1, false], [7, 0, true], [9, 1, true]]);
    expect(onionOpacity(1)).toBeLessThan(onionOpacity(0));
  });
});

describe("Quality", () => {
  it("becomes coarser after several slow frames in a row, and no sooner", () => {
    const quality = new Quality(false);
    const frame = (waited: number): boolean => quality.frame(waited, 2);
    for (let k = 0; k < 20; k++) expect(frame(16)).toBe(false);
    for (let k = 0; k < 20; k++) expect(frame(k % 2 ? 10 : 60)).toBe(false); // a hiccup now and then
    for (let k = 0; k < 20; k++) expect(frame(60_000)).toBe(false); // a tab that slept
    expect(quality.ratio(3)).toBe(2);
    const dropped = Array.from({ length: 6 }, () => frame(40));
    expect(dropped).toEqual([false, false, false, false, false, true]);
    expect(quality.ratio(3)).toBe(1);
    for (let k = 0; k < 30; k++) frame(40);
    expect(quality.level).toBe(2); // slow, but not hopeless
    for (let k = 0; k < 30; k++) frame(200);
    expect(quality.ratio(3)).toBe(0.6);
  });

  it("draws finely again once nothing moves", () => {
    vi.useFakeTimers();
    const quality = new Quality(false);
    quality.level = 1;
    const wake = vi.fn();
    quality.settle(true, wake);
    vi.advanceTimersByTime(5000);
    expect(wake).not.toHaveBeenCalled();
    quality.settle(false, wake);
    vi.advanceTimersByTime(5000);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(quality.ratio(2)).toBe(2);
    quality.settle(false, wake); // the fine frame itself wakes nobody
    vi.advanceTimersByTime(5000);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(quality.ratio(2)).toBe(1);
    vi.useRealTimers();
  });

  it("keeps one resolution without a graphics card, and never sharpens it again", () => {
    vi.useFakeTimers();
    const quality = new Quality(true);
    const wake = vi.fn();
    const ratios: number[] = [];
    for (const waited of [16, 60, 120, 16, 200]) {
      quality.frame(waited, 2);
      ratios.push(quality.ratio(2));
      quality.settle(false, wake);
      vi.advanceTimersByTime(5000);
      ratios.push(quality.ratio(2));
    }
    expect(new Set(ratios)).toEqual(new Set([1]));
    expect(wake).not.toHaveBeenCalled();
    for (let k = 0; k < 12; k++) quality.frame(400, 2); // far too slow: once coarser, for good
    expect(quality.ratio(2)).toBe(0.75);
    for (let k = 0; k < 50; k++) quality.frame(5, 2);
    expect(quality.ratio(2)).toBe(0.75);
    vi.useRealTimers();
  });
});

describe("Capsules", () => {
  const grey = (): Color => new Color("#888888");
  const palette: Palette = {
    dark: false, top: grey(), bottom: grey(), floor: grey(), grid: grey(), gridStrong: grey(), shadow: grey(),
    bone: grey(), left: grey(), right: grey(), ball: grey(), hover: grey(), selected: grey(), skin: grey(),
    ghost: grey(), before: grey(), after: grey(), axes: [grey(), grey(), grey()],
  };
  const positions = [0, 0, 0, 1, 0, 0];
  const wxyz = [1, 0, 0, 0, 1, 0, 0, 0];
  const body = new Capsules(limb, positions, wxyz, palette);
  // Lifted by 3 and the forearm turned up by 90 degrees about z.
  const half = Math.SQRT1_2;
  body.pose(frameMatrices([0, 3, 0, 1, 3, 0], [1, 0, 0, 0, half, 0, 0, half], new Float32Array(32)));
  const down = (x: number, y: number): Ray => new Ray(new Vector3(x, y, 10), new Vector3(0, 0, -1));

  it("are hit where the pose has them", () => {
    const upper = body.pick(down(0.4, 3.02), 0);
    expect(upper?.joint).toBe(0);
    expect(upper?.point.z).toBeGreaterThan(0.08);
    expect(upper?.point.z).toBeLessThan(0.1);
    expect(upper?.distance).toBeCloseTo(10 - upper!.point.z, 6);
    expect(body.pick(down(1, 3.5), 0)?.joint).toBe(1);
    expect(body.pick(down(1.5, 3), 0)).toBeNull(); // where the forearm was before
  });

  it("give the joint that is pressed on, exactly in its middle as well", () => {
    expect(body.pick(down(1, 3), 0)?.joint).toBe(1);
    expect(body.pick(down(0, 3), 0)?.joint).toBe(0);
  });

  it("are hit a few pixels beside as well", () => {
    expect(body.pick(down(0.4, 3.15), 0)).toBeNull();
    expect(body.pick(down(0.4, 3.15), 0.01)?.joint).toBe(0);
  });

  it("reach as far as their ends", () => {
    const points = body.outline();
    let highest = -Infinity;
    for (let i = 1; i < points.length; i += 3) highest = Math.max(highest, points[i]!);
    expect(highest).toBeCloseTo(3.8, 5);
  });
});
