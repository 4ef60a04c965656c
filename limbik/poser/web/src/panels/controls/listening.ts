// How a panel keeps up with the app: it is drawn again after the events it names.

import { useEffect, useLayoutEffect, useReducer } from "preact/hooks";
import type { App, AppEvent } from "../../state/app";

/** Draws the component again after any of these events. */
export function useEvents(app: App, ...events: AppEvent[]): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const names = events.join(" ");
  useLayoutEffect(() => {
    const stops = (names.split(" ") as AppEvent[]).map((event) => app.on(event, () => redraw(undefined)));
    return () => stops.forEach((stop) => stop());
  }, [app, names]);
}

/** Draws the component again after poses, at most once in `pause` milliseconds: numbers that
 * change faster cannot be read, and poses come more than a hundred times a second. */
export function usePose(app: App, pause: number): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = app.on("pose", () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        redraw(undefined);
      }, pause);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [app, pause]);
}
