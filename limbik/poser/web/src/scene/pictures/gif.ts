// Animated GIF files: a palette of 256 colours for all frames, and LZW as GIF89a has it.

const BITS = 5; // of each colour that are told apart
const BINS = 1 << (3 * BITS);
const MOST = 256;

function binOf(r: number, g: number, b: number): number {
  return ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
}

/** At most 256 colours (3 numbers each) for pixels counted by bin, by median cut; and the nearest of them
 *  for every bin that occurs. */
export function paletteOf(counts: Uint32Array): { colours: number[]; index: Uint8Array } {
  const level = (bin: number, k: number): number => (bin >> (10 - 5 * k)) & 31;
  let boxes: number[][] = [[]];
  counts.forEach((count, bin) => count && boxes[0]!.push(bin));
  while (boxes.length < MOST) {
    // The box with most pixels times its longest edge is cut next.
    const weights = boxes.map((box) => {
      const spans = [0, 1, 2].map((k) => {
        const levels = box.map((bin) => level(bin, k));
        return Math.max(...levels) - Math.min(...levels);
      });
      const span = Math.max(...spans);
      return { span, k: spans.indexOf(span), many: span * Math.sqrt(box.reduce((sum, bin) => sum + counts[bin]!, 0)) };
    });
    const at = weights.reduce((best, one, i) => (one.many > weights[best]!.many ? i : best), 0);
    if (!weights[at] || weights[at].span === 0) break;
    const { k } = weights[at];
    const box = boxes[at]!.toSorted((a, b) => level(a, k) - level(b, k));
    const half = box.reduce((sum, bin) => sum + counts[bin]!, 0) / 2;
    let cut = 0;
    for (let sum = 0; cut < box.length - 1 && sum < half; cut++) sum += counts[box[cut]!]!;
    cut = Math.max(1, cut);
    boxes = [...boxes.slice(0, at), box.slice(0, cut), box.slice(cut), ...boxes.slice(at + 1)];
  }
  const index = new Uint8Array(BINS);
  const colours = boxes.flatMap((box, i) => {
    const total = box.reduce((sum, bin) => sum + counts[bin]!, 0) || 1;
    for (const bin of box) index[bin] = i;
    return [0, 1, 2].map((k) => Math.round(box.reduce((sum, bin) => sum + counts[bin]! * (8 * level(bin, k) + 4), 0) / total));
  });
  return { colours, index };
}

/** Indices of 8 bits as LZW codes, in blocks of at most 255 bytes. */
export function lzw(pixels: Uint8Array): Uint8Array {
  const clear = 256;
  const bytes: number[] = [];
  let [bits, held, width] = [0, 0, 9];
  const put = (code: number): void => {
    held |= code << bits;
    bits += width;
    while (bits >= 8) {
      bytes.push(held & 255);
      held >>>= 8;
      bits -= 8;
    }
  };
  let table = new Map<number, number>();
  let next = clear + 2;
  put(clear);
  let prefix = pixels[0] ?? 0;
  for (let i = 1; i < pixels.length; i++) {
    const pixel = pixels[i]!;
    const known = table.get((prefix << 8) | pixel);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix);
    if (next < 4096) {
      table.set((prefix << 8) | pixel, next);
      if (next === 1 << width && width < 12) width++;
      next++;
    } else {
      put(clear);
      table = new Map();
      [next, width] = [clear + 2, 9];
    }
    prefix = pixel;
  }
  put(prefix);
  put(clear + 1);
  if (bits > 0) bytes.push(held & 255);
  const out: number[] = [8];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    out.push(block.length, ...block);
  }
  out.push(0);
  return Uint8Array.from(out);
}

/** Frames (RGBA, all of one size) as a GIF that runs for ever; `delay` is hundredths of a second. */
export function gifOf(frames: Uint8ClampedArray[], width: number, height: number, delay: number): Blob {
  const counts = new Uint32Array(BINS);
  for (const frame of frames) {
    for (let i = 0; i < frame.length; i += 4) counts[binOf(frame[i]!, frame[i + 1]!, frame[i + 2]!)]!++;
  }
  const { colours, index } = paletteOf(counts);
  const two = (value: number): number[] => [value & 255, value >> 8];
  const table = Uint8Array.from([...colours, ...Array(3 * MOST - colours.length).fill(0)]);
  const parts: Uint8Array<ArrayBuffer>[] = [
    Uint8Array.from([...new TextEncoder().encode("GIF89a"), ...two(width), ...two(height), 0xf7, 0, 0]),
    table,
    Uint8Array.from([0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0]),
  ];
  for (const frame of frames) {
    const pixels = new Uint8Array(width * height);
    for (let i = 0; i < pixels.length; i++) pixels[i] = index[binOf(frame[4 * i]!, frame[4 * i + 1]!, frame[4 * i + 2]!)]!;
    parts.push(
      Uint8Array.from([0x21, 0xf9, 4, 0, ...two(delay), 0, 0, 0x2c, 0, 0, 0, 0, ...two(width), ...two(height), 0]),
      Uint8Array.from(lzw(pixels)),
    );
  }
  parts.push(Uint8Array.from([0x3b]));
  return new Blob(parts, { type: "image/gif" });
}
