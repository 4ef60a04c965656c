// A field in which a joint is found by typing part of its name, role or kind.

import { useId, useState } from "preact/hooks";
import type { App } from "../../state/app";
import { Icon } from "./icons";
import { search } from "./tree";

const MOST = 60; // rows in the list; a few more letters find the rest

export function JointPicker({ app, label, onPick }: { app: App; label: string; onPick: (joint: number) => void }) {
  const id = useId();
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const joints = app.figure?.joints ?? [];
  const found = open ? search(joints, query).slice(0, MOST) : [];
  const pick = (joint: number | undefined): void => {
    if (joint === undefined) return;
    setQuery("");
    setOpen(false);
    setActive(0);
    onPick(joint);
  };
  const show = (at: number): void => {
    setActive(at);
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div class="picker">
      <Icon name="plus" size={14} />
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length > 0 ? `${id}-${active}` : undefined}
        placeholder={`${label}…`}
        autocomplete="off"
        spellcheck={false}
        value={query}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setOpen(true);
          setActive(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") show(Math.min(active + 1, found.length - 1));
          else if (event.key === "ArrowUp") show(Math.max(active - 1, 0));
          else if (event.key === "Enter") pick(found[active]);
          else if (event.key === "Escape" && open) {
            setOpen(false);
            event.stopPropagation();
            return;
          } else return;
          event.preventDefault();
          setOpen(true);
        }}
      />
      {open && (
        // It scrolls, and so would take the focus from Tab, close, and leave it nowhere.
        <ul class="picker-list" role="listbox" tabIndex={-1} id={`${id}-list`} aria-label="Joints">
          {found.length === 0 && <li class="empty">No joint is called that.</li>}
          {found.map((joint, at) => (
            <li
              key={joint}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === active}
              class={at === active ? "active" : ""}
              // Pressing must not take the focus from the field, which would close the list first.
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => pick(joint)}
            >
              <span>{joints[joint]!.name}</span>
              <span class="role">{joints[joint]!.role || joints[joint]!.kind}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
