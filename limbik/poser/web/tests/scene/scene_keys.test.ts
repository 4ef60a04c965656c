// What the number pad does to the view.

import { describe, expect, it, vi } from "vitest";
import { type Movable, moveView } from "../../src/scene/keys";

function press(code: string, held: Partial<KeyboardEvent> = {}): [done: boolean, asked: unknown[][]] {
  const asked: unknown[][] = [];
  const note = (name: string) => vi.fn((...given: unknown[]) => void asked.push([name, ...given]));
  const viewpoint = { orbit: note("orbit"), pan: note("pan"), dolly: note("dolly"), toggleProjection: note("projection") };
  const stage = { viewpoint, view: note("view"), frameSelected: note("selected") } as unknown as Movable;
  const event = { code, key: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held } as KeyboardEvent;
  return [moveView(event, stage, false), asked];
}

describe("the number pad", () => {
  it("shows square views, from the other side with Ctrl", () => {
    expect(press("Numpad3")).toEqual([true, [["view", "left"]]]);
    expect(press("Numpad3", { ctrlKey: true })).toEqual([true, [["view", "right"]]]);
  });

  it("goes to what is selected, also where its key would delete", () => {
    expect(press("NumpadDecimal", { key: "Delete" })).toEqual([true, [["selected"]]]);
    expect(press("Delete", { key: "Delete" })).toEqual([false, []]);
  });

  it("turns the view in steps, and moves it with Ctrl", () => {
    expect(press("Numpad6")).toEqual([true, [["orbit", Math.PI / 24, 0]]]);
    expect(press("Numpad8", { ctrlKey: true })).toEqual([true, [["pan", 0, 0.05]]]);
  });
});
