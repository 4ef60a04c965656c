// How fine the picture may be: as fine as the screen, until frames take too long; at rest always fine.

const SHARPEST = 2; // pixels of ours for one of CSS, at most
const SLOW = 30; // ms until a frame is drawn
const SLOWEST = 80; // ms, where even coarse pictures are too slow: no graphics card
const SLOWEST_IN_SOFTWARE = 250; // ms; a processor that is busy elsewhere is slow for a while
const COARSE = 0.75; // pixels for one of CSS at rest and in movement, without a graphics card
const COARSEST = 0.6; // in movement
const PATIENCE = 6; // slow frames in a row
const ASLEEP = 3000; // ms
const REST = 250; // ms without a frame

/** Whether the browser draws without a graphics card: every pixel then costs, and smooth edges most. */
export function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const named = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext(); // browsers grant few at a time
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** Watches how long frames have to wait while something moves.
 *
 *  With a graphics card the picture is coarser only while something moves.  Without one its resolution
 *  never goes up again, so that it does not jump with every movement of the mouse.
 */
export class Quality {
  /** 0: as fine as can be; 1: one pixel for one; 2: and a coarser shadow; 3: fewer pixels still. */
  level = 0;
  private slow = 0;
  private still = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly software: boolean) {
    if (software) this.level = 2;
  }

  /** Pixels for one CSS pixel. */
  ratio(device: number): number {
    const fine = this.level === 0 || (this.still && !this.software);
    const most = fine ? SHARPEST : this.level === 3 ? (this.software ? COARSE : COARSEST) : 1;
    return Math.min(device, most);
  }

  /** A frame begins, `waited` ms after it was asked for: more than a screen takes for one where frames
   *  before it are still being drawn.  True when the picture should become coarser. */
  frame(waited: number, device: number): boolean {
    // Longer than this was no drawing: the page was hidden or its tab asleep.
    if (waited > ASLEEP) return false;
    const limit = this.software ? SLOWEST_IN_SOFTWARE : this.level === 2 ? SLOWEST : SLOW;
    this.slow = waited > limit ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow < PATIENCE || this.level === 3) return false;
    this.slow = 0;
    this.level = this.level === 0 && device <= 1 ? 2 : this.level + 1;
    return true;
  }

  /** A frame was drawn: `wake` is called once nothing has moved for a moment, to draw it finely. */
  settle(moving: boolean, wake: () => void): void {
    clearTimeout(this.timer);
    const fine = this.still || this.level === 0;
    this.still = false;
    if (moving || fine || this.software) return;
    this.timer = setTimeout(() => {
      this.still = true;
      wake();
    }, REST);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
