// Colours of the scene, read from the page's CSS variables so that page and scene change together.

import { Color } from "three";

export interface Palette {
  dark: boolean;
  top: Color;
  bottom: Color;
  floor: Color;
  grid: Color;
  gridStrong: Color;
  shadow: Color;
  bone: Color;
  left: Color;
  right: Color;
  ball: Color;
  hover: Color;
  selected: Color;
  skin: Color;
  ghost: Color;
  before: Color;
  after: Color;
  /** Of the figure's x, y and z axes on the floor. */
  axes: [Color, Color, Color];
}

// What is used where a page has no style sheet: a replay opened alone, or a test.
const FALLBACK: Record<string, [light: string, dark: string]> = {
  "--bg-top": ["#f4f5f7", "#2d3138"],
  "--bg-bottom": ["#d5d9df", "#17191d"],
  "--floor": ["#dfe2e7", "#23262b"],
  "--grid": ["#c3c8d0", "#383d45"],
  "--grid-strong": ["#9aa2ae", "#565d68"],
  "--shadow": ["#2b3340", "#000000"],
  "--bone": ["#8e99a8", "#8b96a6"],
  "--bone-hover": ["#a9b5c6", "#aab5c5"],
  "--bone-selected": ["#2f6fed", "#5b93ff"],
  "--skin": ["#c9ced6", "#a9b0bb"],
  "--ghost": ["#8a4fd6", "#b98bf5"],
  "--onion-before": ["#2a9bb5", "#56c2da"],
  "--onion-after": ["#d9822b", "#f0a050"],
};

const LEFT = new Color("#3f8f93");
const RIGHT = new Color("#b5835a");
const AXES = ["#d8544f", "#4f9d57", "#4a7fd6"] as const;

/** How far limbs lean towards the colour of their side: enough to tell, too little to distract. */
const TINT = 0.14;

/** The theme that holds now: what <html data-theme> says, else what the system prefers. */
export function isDark(): boolean {
  const told = document.documentElement.dataset["theme"];
  if (told === "dark" || told === "light") return told === "dark";
  return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

export function readPalette(): Palette {
  const dark = isDark();
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): Color => {
    const fallback = FALLBACK[name]?.[dark ? 1 : 0] ?? "#808080";
    return new Color(style.getPropertyValue(name).trim() || fallback);
  };
  const bone = read("--bone").multiplyScalar(dark ? 1.15 : 1.4); // of the light, a matt body swallows some
  const floor = read("--floor");
  return {
    dark,
    top: read("--bg-top"),
    bottom: read("--bg-bottom"),
    floor,
    grid: read("--grid"),
    gridStrong: read("--grid-strong"),
    shadow: read("--shadow"),
    bone,
    left: bone.clone().lerp(LEFT, TINT),
    right: bone.clone().lerp(RIGHT, TINT),
    ball: bone.clone().multiplyScalar(0.42),
    hover: read("--bone-hover"),
    selected: read("--bone-selected"),
    skin: read("--skin"),
    ghost: read("--ghost"),
    before: read("--onion-before"),
    after: read("--onion-after"),
    axes: [...AXES.map((hex) => new Color(hex).lerp(floor, 0.25))] as [Color, Color, Color],
  };
}

/** Calls f whenever the theme changes, by the page or by the system; returns how to stop. */
export function onThemeChange(f: () => void): () => void {
  const watcher = new MutationObserver(f);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", f);
  return () => {
    watcher.disconnect();
    system.removeEventListener("change", f);
  };
}
