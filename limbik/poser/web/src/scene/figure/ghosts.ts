// Translucent copies of the figure: what the compared method found, and the poses before and after.

import { type Color, Group, MeshBasicMaterial } from "three";
import type { Ghost as GhostPose, Frames } from "../../net/protocol";
import type { Body } from "./body";
import type { Palette } from "../palette";
import { frameMatrices, PosedPiece } from "./skinnedPiece";

// Stronger at the outline than in the middle, like glass, so that the solid figure stays readable.
const RIM = /* glsl */ `
#include <opaque_fragment>
float edge = 1.0 - abs(dot(normalize(vGhostNormal), normalize(vGhostView)));
gl_FragColor.a = opacity * mix(0.2, 1.0, edge * edge);
`;

function glass(): MeshBasicMaterial {
  const material = new MeshBasicMaterial({ transparent: true, depthWrite: false });
  // A ghost in the pose of the solid figure stays behind it instead of flickering through.
  material.polygonOffset = true;
  material.polygonOffsetFactor = material.polygonOffsetUnits = 1;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vGhostNormal;\nvarying vec3 vGhostView;")
      .replace(
        "#include <project_vertex>",
        "#include <project_vertex>\nvGhostNormal = transformedNormal;\nvGhostView = -mvPosition.xyz;",
      );
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vGhostNormal;\nvarying vec3 vGhostView;")
      .replace("#include <opaque_fragment>", RIM);
  };
  return material;
}

/** One copy of a body.  Its depth is drawn first, so that only its outermost surface shows. */
export class Ghost {
  readonly group = new Group();
  readonly material = glass();
  private readonly depth = new MeshBasicMaterial({ colorWrite: false });
  private readonly posed: PosedPiece[] = [];
  private frames: Float32Array = new Float32Array();

  constructor(body: Body, order: number) {
    this.depth.polygonOffset = true;
    // A little further away than the glass: two shaders need not agree on the last bit of a depth.
    this.depth.polygonOffsetFactor = this.depth.polygonOffsetUnits = 3;
    this.depth.transparent = true; // after the solid figure, together with the glass
    for (const piece of body.pieces) {
      for (const [k, material] of [this.depth, this.material].entries()) {
        const posed = new PosedPiece(piece, material);
        posed.mesh.renderOrder = order + 0.1 * k;
        this.posed.push(posed);
        this.group.add(posed.mesh);
      }
    }
  }

  pose(positions: Float32Array, wxyz: Float32Array): void {
    const size = 16 * (positions.length / 3);
    if (this.frames.length !== size) this.frames = new Float32Array(size);
    frameMatrices(positions, wxyz, this.frames);
    for (const posed of this.posed) posed.pose(this.frames);
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const posed of this.posed) posed.dispose();
    this.material.dispose();
    this.depth.dispose();
  }
}

/** Opacity of an onion skin: the nearest frames are clearest. */
export function onionOpacity(rank: number): number {
  return 0.5 * 0.72 ** rank;
}

/** Frames before and after `now`, nearest first; the one shown now is left out. */
export function ranked<T extends { frame: number }>(
  frames: readonly T[],
  now: number,
): { frame: T; rank: number; after: boolean }[] {
  const before = frames.filter((f) => f.frame < now - 1e-6).sort((a, b) => b.frame - a.frame);
  const after = frames.filter((f) => f.frame > now + 1e-6).sort((a, b) => a.frame - b.frame);
  return [
    ...before.map((frame, rank) => ({ frame, rank, after: false })),
    ...after.map((frame, rank) => ({ frame, rank, after: true })),
  ];
}

export class Ghosts {
  /** In the figure's axes and unit. */
  readonly group = new Group();
  private body: Body | null = null;
  private compared: Ghost | null = null;
  private onion: Ghost[] = [];
  private palette: Palette | null = null;

  /** Ghosts are copies of this body from now on. */
  copy(body: Body | null): void {
    this.clear();
    this.body = body;
  }

  /** The pose of the compared method, or none. */
  compare(pose: GhostPose | null): void {
    if (!pose || !this.body) {
      this.compared?.dispose();
      this.compared = null;
      return;
    }
    if (!this.compared) {
      this.compared = new Ghost(this.body, 1);
      this.group.add(this.compared.group);
      this.tint();
    }
    this.compared.pose(pose.positions, pose.wxyz);
  }

  /** Onion skins around the frame that is shown, or none. */
  skins(frames: Frames | null, now: number): void {
    const shown = this.body && frames ? ranked(frames.frames, now) : [];
    while (this.onion.length > shown.length) this.onion.pop()!.dispose();
    while (this.body && this.onion.length < shown.length) {
      const ghost = new Ghost(this.body, 2 + this.onion.length);
      this.onion.push(ghost);
      this.group.add(ghost.group);
    }
    shown.forEach(({ frame, rank, after }, k) => {
      const ghost = this.onion[k]!;
      ghost.pose(frame.positions, frame.wxyz);
      ghost.material.opacity = onionOpacity(rank);
      ghost.material.userData["after"] = after;
    });
    this.tint();
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.tint();
  }

  private tint(): void {
    if (!this.palette) return;
    const { ghost, before, after } = this.palette;
    const set = (material: MeshBasicMaterial, color: Color): void => void material.color.copy(color);
    if (this.compared) {
      set(this.compared.material, ghost);
      this.compared.material.opacity = 0.6;
    }
    for (const { material } of this.onion) set(material, material.userData["after"] ? after : before);
  }

  private clear(): void {
    this.compared?.dispose();
    this.compared = null;
    for (const ghost of this.onion) ghost.dispose();
    this.onion = [];
  }
}
