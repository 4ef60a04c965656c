// How poses go from the selected keys to the next ones.

import type { App } from "../../state/app";
import type { Key, KeyEase } from "../../net/messages";

const EASES: { value: KeyEase | ""; label: string }[] = [
  { value: "", label: "As the timeline" },
  { value: "smooth", label: "Smooth" },
  { value: "linear", label: "Linear" },
  { value: "in", label: "Ease in" },
  { value: "out", label: "Ease out" },
  { value: "step", label: "Hold" },
  { value: "bezier", label: "Bézier" },
];

/** The ease that all of some keys have; null where they differ. */
export function commonEase(keys: readonly Pick<Key, "ease">[]): KeyEase | "" | null {
  const found = new Set(keys.map((key) => key.ease ?? ""));
  return found.size === 1 ? [...found][0]! : null;
}

export function KeyEaseField({ app, selected }: { app: App; selected: Key[] }) {
  if (selected.length === 0) return null;
  const ease = commonEase(selected);
  return (
    <label class="time-field" title="How poses go on from the selected keys">
      <span>{selected.length > 1 ? "Keys" : "Key"}</span>
      <select
        aria-label="Ease of the selected keys"
        value={ease ?? "differ"}
        onChange={(event) => {
          const value = event.currentTarget.value;
          const chosen = value === "" ? null : (value as KeyEase);
          app.set({ curveKey: selected[0]!.id });
          void app.do("key.ease", { keys: selected.map((key) => key.id), ease: chosen });
        }}
      >
        {ease === null && <option value="differ" disabled>Several</option>}
        {EASES.map(({ value, label }) => (
          <option key={value} value={value}>{label}</option>
        ))}
      </select>
    </label>
  );
}
