// Which of the files somebody chose belong together, and which cannot be opened and why.

import { showBytes } from "../controls/numbers";

export interface Named {
  name: string;
  size: number;
}

export interface Plan<F extends Named> {
  /** Files to send, the one that holds the figure first; empty when nothing can be opened. */
  files: F[];
  /** A saved pose, which is put on the figure at hand instead of opening another. */
  pose: F | null;
  /** What was left out and why; empty when all is well. */
  sentence: string;
}

/** Endings that hold a figure, in the order in which they are preferred. */
const FIGURES = [".glb", ".gltf", ".vrm", ".bvh", ".asf", ".urdf", ".mjcf", ".xml"];
/** Endings that hold only a motion, and need a figure. */
const MOTIONS = [".amc", ".vrma", ".csv", ".npz"];
/** Files that others refer to. */
const COMPANIONS = [".bin", ".png", ".jpg", ".jpeg", ".stl", ".obj", ".dae"];
const LONGEST_POSE = 60_000; // one message of the websocket holds 64 KiB

export function ending(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot).toLowerCase();
}

export function stem(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? name : name.slice(0, dot);
}

const list = (names: string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** What to do with chosen or dropped files. `opens` and `largest` come from the server. */
export function plan<F extends Named>(chosen: readonly F[], opens: string[], largest: number): Plan<F> {
  const nothing = (sentence: string): Plan<F> => ({ files: [], pose: null, sentence });
  if (chosen.length === 0) return nothing("");
  const is = (endings: string[]) => (file: F) => endings.includes(ending(file.name));
  const opened = (file: F): boolean => opens.includes(ending(file.name));
  const figures = chosen
    .filter(opened)
    .filter(is(FIGURES))
    .sort((a, b) => FIGURES.indexOf(ending(a.name)) - FIGURES.indexOf(ending(b.name)));
  const motions = chosen.filter(opened).filter(is(MOTIONS));
  const pose = chosen.find((file) => ending(file.name) === ".json");
  if (figures.length === 0 && motions.length === 0 && pose) {
    if (pose.size > LONGEST_POSE) return nothing(`${pose.name} is too long to be a saved pose.`);
    return { files: [], pose, sentence: "" };
  }
  const first = figures[0];
  if (!first && motions.length === 0) {
    return nothing(`${list(chosen.map((f) => f.name))} cannot be opened. What can: ${list(opens)}.`);
  }
  if (!first && is([".amc"])(motions[0]!)) {
    return nothing(
      `${motions[0]!.name} is a motion without its skeleton: choose the .asf file together with it.`,
    );
  }
  // One figure at a time: its motions come along, the one of the same name first.
  const same = (file: F): number => (first && stem(file.name) === stem(first.name) ? 0 : 1);
  const fits = first && ending(first.name) === ".asf" ? is([".amc", ".csv", ".npz"]) : () => true;
  const clips = motions.filter(fits).sort((a, b) => same(a) - same(b));
  const files = [...(first ? [first] : []), ...clips, ...chosen.filter(is(COMPANIONS))];
  const large = files.filter((file) => file.size > largest);
  if (large.length > 0) {
    return nothing(
      `${list(large.map((f) => `${f.name} (${showBytes(f.size)})`))} ` +
        `${large.length > 1 ? "are" : "is"} larger than the ${showBytes(largest)} that may be opened here.`,
    );
  }
  const left = chosen.filter((file) => !files.includes(file)).map((file) => file.name);
  const sentence = left.length > 0 && first ? `Opened ${first.name}; left out ${list(left)}.` : "";
  return { files, pose: null, sentence };
}

/** What a .gltf needs beside it and was not chosen with it; empty when nothing is missing. */
export function missingBuffers(gltf: string, names: string[]): string[] {
  let buffers: unknown;
  try {
    ({ buffers } = JSON.parse(gltf) as { buffers?: unknown });
  } catch {
    return []; // the server says better what is wrong with it
  }
  if (!Array.isArray(buffers)) return [];
  return buffers
    .map((buffer) => (buffer as { uri?: unknown } | null)?.uri)
    .filter((uri): uri is string => typeof uri === "string" && !uri.startsWith("data:"))
    .map((uri) => fileNameOf(uri))
    .filter((name) => !names.includes(name));
}

function fileNameOf(uri: string): string {
  const last = uri.split("/").at(-1) ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    return last; // a lone percent sign
  }
}

/** The sentence for a file whose companions were not chosen with it. */
export function askFor(name: string, missing: string[]): string {
  return `${name} needs ${list(missing)}: choose or drop ${missing.length > 1 ? "all of them" : "both"} together.`;
}
