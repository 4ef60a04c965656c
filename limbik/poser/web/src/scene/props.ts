// The props, drawn: boxes and balls, chairs made of boxes, and meshes from files.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  type Quaternion,
  SphereGeometry,
  type Vector3,
} from "three";
import type { App } from "../state/app";
import type { PropInfo, Vec3 } from "../net/messages";
import { readMesh } from "./figure/mesh";
import type { Palette } from "./palette";
import { propPlace } from "./propPlace";

const WOOD = new Color("#c2985f");

/** What a gesture shows before the server has said it. */
export interface Preview {
  id: number;
  position?: Vector3;
  quaternion?: Quaternion;
  size?: Vec3;
}

interface Drawn {
  group: Group;
  /** What it was made from; it is made anew where that changes. */
  made: string;
  size: Vec3;
  material: MeshStandardMaterial;
  edges: LineBasicMaterial;
}

export class PropsView {
  readonly group = new Group();
  /** What the hand shows now. */
  preview: Preview | null = null;
  /** Under the pointer. */
  over: number | null = null;
  private readonly drawn = new Map<number, Drawn>();

  constructor(
    private readonly app: App,
    private readonly wake: () => void,
  ) {
    this.group.name = "props";
  }

  /** Follows state, pose and selection. */
  update(palette: Palette): void {
    const { state, figure, pose, ui } = this.app;
    const props = state && figure && state.figure === figure.id ? state.scene.props : [];
    for (const [id, one] of this.drawn) if (!props.some((prop) => prop.id === id)) this.remove(id, one);
    for (const prop of props) {
      const one = this.drawnFor(prop);
      const place = propPlace(prop, pose);
      const shown = this.preview?.id === prop.id ? this.preview : null;
      one.group.position.copy((prop.holds.length === 0 && shown?.position) || place.position);
      one.group.quaternion.copy((prop.holds.length === 0 && shown?.quaternion) || place.quaternion);
      const size = shown?.size ?? prop.size;
      one.group.scale.set(...(size.map((edge, k) => edge / one.size[k]!) as Vec3));
      const lively = ui.prop === prop.id;
      const over = this.over === prop.id;
      one.edges.color.copy(lively ? palette.selected : over ? palette.hover : palette.bone.clone().multiplyScalar(0.5));
      one.edges.opacity = lively || over ? 1 : 0.55;
      one.material.emissive.copy(palette.selected).multiplyScalar(lively ? 0.12 : over ? 0.06 : 0);
    }
  }

  private drawnFor(prop: PropInfo): Drawn {
    const made = prop.mesh || JSON.stringify(prop.parts);
    const before = this.drawn.get(prop.id);
    if (before?.made === made) return before;
    if (before) this.remove(prop.id, before);
    const material = new MeshStandardMaterial({ color: WOOD, roughness: 0.75, metalness: 0 });
    const edges = new LineBasicMaterial({ transparent: true });
    const one: Drawn = { group: new Group(), made, size: prop.mesh ? [1, 1, 1] : prop.size, material, edges };
    if (prop.mesh) void this.fetchMesh(prop, one);
    else for (const part of prop.parts) one.group.add(...solid(part, material, edges));
    this.group.add(one.group);
    this.drawn.set(prop.id, one);
    return one;
  }

  private async fetchMesh(prop: PropInfo, one: Drawn): Promise<void> {
    try {
      const reply = await fetch(`prop/${encodeURIComponent(this.app.hello.session)}/${prop.id}`);
      if (!reply.ok) throw new Error(`The mesh of ${prop.name} could not be loaded: ${await reply.text()}`);
      for (const piece of readMesh(await reply.arrayBuffer())) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(piece.position, 3));
        geometry.setIndex(new BufferAttribute(piece.index, 1));
        geometry.computeVertexNormals();
        const [r, g, b] = piece.color;
        const plain = r === 1 && g === 1 && b === 1;
        const material = one.material.clone();
        if (!plain) material.color.setRGB(r, g, b);
        one.group.add(cast(new Mesh(geometry, material)));
      }
      // The box around it shows what counts for collisions, and what is selected.
      const box = new BoxGeometry(1, 1, 1);
      one.group.add(new LineSegments(new EdgesGeometry(box), one.edges));
      box.dispose();
    } catch (error) {
      this.app.note(error instanceof Error ? error.message : String(error));
    }
    this.wake();
  }

  private remove(id: number, one: Drawn): void {
    this.drawn.delete(id);
    one.group.removeFromParent();
    one.group.traverse((object) => {
      if (object instanceof Mesh || object instanceof LineSegments) object.geometry.dispose();
    });
    one.material.dispose();
    one.edges.dispose();
  }

  dispose(): void {
    for (const [id, one] of this.drawn) this.remove(id, one);
    this.group.removeFromParent();
  }
}

function cast(mesh: Mesh): Mesh {
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

function solid(part: PropInfo["parts"][number], material: MeshStandardMaterial, edges: LineBasicMaterial) {
  const [a, b, c] = part.half;
  const geometry = part.ball ? new SphereGeometry(a, 32, 20) : new BoxGeometry(2 * a, 2 * b, 2 * c);
  const mesh = cast(new Mesh(geometry, material));
  const lines = new LineSegments(new EdgesGeometry(geometry, 30), edges);
  for (const object of [mesh, lines]) object.position.set(...part.center);
  return [mesh, lines];
}
