// Signs of a constant size on the screen: drawn once on a canvas, shown as sprites.
//
// White takes the sprite's colour, the dark rim keeps it readable on any body.  Every meaning has
// its own shape, so that nothing depends on telling red from green.

import { CanvasTexture, Sprite, SpriteMaterial, SRGBColorSpace, type Color, type Texture } from "three";

export type Glyph =
  | "disc" // an effector where it should be
  | "hollow" // an effector that falls short
  | "ring" // a target
  | "cross" // a target that is not met
  | "diamond" // a pin that holds
  | "hollow diamond" // a pin that is torn off
  | "diamond ring" // where a pin wants to be
  | "eye" // an effector that aims
  | "lock" // a joint that does not move
  | "halo" // selected
  | "knob" // a handle of a limit
  | Count;

const COUNTS = ["2", "3", "4", "5", "6", "7", "8", "9+"] as const;

/** How many signs lie on one another. */
export type Count = (typeof COUNTS)[number];

/** The sign that says how many there are, two or more. */
export function countOf(many: number): Count {
  return many > 8 ? "9+" : (String(many) as Count);
}

const SIDE = 128; // pixels of a drawing; signs are shown at 12 to 40 CSS pixels
const RIM = "rgba(12, 15, 20, 0.85)";
const textures = new Map<Glyph, Texture>();

type Pen = CanvasRenderingContext2D;

function circle(pen: Pen, radius: number): void {
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
}

function diamond(pen: Pen, radius: number): void {
  pen.beginPath();
  pen.moveTo(0, -radius);
  pen.lineTo(radius, 0);
  pen.lineTo(0, radius);
  pen.lineTo(-radius, 0);
  pen.closePath();
}

function filled(pen: Pen): void {
  pen.lineWidth = 14;
  pen.strokeStyle = RIM;
  pen.stroke();
  pen.fillStyle = "#fff";
  pen.fill();
}

function outlined(pen: Pen, width: number): void {
  pen.lineWidth = width + 10;
  pen.strokeStyle = RIM;
  pen.stroke();
  pen.lineWidth = width;
  pen.strokeStyle = "#fff";
  pen.stroke();
}

function count(words: Count): (pen: Pen) => void {
  return (pen) => {
    circle(pen, 46);
    filled(pen);
    pen.fillStyle = RIM;
    pen.font = `700 ${words.length > 1 ? 54 : 76}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(words, 0, 5);
  };
}

const DRAW: Record<Glyph, (pen: Pen) => void> = {
  ...(Object.fromEntries(COUNTS.map((words) => [words, count(words)])) as Record<Count, (pen: Pen) => void>),
  disc: (pen) => {
    circle(pen, 34);
    filled(pen);
  },
  hollow: (pen) => {
    circle(pen, 30);
    outlined(pen, 13);
  },
  ring: (pen) => {
    circle(pen, 52);
    outlined(pen, 9);
  },
  cross: (pen) => {
    circle(pen, 34);
    outlined(pen, 10);
    pen.beginPath();
    for (const [x, y] of [[1, 0], [-1, 0], [0, 1], [0, -1]] as const) {
      pen.moveTo(14 * x, 14 * y);
      pen.lineTo(57 * x, 57 * y);
    }
    outlined(pen, 10);
    circle(pen, 7);
    pen.fillStyle = "#fff";
    pen.fill();
  },
  diamond: (pen) => {
    diamond(pen, 46);
    filled(pen);
    circle(pen, 10);
    pen.fillStyle = RIM;
    pen.fill();
  },
  "hollow diamond": (pen) => {
    diamond(pen, 42);
    outlined(pen, 13);
  },
  "diamond ring": (pen) => {
    diamond(pen, 54);
    outlined(pen, 9);
  },
  eye: (pen) => {
    pen.beginPath();
    pen.moveTo(-50, 0);
    pen.quadraticCurveTo(0, -56, 50, 0);
    pen.quadraticCurveTo(0, 56, -50, 0);
    pen.closePath();
    filled(pen);
    circle(pen, 14);
    pen.fillStyle = RIM;
    pen.fill();
  },
  lock: (pen) => {
    pen.beginPath();
    pen.arc(0, -8, 20, Math.PI, 0);
    pen.lineTo(20, 4);
    pen.moveTo(-20, -8);
    pen.lineTo(-20, 4);
    outlined(pen, 11);
    pen.beginPath();
    pen.roundRect(-34, 0, 68, 50, 9);
    filled(pen);
    pen.beginPath();
    pen.arc(0, 24, 9, 0, 2 * Math.PI);
    pen.fillStyle = RIM;
    pen.fill();
  },
  halo: (pen) => {
    circle(pen, 56);
    pen.lineWidth = 7;
    pen.strokeStyle = "#fff";
    pen.stroke();
  },
  knob: (pen) => {
    circle(pen, 30);
    filled(pen);
    circle(pen, 44);
    pen.lineWidth = 5;
    pen.strokeStyle = "rgba(255, 255, 255, 0.55)";
    pen.stroke();
  },
};

function textureOf(glyph: Glyph): Texture {
  const known = textures.get(glyph);
  if (known) return known;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("This browser cannot draw on a canvas, so effectors have no signs.");
  pen.translate(SIDE / 2, SIDE / 2);
  pen.lineJoin = "round";
  pen.lineCap = "round";
  DRAW[glyph](pen);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  textures.set(glyph, texture);
  return texture;
}

/** A sign that faces the eye: solid where nothing is before it, faint through what is. */
export class Sign {
  readonly solid: Sprite;
  readonly faint: Sprite;

  constructor(parent: { add(...objects: Sprite[]): unknown }, order = 30) {
    const sprite = (depthTest: boolean): Sprite => {
      const material = new SpriteMaterial({ transparent: true, depthTest, depthWrite: false, sizeAttenuation: false, toneMapped: false });
      const made = new Sprite(material);
      made.renderOrder = order + Number(depthTest);
      made.raycast = () => undefined;
      return made;
    };
    this.solid = sprite(true);
    this.faint = sprite(false);
    parent.add(this.faint, this.solid);
  }

  set visible(visible: boolean) {
    this.solid.visible = this.faint.visible = visible;
  }

  get visible(): boolean {
    return this.solid.visible;
  }

  /** Picture, colour and opacity; `through` is the opacity where something hides it. */
  paint(glyph: Glyph, color: Color, opacity = 1, through = 0.45): void {
    const map = textureOf(glyph);
    for (const { material } of [this.solid, this.faint]) {
      // A first picture changes the shader.
      if (!material.map) material.needsUpdate = true;
      material.map = map;
      material.color.copy(color);
    }
    this.solid.material.opacity = opacity;
    this.faint.material.opacity = opacity * through;
  }

  dispose(): void {
    for (const sprite of [this.solid, this.faint]) {
      sprite.removeFromParent();
      sprite.material.dispose();
    }
  }
}
