// What the page knows, and how its parts learn of changes; commands go out through here.

import type { Connection, LinkState } from "../net/connection";
import type { BodyInfo, Commands, ProgressInfo, Effector, FigureInfo, Hello, JointInfo, LibraryPose, LimbInfo, OtherInfo, Reply, State, Ui, Vec3, Vec4 } from "../net/messages";
import { decode, type Frames, type GoalReport, type Pose } from "../net/protocol";
import { isHeld } from "./pins";
import { keepUi, recallUi } from "./uiStorage";
import { Pace } from "../net/latency";

export type AppEvent = "hello" | "figure" | "state" | "pose" | "others" | "frames" | "ui" | "note" | "library" | "body" | "task" | "link" | "open" | "save";

/** Arguments of a command, which may be left out where it needs none. */
type Arguments<Name extends keyof Commands> = object extends Commands[Name] ? [args?: Commands[Name]] : [args: Commands[Name]];

const NOTE_STAYS = 6000; // ms

export class App {
  hello: Hello = { session: "", version: "", builtin: [], methods: [], largest: 0, opens: [], preparing: "" };
  figure: FigureInfo | null = null;
  state: State | null = null;
  pose: Pose | null = null;
  /** Masses and shapes of the figure, once somebody asked for them. */
  body: BodyInfo | null = null;
  /** What the other figures of the scene are drawn by, by id. */
  readonly otherFigures = new Map<number, FigureInfo>();
  /** The newest onion skins. */
  frames: Frames | null = null;
  /** Poses on disk, the newest first. */
  library: LibraryPose[] = [];
  ui: Ui = recallUi();
  link: LinkState | "replay" = "connecting";
  /** What the server compiles before it can solve, and since when (performance.now(), ms). */
  preparing: { sentence: string; since: number } | null = null;
  /** Work in the background, and whether the server can stop it. */
  task: (ProgressInfo & { stops: boolean }) | null = null;
  /** Why the server closed the connection, where it said so. */
  reason = "";
  /** Milliseconds from sending a drag to having its pose, and poses solved in the last second. */
  readonly pace = new Pace();
  /** Set by main before anything is sent. */
  connection: Connection | null = null;

  /** Where the camera is, in the figure's axes; set by whoever draws. */
  eye: (() => Vec3) | null = null;

  private asked: number | null = null;
  private readonly listeners = new Map<AppEvent, Set<() => void>>();
  private noteTimer: ReturnType<typeof setTimeout> | undefined;
  private noteIsOver: ((ui: Ui) => boolean) | null = null;

  get replay(): boolean {
    return this.link === "replay";
  }

  /** Everything that was asked is answered. */
  get idle(): boolean {
    return this.connection?.idle ?? false;
  }

  get roundTrip(): { last: number; median: number } {
    return this.pace.roundTrip;
  }

  /** Solves a second. */
  get rate(): number {
    return this.pace.rate(performance.now());
  }

