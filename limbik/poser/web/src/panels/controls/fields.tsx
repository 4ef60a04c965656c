// Numbers to type and to slide.

import { useEffect, useRef, useState } from "preact/hooks";
import { parseNumber, show } from "./numbers";

export interface NumberProps {
  label: string;
  value: number | null;
  onCommit: (value: number | null) => void;
  /** How the number is written; up to 2 decimals unless given. */
  write?: (value: number) => string;
  unit?: string;
  /** What an arrow key adds; Shift makes it ten times, Alt a tenth. */
  step?: number;
  min?: number;
  max?: number;
  /** What an empty field means; without it a field must not be empty. */
  empty?: string;
  disabled?: boolean;
}

/** A number that is sent when it is finished: Enter, an arrow key, or leaving the field. */
export function NumberField(props: NumberProps) {
  const { value, min = -Infinity, max = Infinity, step = 1 } = props;
  const write = props.write ?? ((v: number) => show(v, 2));
  const [draft, setDraft] = useState<string | null>(null);
  const written = value === null ? "" : write(value);
  const wrong = draft !== null && (parseNumber(draft) === undefined || (parseNumber(draft) === null && props.empty === undefined));

  const commit = (next: number | null): void => {
    setDraft(null);
    if (next === null) {
      if (props.empty !== undefined && value !== null) props.onCommit(null);
      return;
    }
    const inside = Math.min(max, Math.max(min, next));
    if (value === null || write(inside) !== written) props.onCommit(inside);
  };
  const finish = (): void => {
    if (draft === null) return;
    const typed = parseNumber(draft);
    // What is not a number changes nothing: the field shows the old number again.
    if (typed === undefined) setDraft(null);
    else commit(typed);
  };

  return (
    <span class={`number ${props.unit ? "with-unit" : ""} ${wrong ? "wrong" : ""}`}>
      <input
        type="text"
        inputMode="decimal"
        autocomplete="off"
        spellcheck={false}
        role="spinbutton"
        aria-label={props.label}
        aria-valuenow={value ?? undefined}
        aria-valuetext={value === null ? props.empty : `${written} ${props.unit ?? ""}`.trim()}
        aria-valuemin={Number.isFinite(min) ? min : undefined}
        aria-valuemax={Number.isFinite(max) ? max : undefined}
        aria-invalid={wrong || undefined}
        data-typing={draft === null ? undefined : ""} // then Ctrl+Z is about what was typed
        placeholder={props.empty}
        disabled={props.disabled}
        value={draft ?? written}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key === "Enter") finish();
          else if (event.key === "Escape" && draft !== null) {
            setDraft(null);
            event.stopPropagation();
          } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
            event.preventDefault();
            const size = step * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
            const from = (draft === null ? value : parseNumber(draft)) ?? 0;
            commit(from + (event.key === "ArrowUp" ? size : -size));
          }
        }}
      />
      {props.unit && <span class="unit" aria-hidden="true">{props.unit}</span>}
    </span>
  );
}

export interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  /** What an arrow key adds; Shift makes it ten times, Alt a tenth. */
  keyStep: number;
  text: string;
  disabled?: boolean;
  onSlide: (value: number) => void;
  /** After the last value of one movement. */
  onDone?: () => void;
}

const SETTLES = 400; // ms until the answer to the last value has surely been drawn

/** A slider that keeps to the hand while it is moved, and to `value` otherwise. */
export function Slider(props: SliderProps) {
  const [held, setHeld] = useState<number | null>(null);
  const moved = useRef(false);
  const shown = held ?? props.value;
  const share = props.max > props.min ? (shown - props.min) / (props.max - props.min) : 0;
  const settling = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const slide = (value: number): void => {
    clearTimeout(settling.current);
    moved.current = true;
    setHeld(value);
    props.onSlide(value);
  };
  const end = (): void => {
    if (!moved.current) return;
    moved.current = false;
    props.onDone?.();
    // Not at once: until the answer is there `value` is an old one, and the next key adds to it.
    clearTimeout(settling.current);
    settling.current = setTimeout(() => setHeld(null), SETTLES);
  };
  // A slider that goes away while it is held has still been moved.
  const done = useRef(props.onDone);
  done.current = props.onDone;
  useEffect(
    () => () => {
      clearTimeout(settling.current);
      if (moved.current) done.current?.();
    },
    [],
  );
  return (
    <input
      class="slider"
      type="range"
      aria-label={props.label}
      aria-valuetext={props.text}
      min={props.min}
      max={props.max}
      step={props.step}
      value={shown}
      disabled={props.disabled}
      style={{ "--share": `${100 * Math.min(1, Math.max(0, share))}%` }}
      onInput={(event) => slide(Number(event.currentTarget.value))}
      onKeyDown={(event) => {
        const way = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
        if (!way || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const size = props.keyStep * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
        slide(Math.min(props.max, Math.max(props.min, shown + way * size)));
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyUp={end}
      onBlur={end}
    />
  );
}
