// Colours of targets and gauges, from the page's CSS variables.

import { Color } from "three";

const NAMES = ["target", "reached", "link", "pin", "aim", "gauge", "limit", "accent", "text"] as const;

export type Colours = Record<(typeof NAMES)[number], Color>;

/** Of the x, y and z axes of gizmos and orientation goals, on light and dark alike. */
export const AXIS_COLOURS: [string, string, string] = ["#e5484d", "#46a758", "#3e8bff"];

export function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): Color => new Color(style.getPropertyValue(`--${name}`).trim() || "#808080");
  return Object.fromEntries(NAMES.map((name) => [name, read(name)])) as Colours;
}
