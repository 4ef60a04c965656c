// Chords, what the page leaves to a control with the focus, and a table without doubles.

import { describe, expect, it } from "vitest";
import { isChord, mayTake, type KeyPress } from "../../src/keyboard";
import { SHORTCUTS } from "../../src/shortcuts";

function press(key: string, held: ("Ctrl" | "Shift" | "Alt" | "Meta" | "AltGraph")[] = []): KeyPress {
  return {
    key,
    ctrlKey: held.includes("Ctrl"),
    shiftKey: held.includes("Shift"),
    altKey: held.includes("Alt"),
    metaKey: held.includes("Meta"),
    getModifierState: (name) => held.includes(name as "AltGraph"),
  };
}

/** What a press does, by the table. */
function meaning(event: KeyPress): string | undefined {
  return SHORTCUTS.find(({ keys }) => keys.some((chord) => isChord(event, chord)))?.what;
}

describe("chords", () => {
  it("tell undo from redo, on a Mac too", () => {
    expect(meaning(press("z", ["Ctrl"]))).toBe("Undo");
    expect(meaning(press("Z", ["Ctrl", "Shift"]))).toBe("Redo");
    expect(meaning(press("z", ["Meta"]))).toBe("Undo");
    expect(meaning(press("y", ["Ctrl"]))).toBe("Redo");
    expect(meaning(press("z"))).toBeUndefined();
  });

  it("take letters with Caps Lock, not with Ctrl or Alt", () => {
    expect(meaning(press("g"))).toBe("Gizmo that moves");
    expect(meaning(press("G"))).toBe("Gizmo that moves");
    expect(meaning(press("g", ["Ctrl"]))).toBeUndefined();
    expect(meaning(press("g", ["Alt"]))).toBeUndefined();
    expect(meaning(press("G", ["Shift"]))).toBeUndefined();
  });

  it("take signs wherever a keyboard has them", () => {
    expect(meaning(press("?", ["Shift"]))).toBe("This sheet");
    expect(meaning(press("[", ["Ctrl", "Alt", "AltGraph"]))).toBe("Previous effector");
    expect(meaning(press("[", ["Ctrl"]))).toBeUndefined();
    expect(meaning(press(">", ["Shift"]))).toBe("Next key");
    expect(meaning(press("."))).toBe("On one frame");
  });

  it("are each used once", () => {
    const chords = SHORTCUTS.flatMap(({ keys }) => keys);
    expect(new Set(chords).size).toBe(chords.length);
  });
});

describe("focus", () => {
  it("leaves all but Esc and saving to a text field", () => {
    expect(mayTake(press("z", ["Ctrl"]), "text")).toBe(false);
    expect(mayTake(press("g"), "text")).toBe(false);
    expect(mayTake(press("Escape"), "text")).toBe(true);
    expect(mayTake(press("s", ["Ctrl"]), "text")).toBe(true); // or the browser would save the page
    expect(mayTake(press("z", ["Ctrl"]), "number")).toBe(true);
    expect(mayTake(press("k"), "number")).toBe(false);
  });

  it("leaves to buttons and sliders what they live on", () => {
    expect(mayTake(press(" "), "button")).toBe(false);
    expect(mayTake(press("g"), "button")).toBe(true);
    expect(mayTake(press("ArrowLeft"), "button")).toBe(true);
    expect(mayTake(press("ArrowLeft"), "slider")).toBe(false);
    expect(mayTake(press(" "), "slider")).toBe(true);
    expect(mayTake(press("k"), "slider")).toBe(true);
    expect(mayTake(press(" "), "choice")).toBe(false);
    expect(mayTake(press("ArrowLeft"), "choice")).toBe(false);
    expect(mayTake(press(" "), "none")).toBe(true);
  });
});
