// Keeps the keyboard's place: when what has the focus goes away (a removed effector, a deleted key,
// a closed panel), the focus goes to what took its place instead of to the top of the page.

const FOCUSABLE = "a[href], button, input:not([type=file]), select, summary, [tabindex]";

/** Elements inside `box` that Tab or arrow keys reach. */
function focusables(box: Element): HTMLElement[] {
  return [...box.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) => !element.matches(":disabled, [aria-disabled=true]") && element.getClientRects().length > 0,
  );
}

interface Place {
  element: Element;
  /** Elements around it, innermost first, with its number among what each of them holds. */
  around: { box: Element; at: number }[];
}

function placeOf(element: Element, root: Element): Place {
  const around: Place["around"] = [];
  for (let box = element.parentElement; box && box !== root; box = box.parentElement) {
    around.push({ box, at: focusables(box).indexOf(element as HTMLElement) });
  }
  return { element, around };
}

/** Watches `root`; `home` has the focus when nothing nearer is left. */
export function keepFocus(root: HTMLElement, home: HTMLElement): void {
  let place: Place | null = null;
  let typed = false; // a hand on the mouse does not want the next button under its Space key
  addEventListener("keydown", () => (typed = true), { capture: true });
  addEventListener("pointerdown", () => (typed = false), { capture: true });
  root.addEventListener("focusin", (event) => {
    if (event.target instanceof Element) place = placeOf(event.target, root);
  });
  new MutationObserver(() => {
    const lost = place;
    if (!lost || lost.element.isConnected) return;
    place = null;
    if (!typed) return;
    const { activeElement } = document;
    if (activeElement && activeElement !== document.body) return; // somebody has taken care of it
    // The page itself holds everything: its seventh button is as good as none.
    const near = lost.around.filter(({ box }) => box.isConnected && !box.matches(".page"));
    for (const { box, at } of near) {
      const left = focusables(box);
      const next = left[Math.min(Math.max(at, 0), left.length - 1)];
      if (next) return next.focus();
    }
    home.focus();
  }).observe(root, { childList: true, subtree: true });
}
