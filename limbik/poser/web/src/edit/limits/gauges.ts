// Which joints show their gauges, kept in step with pose and limits.

import { Group } from "three";
import type { App } from "../../state/app";
import type { Limit } from "../../net/messages";
import type { HeldLimit } from "../../net/protocol";
import type { Stage } from "../../scene/stage";
import type { Colours } from "../colours";
import { Gauge } from "./gauge";

export class Gauges {
  readonly group = new Group();
  /** A limit that is being edited by its handles, before the server has it. */
  preview: { joint: number; limit: Limit } | null = null;
  private readonly gauges = new Map<number, Gauge>();
  private figure = -1;

  constructor(
    stage: Stage,
    private readonly app: App,
    public colours: Colours,
    /** Whether an effector is dragged: then only what holds it back is of interest. */
    private readonly busy: () => boolean,
  ) {
    stage.world.add(this.group);
  }

  /** The limit of a joint as it is drawn. */
  limitOf(joint: number): Limit | null {
    if (this.preview?.joint === joint) return this.preview.limit;
    return this.app.state?.limits[joint] ?? null;
  }

  of(joint: number): Gauge | undefined {
    return this.gauges.get(joint);
  }

  /** Whether the selected joint shows all of its gauge. */
  private get chosen(): boolean {
    return this.preview !== null || this.app.ui.tool === "limits" || (this.app.ui.gauges !== "holding" && !this.busy());
  }

  update(): void {
    const { figure, state, pose, ui } = this.app;
    if (figure?.id !== this.figure) {
      this.figure = figure?.id ?? -1;
      this.clear();
    }
    const ready = figure && state && pose && state.figure === figure.id;
    const held = new Map<number, HeldLimit[]>();
    const wanted = new Set<number>();
    if (ready) {
      for (const limit of pose.limits) {
        held.set(limit.joint, [...(held.get(limit.joint) ?? []), limit]);
        wanted.add(limit.joint);
      }
      if (ui.gauges === "all") state.limits.forEach((limit, joint) => limit && wanted.add(joint));
      if (ui.joint !== null && this.chosen) wanted.add(ui.joint);
    }
    for (const joint of [...this.gauges.keys()]) if (!wanted.has(joint)) this.drop(joint);
    if (!ready) return;
    for (const joint of wanted) {
      const limit = this.limitOf(joint);
      let gauge = this.gauges.get(joint);
      if (!gauge || !sameLimit(gauge.limit, limit)) {
        this.drop(joint);
        gauge = new Gauge(figure, joint, limit);
        this.gauges.set(joint, gauge);
        this.group.add(gauge.group);
      }
      gauge.pose(pose);
      const chosen = ui.joint === joint && this.chosen;
      gauge.paint(this.colours, held.get(joint) ?? [], ui.gauges !== "all" && !chosen, chosen);
    }
  }

  private drop(joint: number): void {
    this.gauges.get(joint)?.dispose();
    this.gauges.delete(joint);
  }

  private clear(): void {
    for (const joint of [...this.gauges.keys()]) this.drop(joint);
  }

  dispose(): void {
    this.clear();
    this.group.removeFromParent();
  }
}

export function sameLimit(one: Limit | null, other: Limit | null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
