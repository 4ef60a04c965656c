// Playing: the frame of a moment, the end, the loop, and what is asked of the server.

import { describe, expect, it } from "vitest";
import { App } from "../../src/state/app";
import type { Connection } from "../../src/net/connection";
import type { State } from "../../src/net/messages";
import { stepBy } from "../../src/timeline/timelineActions";
import { firstFrame, frameAfter, Player } from "../../src/timeline/playing/player";

describe("frameAfter", () => {
  const once = { fps: 30, frames: 121, loop: false };
  const loop = { fps: 30, frames: 121, loop: true };

  it("goes on with time", () => {
    expect(frameAfter(10, 0.5, once)).toEqual({ frame: 25, ended: false });
    expect(frameAfter(0, 0.05, { ...once, fps: 24 }).frame).toBeCloseTo(1.2, 12);
  });

  it("ends on the last frame", () => {
    expect(frameAfter(100, 10, once)).toEqual({ frame: 120, ended: true });
    expect(frameAfter(0, 4, once)).toEqual({ frame: 120, ended: true });
  });

  it("loops, the last frame as long in view as any other", () => {
    expect(frameAfter(120, 0.5 / 30, loop)).toEqual({ frame: 120, ended: false });
    expect(frameAfter(120, 1.5 / 30, loop).frame).toBeCloseTo(0.5, 9);
    expect(frameAfter(0, (3 * 121 + 7) / 30, loop).frame).toBeCloseTo(7, 6);
  });

  it("stays where there is one frame", () => {
    expect(frameAfter(0, 3, { fps: 30, frames: 1, loop: true })).toEqual({ frame: 0, ended: false });
    expect(frameAfter(0, 3, { fps: 30, frames: 1, loop: false })).toEqual({ frame: 0, ended: true });
  });

  it("begins again from the end of what does not loop", () => {
    expect(firstFrame(120, once)).toBe(0);
    expect(firstFrame(119.5, once)).toBe(119.5);
    expect(firstFrame(120, loop)).toBe(120);
  });
});

describe("Player", () => {
  function playing(loop: boolean) {
    const app = new App();
    const asked: [number, boolean][] = [];
    const refreshes: (() => void)[] = [];
    const clock = { now: 0 };
    app.connection = {
      scrub: (frame: number, on: boolean) => asked.push([frame, on]),
    } as unknown as Connection;
    const timeline = { fps: 10, frames: 11, frame: 4, loop, span: 1, ease: "linear", keys: [], clip: null };
    app.state = { timeline } as unknown as State;
    new Player(app, () => clock.now, (f) => refreshes.push(f));
    const refresh = (at: number): void => {
      clock.now = at;
      refreshes.shift()?.();
    };
    return { app, asked, refresh, refreshes };
  }

  it("asks for the frame of each refresh and stops on a whole one", () => {
    const { app, asked, refresh, refreshes } = playing(true);
    app.set({ playing: true });
    refresh(20);
    refresh(160);
    expect(asked).toEqual([[4.2, true], [5.6, true]]);
    app.set({ playing: false });
    expect(asked.at(-1)).toEqual([6, false]);
    refresh(200);
    expect(asked).toHaveLength(3);
    expect(refreshes).toEqual([]);
  });

  it("ends by itself without a loop", () => {
    const { app, asked, refresh } = playing(false);
    app.set({ playing: true });
    refresh(500);
    refresh(700);
    expect(asked).toEqual([[9, true], [10, false]]);
    expect(app.ui.playing).toBe(false);
  });

  it("goes on from its frame when the rate changes", () => {
    const { app, asked, refresh } = playing(true);
    app.set({ playing: true });
    refresh(200);
    if (app.state) app.state = { ...app.state, timeline: { ...app.state.timeline, fps: 20 } };
    refresh(300);
    refresh(400);
    expect(asked).toEqual([[6, true], [6, true], [8, true]]);
  });
});

describe("stepping", () => {
  it("counts from the frame that was asked for, not from the one that has come", () => {
    const app = new App();
    const asked: number[] = [];
    app.connection = { scrub: (frame: number) => asked.push(frame), idle: false } as unknown as Connection;
    app.state = { timeline: { frames: 121, frame: 40, keys: [] } } as unknown as State;
    for (let press = 0; press < 3; press++) stepBy(app, -1);
    expect(asked).toEqual([39, 38, 37]);
    expect(app.frame).toBe(37);
  });
});
