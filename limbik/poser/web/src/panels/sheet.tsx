// The head of the panel where it is a sheet below the view: it is dragged to make the sheet higher or lower.

import { useRef } from "preact/hooks";
import type { App } from "../state/app";
import { IconButton } from "./controls/controls";

const STEP = 40; // pixels of a press on an arrow key
const LOWEST = 120; // pixels; let go lower than this, and the sheet is closed
const VIEW = 300; // pixels that the view keeps, with the bar above it; also in narrow.css

/** A height of the sheet that leaves a view, CSS pixels. */
export function sheetHeight(wanted: number, page: number): number {
  return Math.round(Math.max(LOWEST, Math.min(wanted, page - VIEW)));
}

export function SheetHead({ app }: { app: App }) {
  const head = useRef<HTMLDivElement>(null);
  const held = useRef<{ y: number; height: number } | null>(null);
  const panel = (): HTMLElement => head.current!.parentElement!;
  const grow = (height: number): void => panel().style.setProperty("--sheet", `${sheetHeight(height, window.innerHeight)}px`);
  const close = (): void => app.set({ panel: false });
  return (
    <div
      class="sheet-head"
      ref={head}
      onPointerDown={(event) => {
        if ((event.target as HTMLElement).closest("button")) return;
        head.current?.setPointerCapture(event.pointerId);
        held.current = { y: event.clientY, height: panel().offsetHeight };
      }}
      onPointerMove={(event) => {
        if (held.current) grow(held.current.height + held.current.y - event.clientY);
      }}
      onPointerUp={(event) => {
        const low = held.current && held.current.height + held.current.y - event.clientY < LOWEST;
        held.current = null;
        if (low) close();
      }}
      onPointerCancel={() => (held.current = null)}
    >
      <span
        class="grip"
        role="separator"
        tabIndex={0}
        aria-orientation="horizontal"
        aria-label="Height of the panel"
        aria-controls="panel"
        onKeyDown={(event) => {
          const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (!way) return;
          event.preventDefault();
          event.stopPropagation();
          grow(panel().offsetHeight + way * STEP);
        }}
      />
      <IconButton icon="close" class="quiet" label="Close the panel" onClick={close} />
    </div>
  );
}
