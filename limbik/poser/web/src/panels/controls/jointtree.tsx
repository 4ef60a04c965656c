// All joints as a tree: found by typing, walked with the arrow keys, selected with Enter.

import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../../state/app";
import { Icon } from "./icons";
import { rows } from "./tree";

export function JointTree({ app }: { app: App }) {
  const [query, setQuery] = useState("");
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [focus, setFocus] = useState<number | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const joints = app.figure?.joints ?? [];
  const shown = rows(joints, query, folded);
  const selected = app.ui.joint;
  const current = shown.find((row) => row.joint === (focus ?? selected)) ?? shown[0];

  useEffect(() => {
    setFolded(new Set());
    setQuery("");
    setFocus(null);
  }, [app.figure?.id]);
  // What is selected in the view is brought into sight here, within the tree only: the panel
  // must not scroll away under somebody's hands.
  useEffect(() => {
    setFocus(null);
    const box = list.current;
    const row = box?.querySelector<HTMLElement>("[aria-selected=true]");
    if (!box || !row) return;
    const top = row.offsetTop - box.offsetTop;
    if (top < box.scrollTop || top + row.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = top - box.clientHeight / 2;
    }
  }, [selected, query]);

  const fold = (joint: number, away: boolean): void => {
    const next = new Set(folded);
    if (away) next.add(joint);
    else next.delete(joint);
    setFolded(next);
  };
  const go = (joint: number | undefined): void => {
    if (joint === undefined) return;
    setFocus(joint);
    list.current?.querySelector<HTMLElement>(`[data-joint="${joint}"]`)?.focus();
  };
  const keys = (event: KeyboardEvent): void => {
    if (!current || event.ctrlKey || event.metaKey) return;
    const at = shown.indexOf(current);
    const { joint, branches } = current;
    const away = folded.has(joint);
    if (event.key === "ArrowDown") go(shown[at + 1]?.joint);
    else if (event.key === "ArrowUp") go(shown[at - 1]?.joint);
    else if (event.key === "Home") go(shown[0]?.joint);
    else if (event.key === "End") go(shown.at(-1)?.joint);
    else if (event.key === "ArrowRight" && branches) away ? fold(joint, false) : go(shown[at + 1]?.joint);
    else if (event.key === "ArrowLeft") branches && !away ? fold(joint, true) : go(joints[joint]?.parent);
    else if (event.key === "Enter" || event.key === " ") app.select(joint);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="joint-tree">
      <div class="search">
        <Icon name="search" size={14} />
        <input
          type="search"
          aria-label="Find a joint"
          placeholder="Find a joint…"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") go(shown[0]?.joint);
            else if (event.key === "Enter") app.select(shown.find((row) => row.matches)?.joint ?? selected);
          }}
        />
      </div>
      <div class="tree" role="tree" aria-label="Joints of the figure" ref={list} onKeyDown={keys}>
        {shown.length === 0 && <p class="empty">No joint is called that.</p>}
        {shown.map(({ joint, depth, branches, matches }) => {
          const { name, role } = joints[joint]!;
          const away = folded.has(joint) && query.trim() === "";
          return (
            <div
              key={joint}
              role="treeitem"
              data-joint={joint}
              class={`tree-row ${matches ? "" : "faint"}`}
              aria-level={depth + 1}
              aria-expanded={branches ? !away : undefined}
              aria-selected={joint === selected}
              aria-label={role ? `${name}, ${role}` : name}
              tabIndex={joint === current?.joint ? 0 : -1}
              style={{ "--depth": Math.min(depth, 12) }}
              onClick={() => app.select(joint)}
              onFocus={() => setFocus(joint)}
            >
              <span
                class={`twist ${branches ? "" : "none"} ${away ? "" : "open"}`}
                aria-hidden="true"
                onClick={(event) => {
                  event.stopPropagation();
                  if (branches) fold(joint, !away);
                }}
              >
                {branches && <Icon name="right" size={10} />}
              </span>
              <span class="name">{name}</span>
              {app.locked(joint) && <Icon name="lock" size={12} />}
              {app.effectorOn(joint) && <span class="has-goal" title="has an effector" />}
              <span class="role">{role}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