  /** Calls `f` after every such event; returns what stops it. */
  on(event: AppEvent, f: () => void): () => void {
    const listeners = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, listeners);
    listeners.add(f);
    return () => listeners.delete(f);
  }

  /** Sends a command; refused ones raise a note and reject with its sentence. */
  do<Name extends keyof Commands>(name: Name, ...args: Arguments<Name>): Promise<Reply> {
    if (!this.connection) return Promise.reject(new Error("The page is not connected yet."));
    const reply = this.connection.command(name, args[0] ?? {});
    // The note tells the person, so that callers who need no reply may ignore it.
    reply.catch((error: Error) => this.note(error.message));
    return reply;
  }

  /** Moves an effector's target; while one drag is on its way only the newest waits. */
  drag(effector: number, position: Vec3 | null, wxyz: Vec4 | null): void {
    this.connection?.drag(effector, position, wxyz);
  }

  /** Ends a drag: from here it can be undone. */
  drop(): void {
    void this.do("drop");
  }

  scrub(frame: number, playing = false): void {
    this.asked = frame;
    this.connection?.scrub(frame, playing);
  }

  /** The frame in view, or the one that was asked for and has not come yet: steps count from there. */
  get frame(): number {
    return this.asked ?? this.pose?.frame ?? this.state?.timeline.frame ?? 0;
  }

  /** Bytes of the figure's mesh, where it has one. */
  mesh(figure: number, signal: AbortSignal): Promise<ArrayBuffer> {
    if (!this.connection) return Promise.reject(new Error("The page is not connected yet."));
    return this.connection.mesh(figure, signal);
  }

  /** Bytes of the motion that the clip was retargeted from. */
  origin(id: number, signal: AbortSignal): Promise<ArrayBuffer> {
    if (!this.connection) return Promise.reject(new Error("The page is not connected yet."));
    return this.connection.origin(id, signal);
  }

  set(patch: Partial<Ui>): void {
    this.ui = { ...this.ui, ...patch };
    if (this.ui.note && this.noteIsOver?.(this.ui)) this.ui = { ...this.ui, note: "" };
    keepUi(this.ui);
    this.emit("ui");
  }

  /** Shows a sentence for a moment, or until it no longer holds. */
  note(sentence: string, isOver: ((ui: Ui) => boolean) | null = null): void {
    clearTimeout(this.noteTimer);
    this.noteIsOver = isOver;
    this.noteTimer = setTimeout(() => this.set({ note: "" }), NOTE_STAYS);
    this.set({ note: sentence });
    this.emit("note");
  }

  /** Asks whoever has the dialog to show it. */
  request(dialog: "open" | "save"): void {
    this.emit(dialog);
  }

  effector(id: number | null): Effector | undefined {
    return this.state?.effectors.find((effector) => effector.id === id);
  }

  /** The first effector on a joint. */
  effectorOn(joint: number): Effector | undefined {
    return this.state?.effectors.find((effector) => effector.joint === joint);
  }

  selectedEffector(): Effector | undefined {
    return this.effector(this.ui.effector);
  }

  selectedJoint(): JointInfo | null {
    return this.ui.joint === null ? null : (this.figure?.joints[this.ui.joint] ?? null);
  }

  /** Selects a joint, and the effector on it if it has one. */
  select(joint: number | null): void {
    this.set({ joint, effector: joint === null ? null : (this.effectorOn(joint)?.id ?? null), prop: null });
  }

  selectEffector(id: number | null): void {
    this.set({ effector: id, joint: this.effector(id)?.joint ?? null, prop: null });
  }

  /** How a goal fared in the newest pose. */
  report(effector: number): GoalReport | undefined {
    const { pose, figure } = this;
    const report = pose?.goals.find((goal) => goal.effector === effector);
    if (!pose || !figure || !report || report.ok || this.effector(effector)?.mode !== "pin") return report;
    return isHeld(report, pose.goals, figure.size, pose.status !== "unsolved") ? { ...report, ok: true } : report;
  }

  locked(joint: number): boolean {
    return this.state?.locked.includes(joint) ?? false;
  }

  /** The arm or leg that a joint belongs to. */
  limbOf(joint: number): LimbInfo | undefined {
    return this.figure?.limbs.find((limb) => limb.joints.includes(joint));
  }

  /** Whether a joint is on a limb that is turned joint by joint. */
  inFk(joint: number): boolean {
    return this.state?.fk.includes(joint) ?? false;
  }

  // What comes in; called by the connection.

  setLink(link: LinkState | "replay", reason = ""): void {
    this.link = link;
    if (link !== "connecting") this.reason = reason; // between two attempts it is still the same break
    this.asked = null;
    this.task = null; // told again by whoever still works
    if (link !== "open" && link !== "replay") this.set({ playing: false });
    this.emit("link");
  }

  setHello(hello: Hello): void {
    this.hello = hello;
    this.setPreparing(hello.preparing);
  }

  /** A sentence about what is being compiled, empty once it is ready. */
  setPreparing(sentence: string): void {
    this.preparing = sentence ? { sentence, since: this.preparing?.since ?? performance.now() } : null;
    this.emit("hello");
  }

  setFigure(figure: FigureInfo): void {
    // The same joints in other coordinates: what is selected stays selected.
    const names = (one: FigureInfo | null): string => JSON.stringify(one?.joints.map((joint) => joint.name));
    const same = this.figure?.file === figure.file && names(this.figure) === names(figure);
    this.figure = figure;
    this.pose = null; // the old figure's numbers of joints do not fit
    this.frames = null;
    // What was said of another file ends with it; what is to be said of this one comes afterwards.
    this.set(same ? { playing: false } : { joint: null, effector: null, playing: false, note: "" });
    this.emit("figure");
  }

  setState(state: State): void {
    const before = this.state?.origin?.id ?? null;
    this.state = state;
    // Whoever retargets wants to see the contacts.
    if (state.origin && state.origin.id !== before) this.set({ contacts: true });
    const { effector, joint, prop } = this.ui;
    if (prop !== null && !state.scene.props.some((one) => one.id === prop)) this.set({ prop: null });
    if (effector !== null && !this.effector(effector)) this.set({ effector: null });
    else if (effector === null && joint !== null && this.effectorOn(joint)) this.select(joint);
    this.emit("state");
  }

  /** Where the figures are that are not posed just now. */
  setOthers(others: OtherInfo[]): void {
    if (this.state) this.state = { ...this.state, others };
    this.emit("others");
  }

  setPose(pose: Pose): void {
    if (!this.figure || pose.positions.length !== 3 * this.figure.joints.length) return; // of the figure before
    this.pose = pose;
    if (this.asked !== null && (this.idle || Math.abs(pose.frame - this.asked) < 1e-3)) this.asked = null;
    if (pose.status !== "unsolved") this.pace.solved(performance.now());
    this.emit("pose");
  }

  setTask(task: ProgressInfo | null, stops = true): void {
    this.task = task && { ...task, stops };
    this.emit("task");
  }

  setBody(body: BodyInfo): void {
    this.body = body;
    this.emit("body");
  }

  setFrames(frames: Frames): void {
    this.frames = frames;
    this.emit("frames");
  }

  /** One binary message from the server. */
  receiveBinary(message: ArrayBuffer): void {
    const said = decode(message);
    if ("frames" in said) {
      this.setFrames(said.frames);
      return;
    }
    const took = this.connection?.answered(said.pose.sequence) ?? null;
    if (took !== null) this.pace.answered(took);
    this.setPose(said.pose);
  }

  /** What is in the pose library. */
  setLibrary(library: LibraryPose[]): void {
    this.library = library;
    this.emit("library");
  }

  private emit(event: AppEvent): void {
    for (const f of this.listeners.get(event) ?? []) f();
  }
}
