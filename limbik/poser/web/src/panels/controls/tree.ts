// The joints as rows of a tree, filtered by what somebody types.

import type { JointInfo } from "../../net/messages";

export interface Row {
  joint: number;
  depth: number;
  /** Whether it has children that can be folded away. */
  branches: boolean;
  /** False for a parent that is shown only because something below it matches. */
  matches: boolean;
}

/** Whether every word of the query is in the joint's name, role or kind. */
export function matches(joint: JointInfo, query: string): boolean {
  const text = `${joint.name} ${joint.role} ${joint.kind}`.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** Joints that match, the ones whose name or role begins with the query first. */
export function search(joints: readonly JointInfo[], query: string): number[] {
  const start = query.trim().toLowerCase();
  const begins = (j: number): boolean => {
    const joint = joints[j]!;
    return joint.name.toLowerCase().startsWith(start) || joint.role.toLowerCase().startsWith(start);
  };
  return joints
    .map((_, j) => j)
    .filter((j) => matches(joints[j]!, query.trim()))
    .sort((a, b) => Number(begins(b)) - Number(begins(a)) || a - b);
}

/** Rows in the order of a tree, parents before children; `folded` joints hide what is below them.
 *
 * With a query only matching joints and their ancestors are left, and nothing is folded. */
export function rows(
  joints: readonly JointInfo[],
  query: string,
  folded: ReadonlySet<number>,
): Row[] {
  const children: number[][] = joints.map(() => []);
  const roots: number[] = [];
  joints.forEach((joint, j) => (joint.parent < 0 ? roots : children[joint.parent]!).push(j));
  const words = query.trim();
  const hits = new Set(joints.map((_, j) => j).filter((j) => matches(joints[j]!, words)));
  const kept = new Set<number>();
  for (const hit of hits) {
    for (let j = hit; j >= 0 && !kept.has(j); j = joints[j]!.parent) kept.add(j);
  }
  const found: Row[] = [];
  // A stack instead of recursion: a chain of thousands of joints is a figure too.
  const waiting = roots.reverse().map((joint) => ({ joint, depth: 0 }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { joint, depth } = next;
    if (!kept.has(joint)) continue;
    const below = children[joint]!;
    found.push({ joint, depth, branches: below.length > 0, matches: hits.has(joint) });
    if (words === "" && folded.has(joint)) continue;
    for (let k = below.length - 1; k >= 0; k--) waiting.push({ joint: below[k]!, depth: depth + 1 });
  }
  return found;
}
