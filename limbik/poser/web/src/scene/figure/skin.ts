// A figure's own mesh, its vertices following the joints' frames.

import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Matrix4,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
  Vector3,
  type Ray,
} from "three";
import { BodyMaterial, type Body, type Hit } from "./body";
import { leader, placeVertices, readMesh, type MeshPiece } from "./mesh";
import type { Palette } from "../palette";
import { PosedPiece, type Piece } from "./skinnedPiece";

/** About so many vertices are enough to tell how far a mesh reaches. */
const OUTLINE = 4000;

interface Part {
  read: MeshPiece;
  piece: Piece;
  posed: PosedPiece;
  material: BodyMaterial;
  /** Where the vertices are, computed when somebody asks for them. */
  placed: Float32Array;
  fresh: boolean;
}

function geometryOf(read: MeshPiece): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(read.position, 3));
  if (read.uv) geometry.setAttribute("uv", new BufferAttribute(read.uv, 2));
  geometry.setAttribute("skinIndex", new BufferAttribute(read.bone, 4));
  geometry.setAttribute("skinWeight", new BufferAttribute(read.weight, 4));
  geometry.setIndex(new BufferAttribute(read.index, 1));
  if (read.normal) geometry.setAttribute("normal", new BufferAttribute(read.normal, 3));
  else geometry.computeVertexNormals();
  return geometry;
}

export class Skin implements Body {
  readonly group = new Group();
  readonly pieces: readonly Piece[];
  private readonly parts: Part[];
  private frames: Float32Array = new Float32Array();
  private hover: number | null = null;
  private selected: number | null = null;

  constructor(bytes: ArrayBuffer, palette: Palette) {
    this.parts = readMesh(bytes).map((read) => {
      const piece: Piece = {
        geometry: geometryOf(read),
        joints: read.joints,
        bind: read.joints.map((_, b) => new Matrix4().fromArray(read.bind, 16 * b)),
      };
      const material = new BodyMaterial(palette);
      material.roughness = 0.78;
      material.side = DoubleSide;
      material.opacity = read.color[3];
      material.transparent = read.color[3] < 1;
      const posed = new PosedPiece(piece, material);
      posed.mesh.castShadow = posed.mesh.receiveShadow = true;
      this.group.add(posed.mesh);
      return { read, piece, posed, material, placed: new Float32Array(read.position.length), fresh: false };
    });
    this.pieces = this.parts.map((part) => part.piece);
    this.paint(palette);
  }

  /** Decodes the pictures; pieces that share one share a texture.  Rejects with a sentence. */
  async dress(): Promise<void> {
    const made = new Map<Blob, Promise<Texture>>();
    await Promise.all(
      this.parts.map(async ({ read, material }) => {
        if (!read.image) return;
        const texture = made.get(read.image) ?? textureOf(read.image, read.name);
        made.set(read.image, texture);
        material.map = await texture;
        material.needsUpdate = true;
      }),
    );
  }

  pose(frames: Float32Array): void {
    this.frames = frames;
    for (const part of this.parts) {
      part.posed.pose(frames);
      part.fresh = false;
    }
  }

  setHighlight(joint: number | null): void {
    this.hover = joint;
    this.light();
  }

  setSelected(joint: number | null): void {
    this.selected = joint;
    this.light();
  }

  private light(): void {
    for (const { read, material } of this.parts) {
      const bone = (joint: number | null): number => (joint === null ? -1 : read.joints.indexOf(joint));
      material.light(bone(this.hover), bone(this.selected));
    }
  }

  outline(): Float32Array {
    const all = this.parts.reduce((sum, { read }) => sum + read.position.length / 3, 0);
    const step = Math.max(1, Math.floor(all / OUTLINE));
    const points: number[] = [];
    for (const part of this.parts) {
      const placed = this.place(part);
      for (let v = 0; 3 * v < placed.length; v += step) {
        points.push(placed[3 * v]!, placed[3 * v + 1]!, placed[3 * v + 2]!);
      }
    }
    return new Float32Array(points);
  }

  private place(part: Part): Float32Array {
    if (!part.fresh) placeVertices(part.read, this.frames, part.placed);
    part.fresh = true;
    return part.placed;
  }

  pick(ray: Ray): Hit | null {
    let best: Hit | null = null;
    const [a, b, c, at] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    for (const part of this.parts) {
      const { read } = part;
      const placed = this.place(part);
      for (let k = 0; k < read.index.length; k += 3) {
        const [i, j, l] = [read.index[k]!, read.index[k + 1]!, read.index[k + 2]!];
        a.fromArray(placed, 3 * i);
        b.fromArray(placed, 3 * j);
        c.fromArray(placed, 3 * l);
        if (!ray.intersectTriangle(a, b, c, false, at)) continue;
        const distance = at.distanceTo(ray.origin);
        if (best && distance >= best.distance) continue;
        const nearest = [a, b, c].map((corner) => corner.distanceToSquared(at));
        const corner = [i, j, l][nearest.indexOf(Math.min(...nearest))]!;
        best = { joint: leader(read, corner), point: at.clone(), distance };
      }
    }
    return best;
  }

  paint(palette: Palette): void {
    for (const { read, material } of this.parts) {
      material.repaint(palette);
      const [red, green, blue] = read.color;
      // White without a picture is a file that says nothing about its colour.
      const plain = !read.image && red > 0.99 && green > 0.99 && blue > 0.99;
      if (plain) material.color.copy(palette.skin);
      else material.color.setRGB(red, green, blue);
    }
  }

  dispose(): void {
    for (const { piece, posed, material } of this.parts) {
      material.map?.dispose();
      material.dispose();
      piece.geometry.dispose();
      posed.dispose();
    }
  }
}

async function textureOf(image: Blob, name: string): Promise<Texture> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(image, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
  } catch (error) {
    throw new Error(`The picture of the mesh "${name}" cannot be read; it is drawn without.`, { cause: error });
  }
  const texture = new Texture(bitmap);
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.flipY = false;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}
