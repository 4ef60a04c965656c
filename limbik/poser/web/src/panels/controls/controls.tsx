// The controls that panels are made of: buttons, segments, switches and sections.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons";

// Buttons that cannot be pressed now say so but stay where the keyboard is: a truly disabled one
// (Undo, after the last step) would drop the focus of whoever has just pressed it.

/** A button that is an icon; its label is said by screen readers and shown as its title. */
export function IconButton(props: {
  icon: IconName;
  label: string;
  title?: string;
  keys?: string;
  pressed?: boolean;
  disabled?: boolean;
  class?: string;
  onClick: () => void;
}) {
  const title = (props.title ?? props.label) + (props.keys ? `  (${props.keys})` : "");
  return (
    <button
      type="button"
      class={`icon-button ${props.class ?? ""}`}
      aria-label={props.label}
      aria-pressed={props.pressed}
      aria-keyshortcuts={props.keys ? props.keys.replace(/Ctrl/g, "Control") : undefined}
      title={title}
      aria-disabled={props.disabled || undefined}
      onClick={() => !props.disabled && props.onClick()}
    >
      <Icon name={props.icon} />
    </button>
  );
}

/**
 * What a control shows, and how it is told of a choice. A choice that the server is asked for is
 * shown until its answer is there: a pose that comes meanwhile draws the page anew, and the control
 * would jump back for a moment.
 */
function useChoice<V>(value: V, ask: (value: V) => unknown): [V, (value: V) => void] {
  const [asked, setAsked] = useState<{ value: V } | null>(null);
  const choose = (next: V): void => {
    const answer = ask(next);
    if (!(answer instanceof Promise)) return;
    const mine = { value: next };
    setAsked(mine);
    const done = (): void => setAsked((now) => (now === mine ? null : now));
    answer.then(done, done);
  };
  return [asked === null ? value : asked.value, choose];
}

export interface Segment<V extends string> {
  value: V;
  label: string;
  icon?: IconName;
  title?: string;
}

/** One of a few: native radio buttons under their labels, so arrows and screen readers work. */
export function Segmented<V extends string>(props: {
  label: string;
  value: V;
  segments: Segment<V>[];
  /** Show only the icons. */
  icons?: boolean;
  /** A promise is the server's answer. */
  onChoose: (value: V) => unknown;
}) {
  const name = useId();
  const [shown, choose] = useChoice(props.value, props.onChoose);
  return (
    <div class={`segmented ${props.icons ? "icons" : ""}`} role="radiogroup" aria-label={props.label}>
      {props.segments.map(({ value, label, icon, title }) => (
        <label key={value} title={title ?? label} class={value === shown ? "chosen" : ""}>
          <input
            type="radio"
            name={name}
            value={value}
            aria-label={label}
            checked={value === shown}
            onChange={() => choose(value)}
          />
          {icon && <Icon name={icon} />}
          {!props.icons && <span>{label}</span>}
        </label>
      ))}
    </div>
  );
}

export function Switch(props: {
  label: string;
  checked: boolean;
  title?: string;
  /** Said instead of the visible label where that is not enough alone. */
  name?: string;
  disabled?: boolean;
  /** A promise is the server's answer. */
  onChange: (on: boolean) => unknown;
}) {
  const [shown, choose] = useChoice(props.checked, props.onChange);
  return (
    <label class="switch" title={props.title}>
      <input
        type="checkbox"
        role="switch"
        aria-label={props.name ?? props.label}
        checked={shown}
        disabled={props.disabled}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      <span class="track" aria-hidden="true" />
      <span class="words">{props.label}</span>
    </label>
  );
}

export function Button(props: {
  children: ComponentChildren;
  icon?: IconName;
  kind?: "plain" | "primary" | "quiet" | "danger";
  title?: string;
  label?: string;
  pressed?: boolean;
  disabled?: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      class={`button ${props.kind ?? "plain"}`}
      title={props.title}
      aria-label={props.label}
      aria-pressed={props.pressed}
      aria-disabled={props.disabled || undefined}
      onClick={() => !props.disabled && props.onClick()}
    >
      {props.icon && <Icon name={props.icon} />}
      <span>{props.children}</span>
    </button>
  );
}

/** A part of the panel that folds away; the heading says what it is even when it is folded. */
export function Section(props: {
  title: string;
  /** What matters of it, in a word, beside the title. */
  summary?: ComponentChildren;
  open?: boolean;
  id: string;
  children: ComponentChildren;
}) {
  const [open, setOpen] = useState(props.open ?? true);
  const whole = useRef<HTMLElement>(null);
  const pressed = useRef(false);
  // What was opened at the lower end of the panel is brought into view.
  useLayoutEffect(() => {
    if (open && pressed.current) whole.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  return (
    <section ref={whole} class={`section ${open ? "open" : ""}`} aria-labelledby={`${props.id}-title`}>
      <h2>
        <button
          type="button"
          id={`${props.id}-title`}
          aria-expanded={open}
          aria-controls={`${props.id}-body`}
          onClick={() => {
            pressed.current = true;
            setOpen(!open);
          }}
        >
          <Icon name="right" size={12} />
          <span class="title">{props.title}</span>
          {props.summary && <span class="summary">{props.summary}</span>}
        </button>
      </h2>
      <div class="body" id={`${props.id}-body`} hidden={!open}>
        {open && props.children}
      </div>
    </section>
  );
}
