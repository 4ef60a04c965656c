// A button with a menu below it, for mouse, touch and keyboard.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons";

export function Menu(props: {
  label: string;
  icon?: IconName;
  title?: string;
  /** Opened from elsewhere, by a shortcut: every change to a new number opens it. */
  opened?: number;
  align?: "left" | "right";
  children: (close: () => void) => ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = (): HTMLElement[] => [
    ...(whole.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ?? []),
  ];

  useEffect(() => {
    if (props.opened) setOpen(true);
  }, [props.opened]);
  useEffect(() => {
    if (!open) return;
    items()[0]?.focus();
    const outside = (event: PointerEvent): void => {
      if (!whole.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [open]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const keys = (event: KeyboardEvent): void => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const go = (to: number): void => {
      event.preventDefault();
      all[(to + all.length) % all.length]?.focus();
    };
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(all.length - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Tab") setOpen(false);
    else if (/^\S$/.test(event.key) && !event.ctrlKey && !event.metaKey) {
      const found = [...all.slice(at + 1), ...all.slice(0, at + 1)].find((item) =>
        item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()),
      );
      found?.focus();
    } else return;
    event.stopPropagation(); // while a menu is open its keys are not the page's
  };

  return (
    <div class="menu" ref={whole}>
      <button
        ref={button}
        type="button"
        class={`menu-button ${open ? "open" : ""}`}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={props.label}
        title={props.title ?? props.label}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || open) return;
          event.preventDefault();
          event.stopPropagation();
          setOpen(true);
        }}
      >
        {props.icon && <Icon name={props.icon} />}
        <span class="words">{props.label}</span>
        <Icon name="down" size={10} />
      </button>
      {open && (
        <div class={`menu-list ${props.align ?? "left"}`} role="menu" aria-label={props.label} onKeyDown={keys}>
          {props.children(close)}
        </div>
      )}
    </div>
  );
}

export function Item(props: {
  children: ComponentChildren;
  icon?: IconName;
  keys?: string;
  note?: string;
  disabled?: boolean;
  /** Given for items that are on or off. */
  checked?: boolean;
  /** One of several of which one is on. */
  radio?: boolean;
  class?: string;
  onClick: () => void;
}) {
  const checkable = props.checked !== undefined;
  return (
    <button
      type="button"
      class={`menu-item ${props.class ?? ""}`}
      role={!checkable ? "menuitem" : props.radio ? "menuitemradio" : "menuitemcheckbox"}
      aria-checked={props.checked}
      aria-disabled={props.disabled || undefined}
      tabIndex={-1}
      onClick={() => !props.disabled && props.onClick()}
    >
      <span class="mark">{checkable ? props.checked && <Icon name="check" /> : props.icon && <Icon name={props.icon} />}</span>
      <span class="words">{props.children}</span>
      {props.note && <span class="menu-note">{props.note}</span>}
      {props.keys && <kbd aria-hidden="true">{props.keys}</kbd>}
    </button>
  );
}

export function Group(props: { label: string; children: ComponentChildren; class?: string }) {
  return (
    <div class={`menu-group ${props.class ?? ""}`} role="group" aria-label={props.label}>
      <div class="menu-label" aria-hidden="true">{props.label}</div>
      {props.children}
    </div>
  );
}
