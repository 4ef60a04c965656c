// World frames of joints as matrices, and meshes that follow them.

import { Bone, DetachedBindMode, Matrix4, Skeleton, SkinnedMesh } from "three";
import type { BufferGeometry, Material } from "three";

/** Column-major 4×4 matrices (16 numbers a joint) from positions (N×3) and quaternions w x y z (N×4). */
export function frameMatrices(
  positions: ArrayLike<number>,
  wxyz: ArrayLike<number>,
  out: Float32Array,
): Float32Array {
  const joints = out.length / 16;
  for (let i = 0; i < joints; i++) {
    const w = wxyz[4 * i]!;
    const x = wxyz[4 * i + 1]!;
    const y = wxyz[4 * i + 2]!;
    const z = wxyz[4 * i + 3]!;
    const o = 16 * i;
    out[o] = 1 - 2 * (y * y + z * z);
    out[o + 1] = 2 * (x * y + w * z);
    out[o + 2] = 2 * (x * z - w * y);
    out[o + 4] = 2 * (x * y - w * z);
    out[o + 5] = 1 - 2 * (x * x + z * z);
    out[o + 6] = 2 * (y * z + w * x);
    out[o + 8] = 2 * (x * z + w * y);
    out[o + 9] = 2 * (y * z - w * x);
    out[o + 10] = 1 - 2 * (x * x + y * y);
    out[o + 12] = positions[3 * i]!;
    out[o + 13] = positions[3 * i + 1]!;
    out[o + 14] = positions[3 * i + 2]!;
    out[o + 15] = 1;
  }
  return out;
}

/** A surface bound to joints: bone b of its vertices is joint joints[b], after bind[b]. */
export interface Piece {
  geometry: BufferGeometry;
  joints: readonly number[];
  bind: Matrix4[];
}

/** A piece drawn in some pose.  Its parent group has the figure's axes and unit. */
export class PosedPiece {
  readonly mesh: SkinnedMesh;
  private readonly skeleton: Skeleton;

  constructor(
    readonly piece: Piece,
    material: Material,
  ) {
    const bones = piece.joints.map(() => new Bone());
    this.skeleton = new Skeleton(bones, piece.bind);
    this.mesh = new SkinnedMesh(piece.geometry, material);
    // The bones are in no scene: their "world" is the figure's, and the mesh's own matrix does the rest.
    this.mesh.bindMode = DetachedBindMode;
    this.mesh.bind(this.skeleton, new Matrix4());
    // Where a skinned mesh really is, its bounds at rest do not tell.
    this.mesh.frustumCulled = false;
  }

  /** Follow the joints' frames (16 numbers a joint, see frameMatrices). */
  pose(frames: Float32Array): void {
    this.piece.joints.forEach((joint, b) => {
      this.skeleton.bones[b]!.matrixWorld.fromArray(frames, 16 * joint);
    });
  }

  /** Gives back what the graphics card holds of the skeleton; the geometry belongs to the piece. */
  dispose(): void {
    this.skeleton.dispose();
  }
}
