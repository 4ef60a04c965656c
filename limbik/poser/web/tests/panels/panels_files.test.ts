// Which chosen files belong together, and what is said about those that do not.

import { describe, expect, it } from "vitest";
import { askFor, missingBuffers, plan } from "../../src/panels/files/files";

const OPENS = [".bvh", ".asf", ".amc", ".glb", ".gltf", ".vrm", ".urdf", ".xml", ".mjcf"];
const file = (name: string, size = 1000) => ({ name, size });
const choose = (...files: { name: string; size: number }[]) => plan(files, OPENS, 10_000);
const sent = (...names: string[]) => choose(...names.map((name) => file(name))).files.map((f) => f.name);

describe("plan", () => {
  it("sends one file as it is", () => {
    expect(sent("Walk.BVH")).toEqual(["Walk.BVH"]);
    expect(choose(file("walk.bvh")).sentence).toBe("");
  });
  it("pairs a skeleton with its motions, the one of its name first", () => {
    expect(sent("02_01.amc", "01.amc", "01.asf")).toEqual(["01.asf", "01.amc", "02_01.amc"]);
  });
  it("asks for the skeleton of a lone motion", () => {
    const { files, sentence } = choose(file("02_01.amc"));
    expect(files).toEqual([]);
    expect(sentence).toContain("02_01.amc");
    expect(sentence).toContain(".asf");
  });
  it("takes along what a glTF or a robot refers to", () => {
    expect(sent("skin.png", "robot.gltf", "robot.bin")).toEqual(["robot.gltf", "skin.png", "robot.bin"]);
  });
  it("opens one figure and names what it left out", () => {
    const { files, sentence } = choose(file("a.bvh"), file("b.glb"), file("notes.txt"));
    expect(files.map((f) => f.name)).toEqual(["b.glb"]);
    expect(sentence).toBe("Opened b.glb; left out a.bvh and notes.txt.");
  });
  it("refuses what it cannot open, and says what it can", () => {
    const { files, sentence } = choose(file("photo.tiff"));
    expect(files).toEqual([]);
    expect(sentence).toContain("photo.tiff cannot be opened");
    expect(sentence).toContain(".bvh");
  });
  it("refuses what is too large, with both sizes", () => {
    const { files, sentence } = choose(file("big.glb", 20_480));
    expect(files).toEqual([]);
    expect(sentence).toBe("big.glb (20 kB) is larger than the 10 kB that may be opened here.");
  });
  it("knows a saved pose, unless a figure comes with it", () => {
    expect(choose(file("pose.json")).pose?.name).toBe("pose.json");
    expect(choose(file("pose.json", 70_000)).pose).toBeNull();
    expect(choose(file("pose.json"), file("a.bvh")).pose).toBeNull();
  });
});

describe("missingBuffers", () => {
  const gltf = (...uris: string[]) => JSON.stringify({ buffers: uris.map((uri) => ({ uri })) });

  it("names what a .gltf refers to and was not chosen", () => {
    expect(missingBuffers(gltf("skin.bin", "my%20walk.bin", "data:;base64,AAAA"), ["a.gltf", "skin.bin"])).toEqual(["my walk.bin"]);
    expect(askFor("a.gltf", ["skin.bin"])).toBe("a.gltf needs skin.bin: choose or drop both together.");
  });
  it("leaves what it cannot read to the server", () => {
    expect(missingBuffers("{", [])).toEqual([]);
    expect(missingBuffers('{"buffers": [null, {}, {"uri": 3}]}', [])).toEqual([]);
    expect(missingBuffers(gltf("100%.bin"), ["100%.bin"])).toEqual([]);
  });
});
