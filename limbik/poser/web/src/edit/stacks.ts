// Signs that lie on one another on the screen: which they are, and which is the foremost.

export interface Placed {
  id: number;
  /** CSS pixels of the canvas. */
  x: number;
  y: number;
  /** Distance from the eye. */
  depth: number;
}

/** Pixels between the middles of two signs of which one hides most of the other. */
const NEAR = 9;

/** The signs in stacks, those nearest to the eye first in each; signs that lie alone are left out. */
export function stacksOf(signs: Placed[]): number[][] {
  const left = [...signs].sort((a, b) => a.depth - b.depth);
  const stacks: number[][] = [];
  while (left.length) {
    const first = left.shift()!;
    const here = left.filter((sign) => Math.hypot(sign.x - first.x, sign.y - first.y) < NEAR);
    if (here.length === 0) continue;
    for (const sign of here) left.splice(left.indexOf(sign), 1);
    stacks.push([first, ...here].map(({ id }) => id));
  }
  return stacks;
}
