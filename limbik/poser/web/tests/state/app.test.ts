// What the page knows: a note about one file is not shown beside another.

import { describe, expect, it, vi } from "vitest";
import type { FigureInfo } from "../../src/net/messages";
import { App } from "../../src/state/app";

function figureOf(file: string): FigureInfo {
  return { id: file.length, file, joints: [{ name: "Hips" }] } as unknown as FigureInfo;
}

describe("a note", () => {
  it("goes with the file that it is about, and stays where the same file comes again", () => {
    vi.useFakeTimers();
    const app = new App();
    app.setFigure(figureOf("one.glb"));
    app.note("one.glb: a clip is left out");
    app.setFigure(figureOf("one.glb"));
    expect(app.ui.note).toBe("one.glb: a clip is left out");
    app.setFigure(figureOf("another.bvh"));
    expect(app.ui.note).toBe("");
    vi.useRealTimers();
  });
});
