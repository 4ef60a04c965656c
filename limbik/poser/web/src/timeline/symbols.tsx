// The timeline's own small drawings: filled shapes on a 16 × 16 sheet, in the colour of the text.

const SHAPES = {
  play: "M4.5 2.6v10.8L13 8z",
  pause: "M4 2.8h2.9v10.4H4z M9.1 2.8H12v10.4H9.1z",
  back: "M10.6 3.4v9.2L4.2 8z",
  on: "M5.4 3.4v9.2L11.8 8z",
  previous: "M11.6 3.4v9.2L5.2 8z M3.2 3.4h1.6v9.2H3.2z",
  next: "M4.4 3.4v9.2L10.8 8z M11.2 3.4h1.6v9.2h-1.6z",
  loop: "M4.6 4h6.1a3.3 3.3 0 0 1 3.3 3.3v.9h-1.5v-.9a1.8 1.8 0 0 0-1.8-1.8H4.6v2L1.6 4.75 4.6 2z M11.4 12H5.3A3.3 3.3 0 0 1 2 8.7v-.9h1.5v.9a1.8 1.8 0 0 0 1.8 1.8h6.1v-2l3 2.75-3 2.75z",
  onion: "M5.6 2.9a5.1 5.1 0 0 0 0 10.2 5.1 5.1 0 0 0 1.9-.4 6.6 6.6 0 0 1-.9-1.1 3.7 3.7 0 1 1 0-7.2 6.6 6.6 0 0 1 .9-1.1 5.1 5.1 0 0 0-1.9-.4z M10.6 3.2a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6z",
  contacts: "M2 3h7.5v2.6H2z M6.5 6.8H14v2.6H6.5z M3.5 10.6h6v2.6h-6z",
  key: "M8 2.2 13.2 8 8 13.8 2.8 8z",
  record: "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3z",
  copy: "M6 1.8h7.2v9H11V4H6z M2.8 5.2H10v9H2.8z",
  paste: "M5.6 1.6h4.8v1.2h2.8v11.6H2.8V2.8h2.8z M4.3 5v7.9h7.4V5z",
  more: "M2 3.4h12v1.5H2z M2 7.25h12v1.5H2z M2 11.1h12v1.5H2z M9.2 2h2v4.3h-2z M4.4 5.85h2v4.3h-2z M10.4 9.7h2V14h-2z",
  trash: "M6.2 1.8h3.6l.5 1.2h3v1.4H2.7V3h3z M3.8 5.6h8.4l-.6 8.6H4.4z",
} as const;

export type SymbolName = keyof typeof SHAPES;

/** A button that is a drawing; its label is said by screen readers and shown as its title. */
export function SymbolButton(props: {
  symbol: SymbolName;
  label: string;
  keys?: string;
  pressed?: boolean;
  disabled?: boolean;
  main?: boolean;
  /** What the button shows or hides, by id, and whether it is shown. */
  opens?: { id: string; open: boolean };
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      class={`time-button ${props.main ? "main" : ""}`}
      aria-label={props.label}
      aria-pressed={props.pressed}
      title={props.keys ? `${props.label}  (${props.keys})` : props.label}
      aria-keyshortcuts={props.keys?.replace(/Ctrl/g, "Control")}
      aria-expanded={props.opens?.open}
      aria-controls={props.opens?.open ? props.opens.id : undefined}
      // A button that became truly disabled would drop the focus of whoever pressed it by keyboard.
      aria-disabled={props.disabled || undefined}
      onClick={(event) => {
        // A press with the mouse gives the keyboard back to the page, so that Space plays.
        if (event.detail > 0) event.currentTarget.blur();
        if (!props.disabled) props.onClick();
      }}
    >
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path d={SHAPES[props.symbol]} fill="currentColor" />
      </svg>
    </button>
  );
}
