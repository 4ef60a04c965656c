// The websocket: commands in order, drags one in flight and the newest of them, and reconnecting.

import type { Reply, Vec3, Vec4 } from "./messages";
import { encodeDrag, encodeScrub } from "./protocol";

/** What an App talks to: a server, or the data of a replay. */
export interface Connection {
  command(name: string, args: object): Promise<Reply>;
  drag(effector: number, position: Vec3 | null, wxyz: Vec4 | null): void;
  scrub(frame: number, playing: boolean): void;
  /** Frees the connection for the next drag; returns the round trip in ms, or null if it was not this one. */
  answered(sequence: number): number | null;
  /** Nothing is waiting, on its way or unanswered. */
  readonly idle: boolean;
  /** Bytes of the figure's mesh. */
  mesh(figure: number, signal: AbortSignal): Promise<ArrayBuffer>;
  /** Bytes of the motion that the clip was retargeted from. */
  origin(id: number, signal: AbortSignal): Promise<ArrayBuffer>;
  /** Connects now, instead of after the next pause; nothing where a connection stands. */
  retry?(): void;
}

/** The part of a WebSocket that is used. */
export interface Socket {
  binaryType: string;
  send(data: string | ArrayBuffer): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
}

export type LinkState = "connecting" | "open" | "lost" | Farewell;
/** Closed on purpose: another window has the session, or the program that showed it ended it. */
export type Farewell = "elsewhere" | "ended";

/** The server's codes for that; coming back by itself would take the session from the other window. */
const FAREWELLS: Record<number, Farewell> = { 4001: "elsewhere", 4002: "ended" };

export interface LinkEvents {
  text(message: string): void;
  binary(message: ArrayBuffer): void;
  /** `reason` is the server's sentence where it closed the connection. */
  state(state: LinkState, reason?: string): void;
}

type Waiting =
  | { kind: "command"; text: string }
  | { kind: "stream"; key: string; encode: (sequence: number) => ArrayBuffer };

const FIRST_PAUSE = 250; // ms before the first attempt to reconnect
const LONGEST_PAUSE = 5000;

export class Link implements Connection {
  private socket: Socket | null = null;
  private open = false;
  private pause = FIRST_PAUSE;
  private again: ReturnType<typeof setTimeout> | undefined;
  private lastId = 0;
  private lastSequence = 0;
  private flying: { sequence: number; since: number } | null = null;
  private waiting: Waiting[] = [];
  private readonly pending = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();

  constructor(
    private readonly connect: () => Socket,
    private readonly events: LinkEvents,
    readonly mesh: Connection["mesh"],
    private readonly now: () => number = () => performance.now(),
    readonly origin: Connection["origin"] = () => Promise.reject(new Error("There is no source.")),
  ) {}

  start(): void {
    this.events.state("connecting");
    const socket = this.connect();
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.open = true;
      this.events.state("open");
      this.pump();
    };
    socket.onmessage = ({ data }) => {
      this.pause = FIRST_PAUSE; // a server that speaks is worth coming back to soon
      if (typeof data === "string") this.events.text(data);
      else if (data instanceof ArrayBuffer) this.events.binary(data);
    };
    socket.onclose = ({ code, reason }) => {
      const farewell = FAREWELLS[code];
      this.lose(reason, farewell ?? "lost");
      if (farewell) return;
      this.again = setTimeout(() => this.start(), this.pause);
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    };
  }

  retry(): void {
    if (this.socket) return; // it stands, or is on its way
    clearTimeout(this.again);
    this.pause = FIRST_PAUSE;
    this.start();
  }

  command(name: string, args: object): Promise<Reply> {
    const id = ++this.lastId;
    const text = JSON.stringify({ id, do: name, ...args });
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.waiting.push({ kind: "command", text });
      this.pump();
    });
  }

  drag(effector: number, position: Vec3 | null, wxyz: Vec4 | null): void {
    this.stream(`drag ${effector}`, (sequence) => encodeDrag(sequence, effector, position, wxyz));
  }

  scrub(frame: number, playing: boolean): void {
    this.stream("scrub", (sequence) => encodeScrub(sequence, frame, playing));
  }

  /** Hands a reply to whoever asked. */
  reply(reply: Reply): void {
    const asker = this.pending.get(reply.id);
    this.pending.delete(reply.id);
    if ("error" in reply) asker?.reject(new Error(reply.error));
    else asker?.resolve(reply);
  }

  answered(sequence: number): number | null {
    if (this.flying?.sequence !== sequence) return null;
    const took = this.now() - this.flying.since;
    this.flying = null;
    this.pump();
    return took;
  }

  get idle(): boolean {
    return this.waiting.length === 0 && this.flying === null && this.pending.size === 0;
  }

  private stream(key: string, encode: (sequence: number) => ArrayBuffer): void {
    const newest: Waiting = { kind: "stream", key, encode };
    // It may replace an older one of its kind, but not overtake a command: the last drag
    // before a drop belongs to that drag.
    for (let i = this.waiting.length - 1; i >= 0; i--) {
      const other = this.waiting[i];
      if (!other || other.kind === "command") break;
      if (other.key === key) {
        this.waiting[i] = newest;
        return;
      }
    }
    this.waiting.push(newest);
    this.pump();
  }

  private pump(): void {
    while (this.open && this.socket && this.waiting.length > 0) {
      const next = this.waiting[0] as Waiting;
      if (next.kind === "stream" && this.flying) return;
      this.waiting.shift();
      if (next.kind === "command") this.socket.send(next.text);
      else {
        this.flying = { sequence: ++this.lastSequence, since: this.now() };
        this.socket.send(next.encode(this.lastSequence));
      }
    }
  }

  private lose(reason: string, state: LinkState): void {
    const sentence = reason || "The connection to the server was lost.";
    this.open = false;
    this.socket = null;
    this.flying = null;
    this.waiting = [];
    for (const { reject } of this.pending.values()) reject(new Error(sentence));
    this.pending.clear();
    this.events.state(state, reason);
  }
}
