// Listeners of the canvas that hear of the pointer before the camera does.

type Listen = <K extends keyof HTMLElementEventMap>(name: K, f: (event: HTMLElementEventMap[K]) => void) => void;

/** Adds listeners before the camera's own, so that they can be told to keep still; ``undo`` gets what removes them. */
export function listenFirst(canvas: HTMLCanvasElement, undo: (() => void)[]): Listen {
  return (name, f) => {
    canvas.addEventListener(name, f, { capture: true });
    undo.push(() => canvas.removeEventListener(name, f, { capture: true }));
  };
}
