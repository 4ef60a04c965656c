// Signs of effectors on one spot: clicks go from one to the next below, and a press takes that one.

import { describe, expect, it } from "vitest";
import { Picking } from "../../src/edit/picking";
import { stacksOf } from "../../src/edit/stacks";
import type { App } from "../../src/state/app";

const HEAD = 5;
const HIPS = 6;
const FOOT = 7;

/** Picking in a view from above, where the head is before the hips and a foot is elsewhere. */
function above(): { app: App; picking: Picking } {
  const effectors = [HEAD, HIPS, FOOT].map((id) => ({ id, joint: 10 * id }));
  const app = { ui: { effector: HEAD }, figure: { id: 1 }, pose: {}, state: { figure: 1, effectors, fk: [] } } as unknown as App;
  const none = { hit: () => false, distance: () => Infinity };
  const targets = {
    hit: (x: number) => ({ effector: x < 50 ? HEAD : FOOT, pixels: 0 }),
    under: (x: number) => (x < 50 ? [HEAD, HIPS] : [FOOT]),
  };
  const parts = [{}, app, {}, targets, none, none, none, {}] as unknown as ConstructorParameters<typeof Picking>;
  return { app, picking: new Picking(...parts) };
}

describe("signs on one spot", () => {
  it("are chosen one after the other", () => {
    const { app, picking } = above();
    expect(picking.next(20, 20, "mouse")).toBe(HIPS);
    app.ui.effector = HIPS;
    expect(picking.next(20, 20, "mouse")).toBe(HEAD);
  });

  it("are dragged as they were chosen, on that spot and while selected", () => {
    const { app, picking } = above();
    app.ui.effector = picking.next(20, 20, "mouse");
    expect(picking.at(21, 20, "mouse")).toMatchObject({ kind: "effector", effector: HIPS });
    expect(picking.at(30, 20, "mouse")).toMatchObject({ effector: HEAD });
    app.ui.effector = HEAD;
    expect(picking.at(21, 20, "mouse")).toMatchObject({ effector: HEAD });
  });

  it("have nothing below them where they are alone", () => {
    const { app, picking } = above();
    app.ui.effector = FOOT;
    expect(picking.next(90, 20, "mouse")).toBeNull();
    app.ui.effector = null;
    expect(picking.next(20, 20, "mouse")).toBeNull();
  });
});

describe("stacks of signs", () => {
  const sign = (id: number, x: number, y: number, depth: number) => ({ id, x, y, depth });

  it("have the nearest to the eye first, and leave out signs that lie alone", () => {
    const signs = [sign(HIPS, 100, 80, 4), sign(FOOT, 130, 80, 5), sign(HEAD, 101, 82, 3)];
    expect(stacksOf(signs)).toEqual([[HEAD, HIPS]]);
  });

  it("count each sign once", () => {
    const row = [sign(1, 0, 0, 1), sign(2, 6, 0, 2), sign(3, 12, 0, 3), sign(4, 17, 0, 4)];
    expect(stacksOf(row)).toEqual([[1, 2], [3, 4]]);
  });
});
