// Which keys a press is, and whether the page may take it from what has the focus.

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  getModifierState(name: string): boolean;
}

const NAMED: Record<string, string> = { Space: " ", Esc: "Escape" };

/** Whether a press is the chord, written as "Ctrl+Shift+Z", "G", "?" or "Space". */
export function isChord(press: KeyPress, chord: string): boolean {
  const parts = chord === "+" ? ["+"] : chord.split("+");
  const last = parts.at(-1) ?? "";
  const key = NAMED[last] ?? last;
  const control = press.ctrlKey || press.metaKey; // the Mac's Command is its Ctrl
  const letter = /^[a-z]$/i.test(key);
  if ((letter ? press.key.toUpperCase() : press.key) !== key) return false;
  // Signs such as [ and ? need Shift or AltGr on some keyboards, and AltGr looks like Ctrl+Alt.
  const sign = key.length === 1 && !/^[a-z0-9 ]$/i.test(key);
  if (sign && parts.length === 1) return !control || press.getModifierState("AltGraph");
  return (
    control === parts.includes("Ctrl") && press.shiftKey === parts.includes("Shift") && press.altKey === parts.includes("Alt")
  );
}

/** What has the focus, as far as keys are concerned. */
export type Focus = "text" | "number" | "choice" | "slider" | "button" | "none";

export function focusOf(target: EventTarget | null): Focus {
  if (!(target instanceof Element)) return "none";
  const input = target.closest("input, textarea, select, [contenteditable='true']");
  if (input) {
    const type = input instanceof HTMLInputElement ? input.type : "text";
    if (type === "range") return "slider";
    if (input.matches("[role=spinbutton]:not([data-typing])")) return "number";
    return type === "radio" || type === "checkbox" ? "choice" : "text";
  }
  if (target.closest("[role=slider]")) return "slider";
  if (target.closest("[role=tree], [role=menu], [role=listbox]")) return "choice";
  return target.closest("button, a, summary") ? "button" : "none";
}

/** Whether the page may take the press: a text field keeps all keys but Esc and those that would open
 * the browser's own dialogs, a number that nobody is typing at also gives up Ctrl+Z, a button keeps
 * those that press it, a slider those that move it, a choice both. */
export function mayTake(press: KeyPress, focus: Focus): boolean {
  if (press.key === "Escape") return true;
  if (focus === "text" || focus === "number") {
    const chords = focus === "number" ? /^[osyz]$/i : /^[os]$/i;
    return (press.ctrlKey || press.metaKey) && !press.altKey && chords.test(press.key);
  }
  const presses = press.key === " " || press.key === "Enter";
  const moves = press.key.startsWith("Arrow") || ["Home", "End", "PageUp", "PageDown"].includes(press.key);
  if (presses) return focus === "none" || focus === "slider";
  return !moves || focus === "none" || focus === "button";
}
