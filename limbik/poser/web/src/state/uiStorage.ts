// What a person chose about the page itself (theme, panels), kept from visit to visit.

import type { Ui } from "../net/messages";

const NAME = "limbik.poser";
const KEPT = ["theme", "shadows", "follow", "gauges", "panel", "timeline", "mesh", "hintSeen", "contacts", "source"] as const;

export const FIRST_UI: Ui = {
  joint: null,
  effector: null,
  prop: null,
  tool: "direct",
  theme: "auto",
  square: null,
  shadows: true,
  balance: false,
  shapes: false,
  follow: true,
  onion: false,
  gauges: "selected", // shows those that hold as well
  panel: true,
  timeline: true,
  help: false,
  playing: false,
  note: "",
  mesh: true,
  hintSeen: false,
  contacts: false,
  contact: null,
  source: "beside",
};

/** The browser's storage, or null where it is refused (a sandboxed cell, a page from disk). */
function storage(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null; // reading the property itself throws where storage is forbidden
  }
}

export function recallUi(): Ui {
  const text = storage()?.getItem(NAME);
  if (!text) return { ...FIRST_UI };
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    return { ...FIRST_UI }; // another program's value under our name
  }
  const ui: Record<string, unknown> = { ...FIRST_UI };
  for (const key of KEPT) {
    const value = (kept as Record<string, unknown> | null)?.[key];
    if (typeof value === typeof FIRST_UI[key]) ui[key] = value;
  }
  return ui as unknown as Ui;
}

export function keepUi(ui: Ui): void {
  const kept = Object.fromEntries(KEPT.map((key) => [key, ui[key]]));
  storage()?.setItem(NAME, JSON.stringify(kept));
}
