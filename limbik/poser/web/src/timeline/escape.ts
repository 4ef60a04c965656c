// Esc ends a drag on the timeline.

import { useEffect } from "preact/hooks";

/** While ``active``, Esc calls ``cancel`` and nothing else hears of it. */
export function useEscape(active: boolean, cancel: () => void): void {
  useEffect(() => {
    if (!active) return;
    const stop = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      cancel();
    };
    document.addEventListener("keydown", stop, true);
    return () => document.removeEventListener("keydown", stop, true);
  }, [active]);
}
