// A replay: poses from embedded bytes, between frames, and what it refuses.

import { describe, expect, it } from "vitest";
import { App } from "../../src/state/app";
import type { Replay } from "../../src/net/messages";
import { Clip, fromBase64, ReplayConnection } from "../../src/timeline/playing/replay";

const HALF = Math.SQRT1_2;
// One joint: at rest, then 2 along x and a quarter turn about z, written with the other sign.
const POSES = new Float32Array([0, 0, 0, 1, 0, 0, 0, 2, 0, 4, -HALF, 0, 0, -HALF]);

function base64(values: Float32Array): string {
  return btoa(String.fromCharCode(...new Uint8Array(values.buffer)));
}

const REPLAY = {
  format: "limbik replay 1",
  title: "wave",
  figure: { id: 3, joints: [{ name: "root" }] },
  mesh: null,
  fps: 24,
  frames: 2,
  loop: true,
  keys: [0, 1],
  poses: base64(POSES),
} as unknown as Replay;

describe("Clip", () => {
  const clip = new Clip(1, 2, POSES.buffer);

  it("has whole frames as they are", () => {
    expect([...clip.at(1).positions]).toEqual([2, 0, 4]);
    expect([...clip.at(0).wxyz]).toEqual([1, 0, 0, 0]);
    expect([...clip.at(7).positions]).toEqual([2, 0, 4]);
  });

  it("turns the short way between frames", () => {
    const { positions, wxyz } = clip.at(0.5);
    expect([...positions]).toEqual([1, 0, 2]);
    expect(wxyz[0]).toBeCloseTo(Math.cos(Math.PI / 8), 6);
    expect(wxyz[3]).toBeCloseTo(Math.sin(Math.PI / 8), 6);
  });

  it("refuses bytes that are not as many as it says", () => {
    expect(() => new Clip(2, 2, POSES.buffer)).toThrow("has 14 numbers and should have 28");
  });
});

it("reads base64", () => {
  expect([...new Uint8Array(fromBase64("AP+A"))]).toEqual([0, 255, 128]);
});

describe("ReplayConnection", () => {
  function started(): App {
    const app = new App();
    new ReplayConnection(app, REPLAY).start();
    return app;
  }

  it("feeds the app", () => {
    const app = started();
    expect(app.replay).toBe(true);
    expect(app.state?.timeline).toMatchObject({ fps: 24, frames: 2, loop: true, clip: "wave" });
    expect(app.state?.timeline.keys.map(({ frame }) => frame)).toEqual([0, 1]);
    app.scrub(0.5, true);
    expect(app.pose?.frame).toBe(0.5);
    expect([...(app.pose?.positions ?? [])]).toEqual([1, 0, 2]);
  });

  it("loops or not, shows skins, and changes nothing else", async () => {
    const app = started();
    await app.do("timeline.set", { loop: false });
    expect(app.state?.timeline.loop).toBe(false);
    await app.do("frames", { frames: [1] });
    expect(app.frames?.frames[0]?.positions[0]).toBe(2);
    await expect(app.do("pose.reset")).rejects.toThrow("cannot be changed");
    expect(app.ui.note).toContain("cannot be changed");
  });
});
