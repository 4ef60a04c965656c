// Reads the bytes of a figure's mesh as the server sends them (see mesh_bytes.py there).

import type { MeshHeader, MeshImage } from "../../net/messages";

export interface MeshPiece {
  name: string;
  /** Red, green, blue, alpha; linear. */
  color: [number, number, number, number];
  /** Joint of every bone. */
  joints: number[];
  position: Float32Array; // vertices × 3
  normal: Float32Array | null; // vertices × 3
  uv: Float32Array | null; // vertices × 2
  index: Uint32Array; // triangles × 3
  bone: Uint16Array; // vertices × 4
  weight: Float32Array; // vertices × 4
  bind: Float32Array; // bones × 16, column-major
  image: Blob | null;
}

/** The pieces of a mesh; arrays are views into the bytes. */
export function readMesh(bytes: ArrayBuffer): MeshPiece[] {
  if (bytes.byteLength < 4) throw new Error(`A mesh of ${bytes.byteLength} bytes has no header.`);
  const length = new DataView(bytes).getUint32(0, true);
  if (4 + length > bytes.byteLength) {
    throw new Error(`A mesh of ${bytes.byteLength} bytes cannot have a header of ${length}.`);
  }
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as MeshHeader;
  const data = 4 + length;
  const floats = (at: number, count: number): Float32Array => new Float32Array(bytes, data + at, count);
  const images = new Map<number, Blob>(); // pieces may share a picture
  const picture = (at: MeshImage): Blob => {
    const content = new Uint8Array(bytes, data + at.offset, at.length);
    const blob = images.get(at.offset) ?? new Blob([content], { type: at.type });
    images.set(at.offset, blob);
    return blob;
  };
  return header.pieces.map((piece) => ({
    name: piece.name,
    color: piece.color,
    joints: piece.joints,
    position: floats(piece.position, 3 * piece.vertices),
    normal: piece.normal === null ? null : floats(piece.normal, 3 * piece.vertices),
    uv: piece.uv === null ? null : floats(piece.uv, 2 * piece.vertices),
    index: new Uint32Array(bytes, data + piece.index, 3 * piece.triangles),
    bone: new Uint16Array(bytes, data + piece.bone, 4 * piece.vertices),
    weight: floats(piece.weight, 4 * piece.vertices),
    bind: floats(piece.bind, 16 * piece.bones),
    image: piece.image === null ? null : picture(piece.image),
  }));
}

/** Where the vertices of a piece are for frames of joints (16 numbers each): vertices × 3 into `out`. */
export function placeVertices(piece: MeshPiece, frames: Float32Array, out: Float32Array): Float32Array {
  const bones = piece.joints.length;
  const matrices = new Float32Array(12 * bones); // the three upper rows of frame · bind, row by row
  for (let b = 0; b < bones; b++) {
    const f = 16 * piece.joints[b]!;
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 4; column++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += frames[f + 4 * k + row]! * piece.bind[16 * b + 4 * column + k]!;
        matrices[12 * b + 4 * row + column] = sum;
      }
    }
  }
  const { position, bone, weight } = piece;
  for (let v = 0; 3 * v < position.length; v++) {
    const [x, y, z] = [position[3 * v]!, position[3 * v + 1]!, position[3 * v + 2]!];
    let [px, py, pz] = [0, 0, 0];
    for (let k = 4 * v; k < 4 * v + 4; k++) {
      const w = weight[k]!;
      if (w === 0) continue;
      const m = 12 * bone[k]!;
      px += w * (matrices[m]! * x + matrices[m + 1]! * y + matrices[m + 2]! * z + matrices[m + 3]!);
      py += w * (matrices[m + 4]! * x + matrices[m + 5]! * y + matrices[m + 6]! * z + matrices[m + 7]!);
      pz += w * (matrices[m + 8]! * x + matrices[m + 9]! * y + matrices[m + 10]! * z + matrices[m + 11]!);
    }
    [out[3 * v], out[3 * v + 1], out[3 * v + 2]] = [px, py, pz];
  }
  return out;
}

/** The joint that moves a vertex most. */
export function leader(piece: MeshPiece, vertex: number): number {
  let best = 4 * vertex;
  for (let k = best + 1; k < 4 * vertex + 4; k++) if (piece.weight[k]! > piece.weight[best]!) best = k;
  return piece.joints[piece.bone[best]!]!;
}
