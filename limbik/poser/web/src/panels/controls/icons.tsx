// The page's own small drawings: strokes on a 16 × 16 sheet, in the colour of the text.

const SHAPES = {
  undo: "M6 3 2.8 6.2 6 9.4 M3 6.2h6.4a3.6 3.6 0 0 1 0 7.2H6",
  redo: "M10 3l3.2 3.2L10 9.4 M13 6.2H6.6a3.6 3.6 0 0 0 0 7.2H10",
  mirror: "M8 1.8v12.4 M5.6 4.6 1.9 11.4h3.7z M10.4 4.6l3.7 6.8h-3.7z",
  reset: "M3.2 5.6A5.4 5.4 0 1 1 2.7 9 M3 2.4v3.4h3.4",
  direct: "M4.2 2.4l8 4.9-3.6.9-1.9 3.3z M8.8 8.6l2.6 4.4",
  move: "M8 1.9v12.2 M1.9 8h12.2 M6.4 3.4 8 1.8l1.6 1.6 M6.4 12.6 8 14.2l1.6-1.6 M3.4 6.4 1.8 8l1.6 1.6 M12.6 6.4 14.2 8l-1.6 1.6",
  rotate: "M13.4 8A5.4 5.4 0 1 1 11.6 4 M11.9 1.3v2.9H9",
  scale: "M2.2 9.4v4.4h4.4 M13.8 6.6V2.2H9.4 M2.4 13.6 13.6 2.4",
  limits: "M8 13.4 2.6 4.4A10.4 10.4 0 0 1 13.4 4.4z M8 13.4l2-9.6",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6z M8 1.3v1.4 M8 13.3v1.4 M1.3 8h1.4 M13.3 8h1.4 M3.3 3.3l1 1 M11.7 11.7l1 1 M12.7 3.3l-1 1 M4.3 11.7l-1 1",
  moon: "M13.2 9.6A5.7 5.7 0 0 1 6.4 2.8a5.7 5.7 0 1 0 6.8 6.8z",
  contrast: "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2z M8 2.2v11.6 M10.2 3.4v9.2 M12.2 5v6",
  help: "M5.9 6.1A2.2 2.2 0 1 1 8 8.6v1 M8 12v.2",
  panel: "M2.2 3.2h11.6v9.6H2.2z M9.8 3.2v9.6",
  eye: "M1.6 8S4 3.8 8 3.8 14.4 8 14.4 8 12 12.2 8 12.2 1.6 8 1.6 8z M8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  file: "M4 1.9h5.2L12.6 5v9.1H4z M9 2v3.3h3.4",
  folder: "M1.9 4.2h4.4l1.3 1.6h6.5v7.2H1.9z",
  figure: "M8 1.7a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2z M3.4 6.6h9.2 M8 6.6v3.6 M8 10.2l-2.6 4.2 M8 10.2l2.6 4.2",
  save: "M8 2v7.4 M4.8 6.6 8 9.8l3.2-3.2 M2.4 13.4h11.2",
  down: "M4 6.2 8 10l4-3.8",
  right: "M6.2 4 10 8l-3.8 4",
  check: "M3 8.4l3.2 3.2L13 4.6",
  close: "M4 4l8 8 M12 4l-8 8",
  plus: "M8 3v10 M3 8h10",
  trash: "M2.8 4.4h10.4 M6.2 4.4V2.6h3.6v1.8 M4.2 4.4l.6 9h6.4l.6-9 M6.8 7v4 M9.2 7v4",
  pin: "M5.6 2.2h4.8l-.6 4 2.2 2.4H4l2.2-2.4z M8 8.6v5.2",
  free: "M8 4.4a3.6 3.6 0 1 1 0 7.2 3.6 3.6 0 0 1 0-7.2z",
  aim: "M8 3.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8z M8 1.4v3.4 M8 11.2v3.4 M1.4 8h3.4 M11.2 8h3.4",
  turn: "M8 2.4c3.2 0 5.6 2.4 5.6 5.6S11.2 13.6 8 13.6 2.4 11.2 2.4 8 4.8 2.4 8 2.4z M2.4 8c0 1.5 2.5 2.5 5.6 2.5s5.6-1 5.6-2.5 M8 2.4c1.5 0 2.5 2.5 2.5 5.6s-1 5.6-2.5 5.6",
  lock: "M3.8 7.2h8.4v6.4H3.8z M5.4 7.2V5a2.6 2.6 0 0 1 5.2 0v2.2",
  unlock: "M3.8 7.2h8.4v6.4H3.8z M5.4 7.2V4.6a2.6 2.6 0 0 1 5-.9",
  search: "M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4z M10.2 10.2l3.4 3.4",
  pencil: "M10.6 2.8l2.6 2.6-7.6 7.6-3.2.6.6-3.2z",
  bulb: "M8 1.9a4.2 4.2 0 0 1 2.4 7.6v1.6H5.6V9.5A4.2 4.2 0 0 1 8 1.9z M6.2 13.6h3.6",
  alert: "M8 2.4 14.2 13H1.8z M8 6.4v3 M8 11.3v.2",
  plug: "M5.4 1.8v3.4 M10.6 1.8v3.4 M3.6 5.2h8.8v2.2a4.4 4.4 0 0 1-8.8 0z M8 11.8v2.6",
  clock: "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2z M8 4.8V8l2.2 1.6",
  key: "M8 2.6 13 8l-5 5.4L3 8z",
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} />
    </svg>
  );
}

/** The wordmark: five joints of a limb reach for a target, and the name. */
export function Wordmark() {
  return (
    <svg class="wordmark" viewBox="0 0 92 24" width="92" height="24" role="img" aria-label="limbik">
      <g fill="none" stroke-linecap="round" stroke-linejoin="round">
        <path d="M3.5 20.5 7.5 11l8 2.6L20 5" stroke="var(--accent)" stroke-width="2.6" />
        <g stroke="var(--panel)" stroke-width="1.4" fill="var(--accent)">
          <circle cx="3.5" cy="20.5" r="2.6" />
          <circle cx="7.5" cy="11" r="2.6" />
          <circle cx="15.5" cy="13.6" r="2.6" />
        </g>
        <circle cx="20" cy="5" r="3" fill="var(--target)" stroke="var(--panel)" stroke-width="1.4" />
        {/* l i m b i k, drawn as strokes so that no font is needed */}
        <g stroke="var(--text)" stroke-width="2.1">
          <path d="M31.5 5.5v13" />
          <path d="M37 10.6v7.9 M37 6.4v.1" />
          <path d="M42.5 18.5v-7.9 M42.5 13.4c0-3.8 5.6-3.8 5.6 0v5.1 M48.1 13.4c0-3.8 5.6-3.8 5.6 0v5.1" />
          <path d="M59.4 5.5v13 M59.4 14.5a4 4 0 1 1 8 0 4 4 0 0 1-8 0z" />
          <path d="M73 10.6v7.9 M73 6.4v.1" />
          <path d="M78.6 5.5v13 M84.6 10.6l-6 5 M81 13.7l4.2 4.8" />
        </g>
      </g>
    </svg>
  );
}
