// Chooses what the figure is drawn as (its skin where it has one and it is wanted, else capsules) and
// lets body and ghosts follow the poses.

import type { Group } from "three";
import type { App } from "../../state/app";
import type { Body } from "./body";
import { Capsules } from "./capsules";
import type { Ghosts } from "./ghosts";
import type { Palette } from "../palette";
import { frameMatrices } from "./skinnedPiece";
import { Skin } from "./skin";

/** A skin that is slower than this to arrive is announced by capsules; ms. */
const PATIENCE = 700;

interface Surroundings {
  palette(): Palette;
  /** Another body has taken the place of the last. */
  changed(): void;
  /** Something looks different. */
  wake(): void;
}

export class Figures {
  body: Body | null = null;
  private capsules: Capsules | null = null;
  private skin: Skin | null = null;
  private frames: Float32Array = new Float32Array();
  private made = "";
  private fetching: AbortController | null = null;
  private awaited = false;
  private hover: number | null = null;

  constructor(
    private readonly app: App,
    private readonly world: Group,
    private readonly ghosts: Ghosts,
    private readonly stage: Surroundings,
  ) {}

  setHighlight(joint: number | null): void {
    this.hover = joint;
    this.body?.setHighlight(joint);
  }

  /** A new pose has come: build what is missing, and move. */
  follow(): void {
    const { figure, pose } = this.app;
    if (!figure || !pose) return;
    const size = 16 * figure.joints.length;
    if (this.frames.length !== size) this.frames = new Float32Array(size);
    frameMatrices(pose.positions, pose.wxyz, this.frames);
    // Limits may change without the figure looking any different: then it is not built again.
    const looks = JSON.stringify([figure.file, figure.builtin, figure.mesh, figure.bones, figure.joints.length]);
    if (looks !== this.made) {
      this.made = looks;
      this.build();
    }
    this.body?.pose(this.frames);
  }

  /** What depends on the page: skin or capsules, what is selected, which ghosts are shown. */
  refresh(): void {
    const { ui, pose, frames } = this.app;
    if (ui.mesh && this.skin) this.show(this.skin);
    else if (!ui.mesh || !this.awaited) this.show(this.capsules);
    this.body?.setSelected(ui.joint);
    this.ghosts.compare(pose?.ghost ?? null);
    this.ghosts.skins(ui.onion && !ui.playing ? frames : null, pose?.frame ?? 0);
  }

  dispose(): void {
    this.fetching?.abort();
    this.ghosts.copy(null);
    this.show(null);
    this.capsules?.dispose();
    this.skin?.dispose();
    this.capsules = this.skin = null;
    this.awaited = false;
  }

  private build(): void {
    this.dispose();
    const { figure, pose, ui } = this.app;
    if (!figure || !pose) return;
    this.capsules = new Capsules(figure, pose.positions, pose.wxyz, this.stage.palette());
    this.capsules.pose(this.frames);
    if (figure.mesh) void this.load(figure.id);
    if (!this.awaited || !ui.mesh) this.show(this.capsules);
  }

  /** Fetch the mesh; where it is long in coming or cannot be had, there are capsules. */
  private async load(figure: number): Promise<void> {
    const asked = new AbortController();
    this.fetching = asked;
    this.awaited = true;
    const settle = (): void => {
      if (asked.signal.aborted) return;
      this.awaited = false;
      this.refresh();
      this.stage.wake();
    };
    const patience = setTimeout(settle, PATIENCE);
    try {
      const bytes = await this.app.mesh(figure, asked.signal);
      if (asked.signal.aborted) return;
      const skin = new Skin(bytes, this.stage.palette());
      this.skin = skin;
      skin.pose(this.frames);
      settle();
      await skin.dress();
      settle();
    } catch (error) {
      if (asked.signal.aborted) return;
      this.app.note(error instanceof Error ? error.message : String(error));
      settle();
    } finally {
      clearTimeout(patience);
    }
  }

  private show(body: Body | null): void {
    if (body === this.body) return;
    this.body?.group.removeFromParent();
    this.body = body;
    this.ghosts.copy(body);
    if (!body) return;
    body.paint(this.stage.palette());
    body.pose(this.frames);
    body.setHighlight(this.hover);
    this.world.add(body.group);
    this.stage.changed();
  }
}
