// A few words beside the pointer or a handle, over the canvas.

export class Label {
  private readonly box = document.createElement("div");

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.box.className = "touch-label";
    this.box.setAttribute("aria-hidden", "true"); // the panels say the same to screen readers
    Object.assign(this.box.style, {
      position: "fixed",
      left: "0",
      top: "0",
      padding: "3px 7px",
      borderRadius: "5px",
      font: "500 12px/1.3 system-ui, sans-serif",
      fontVariantNumeric: "tabular-nums",
      whiteSpace: "nowrap",
      pointerEvents: "none",
      color: "var(--text)",
      background: "var(--glass)",
      boxShadow: "var(--lift-small)",
      visibility: "hidden",
      zIndex: "5",
    });
    document.body.append(this.box);
  }

  /** x, y: CSS pixels of the canvas; the words stand to the right of them, inside the window. */
  show(words: string, x: number, y: number): void {
    const { left, top } = this.canvas.getBoundingClientRect();
    this.box.textContent = words;
    const right = window.innerWidth - this.box.offsetWidth - 4;
    const place = [Math.min(left + x + 16, right), Math.max(4, top + y - 28)];
    this.box.style.transform = `translate(${Math.round(place[0] as number)}px, ${Math.round(place[1] as number)}px)`;
    this.box.style.visibility = "visible";
  }

  hide(): void {
    this.box.style.visibility = "hidden";
  }

  dispose(): void {
    this.box.remove();
  }
}
