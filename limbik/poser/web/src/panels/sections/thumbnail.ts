// A small picture of the figure, cut out of the view.

const SIZE = 144; // pixels
const PIECE = 4000; // letters of one text that the server takes

/** The part of a picture that is not transparent, with a little room, as a square. */
export function boundsOf(alpha: Uint8ClampedArray, width: number, height: number): { x: number; y: number; size: number } {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (alpha[4 * (y * width + x) + 3]! < 16) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + 1);
    }
  }
  if (right <= left || bottom <= top) return { x: 0, y: 0, size: Math.max(width, height) };
  const size = 1.08 * Math.max(right - left, bottom - top);
  return { x: (left + right - size) / 2, y: (top + bottom - size) / 2, size };
}

function canvasOf(width: number, height: number): { canvas: HTMLCanvasElement; pen: CanvasRenderingContext2D } {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error("The browser offers no canvas to draw a picture on.");
  return { canvas, pen };
}

/** A data URL of the figure alone, in pieces that fit into one message; empty where it cannot be made. */
export async function thumbnail(png: Promise<Blob>): Promise<string[]> {
  const picture = await createImageBitmap(await png);
  const whole = canvasOf(picture.width, picture.height);
  whole.pen.drawImage(picture, 0, 0);
  const { data } = whole.pen.getImageData(0, 0, picture.width, picture.height);
  const { x, y, size } = boundsOf(data, picture.width, picture.height);
  const small = canvasOf(SIZE, SIZE);
  small.pen.imageSmoothingQuality = "high";
  small.pen.drawImage(whole.canvas, x, y, size, size, 0, 0, SIZE, SIZE);
  return inPieces(small.canvas.toDataURL("image/webp", 0.85));
}

export function inPieces(text: string, most = PIECE): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += most) pieces.push(text.slice(at, at + most));
  return pieces;
}
