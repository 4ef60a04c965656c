// The figures of the scene that are not posed just now: drawn as they stand, and found under the pointer.

import { Group, type Ray } from "three";
import type { FigureInfo, OtherInfo } from "../../net/messages";
import type { App } from "../../state/app";
import type { Palette } from "../palette";
import type { Body } from "./body";
import { Capsules } from "./capsules";
import { Skin } from "./skin";
import { frameMatrices } from "./skinnedPiece";

interface Drawn {
  figure: number;
  mesh: boolean;
  body: Body;
  frames: Float32Array;
  fetching: AbortController;
}

export class OtherFigures {
  readonly group = new Group();
  private readonly drawn = new Map<number, Drawn>();

  constructor(
    private readonly app: App,
    private readonly palette: () => Palette,
    private readonly wake: () => void,
  ) {
    this.group.name = "figures";
    for (const event of ["state", "others", "ui"] as const) app.on(event, () => this.update());
  }

  /** Brings them up to date with what the server says. */
  update(): void {
    const others = this.app.state?.others ?? [];
    for (const [number, one] of this.drawn) {
      const info = others.find((other) => other.number === number);
      if (info?.figure === one.figure && one.mesh === this.app.ui.mesh) continue;
      this.drop(number);
    }
    for (const info of others) {
      const figure = this.app.otherFigures.get(info.figure);
      if (!figure) continue;
      const one = this.drawn.get(info.number) ?? this.build(info, figure);
      frameMatrices(info.positions, info.wxyz, one.frames);
      one.body.pose(one.frames);
    }
    this.wake();
  }

  private build(info: OtherInfo, figure: FigureInfo): Drawn {
    const body = new Capsules(figure, Float32Array.from(info.positions), Float32Array.from(info.wxyz), this.palette());
    const made: Drawn = {
      figure: info.figure,
      mesh: this.app.ui.mesh,
      body,
      frames: new Float32Array(16 * figure.joints.length),
      fetching: new AbortController(),
    };
    this.drawn.set(info.number, made);
    this.group.add(body.group);
    if (figure.mesh && this.app.ui.mesh) void this.dress(made, figure.id);
    return made;
  }

  /** Puts the skin in the place of the capsules once it is there. */
  private async dress(one: Drawn, figure: number): Promise<void> {
    try {
      const bytes = await this.app.mesh(figure, one.fetching.signal);
      const skin = new Skin(bytes, this.palette());
      skin.pose(one.frames);
      await skin.dress();
      if (one.fetching.signal.aborted) return skin.dispose();
      one.body.group.removeFromParent();
      one.body.dispose();
      one.body = skin;
      skin.paint(this.palette());
      this.group.add(skin.group);
      this.wake();
    } catch (error) {
      if (!one.fetching.signal.aborted) this.app.note(error instanceof Error ? error.message : String(error));
    }
  }

  /** The nearest of them on a ray in the figure's axes, and how far away it is. */
  pick(ray: Ray, slack: number): { number: number; distance: number } | null {
    let best: { number: number; distance: number } | null = null;
    for (const [number, { body }] of this.drawn) {
      const hit = body.pick(ray, slack);
      if (hit && hit.distance < (best?.distance ?? Infinity)) best = { number, distance: hit.distance };
    }
    return best;
  }

  /** Points on their surfaces. */
  outline(): Float32Array {
    return Float32Array.from([...this.drawn.values()].flatMap(({ body }) => [...body.outline()]));
  }

  paint(): void {
    for (const { body } of this.drawn.values()) body.paint(this.palette());
  }

  private drop(number: number): void {
    const one = this.drawn.get(number);
    one?.fetching.abort();
    one?.body.group.removeFromParent();
    one?.body.dispose();
    this.drawn.delete(number);
  }
}
