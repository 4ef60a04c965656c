// The picture: the figure on its floor, lit, seen by a camera, drawn only when something changed.

import { Group, PCFShadowMap, Scene, Vector3, WebGLRenderer } from "three";
import type { App } from "../state/app";
import { focusOf } from "../keyboard";
import type { Vec3 } from "../net/messages";
import { Backdrop } from "./backdrop";
import type { Body, Hit } from "./figure/body";
import { Figures } from "./figure/figures";
import { Floor } from "./floor";
import { enclose, middle, neighbourhood } from "./framing";
import { Ghosts } from "./figure/ghosts";
import { moveView } from "./keys";
import { OriginGhost } from "./figure/origin";
import { OtherFigures } from "./figure/otherFigures";
import type { ViewName } from "./namedViews";
import { Trails } from "./trails";
import { Lights } from "./lights";
import { onThemeChange, readPalette, type Palette } from "./palette";
import { StagePictures } from "./pictures/stagePictures";
import { drawsInSoftware, Quality } from "./quality";
import { cornersOf, propPlace } from "./propPlace";
import { headingOf, inScene, setOnFloor, setUpright } from "./placing";
import { pixelAngle, rayAt, spotOf, type Spot } from "./projection";
import { Viewpoint } from "./viewpoint";

/** Figures are drawn so large, in scene units. */
const SIZE = 2;

/** Beside a thin bone by so many pixels still hits it. */
const SLACK = 6;

export class Stage {
  readonly scene = new Scene();
  /** Holds everything that has the figure's own axes and unit; put into it what belongs to the figure. */
  readonly world = new Group();
  readonly viewpoint: Viewpoint;
  readonly pictures: StagePictures;
  palette: Palette;
  private readonly renderer: WebGLRenderer;
  private readonly backdrop = new Backdrop();
  private readonly floor = new Floor();
  private readonly lights = new Lights();
  private readonly ghosts = new Ghosts();
  private readonly origin: OriginGhost;
  private readonly figures: Figures;
  private readonly others: OtherFigures;
  private othersBefore = 0;
  private readonly quality: Quality;
  private readonly before = new Set<() => void>();
  private readonly stops: (() => void)[] = [];
  private asked = 0;
  private lost = false;
  private placed = "";
  /** The view is where a person put it, and stays there. */
  private touched = false;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly app: App,
  ) {
    this.palette = readPalette();
    const software = drawsInSoftware();
    this.quality = new Quality(software);
    try {
      this.renderer = new WebGLRenderer({ canvas, antialias: !software, alpha: true });
    } catch (cause) {
      throw new Error("This browser offers no WebGL 2, which the figure is drawn with.", { cause });
    }
    if (software) this.lights.coarse();
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // orbiting does not change a shadow
    this.viewpoint = new Viewpoint(canvas, () => this.render());
    this.figures = new Figures(app, this.world, this.ghosts, {
      palette: () => this.palette,
      changed: () => this.setDown(),
      wake: () => this.render(),
    });
    this.origin = new OriginGhost(
      app,
      () => this.palette,
      () => this.render(),
      () => !this.touched && this.frame("all", "corner", true, 0.06),
    );
    const trails = new Trails(app, () => this.palette, () => this.render());
    this.others = new OtherFigures(app, () => this.palette, () => this.refresh());
    this.world.add(this.ghosts.group, this.origin.group, trails.group, this.others.group);
    this.scene.add(this.backdrop.mesh, this.floor.group, this.lights.group, this.world);
    this.pictures = new StagePictures(
      this,
      this.renderer,
      this.lights.group,
      [this.backdrop.mesh, this.floor.group],
      [this.ghosts.group, this.origin.group],
    );
    this.listen();
    this.paint();
    this.resize();
    this.follow();
  }

  get camera() {
    return this.viewpoint.camera;
  }

  get controls() {
    return this.viewpoint.controls;
  }

  /** What the figure is drawn as now. */
  get body(): Body | null {
    return this.figures.body;
  }

  // ---- asked for by others --------------------------------------------------------------------

  /** Ask for a frame. */
  render(): void {
    if (this.asked || this.lost) return;
    const since = performance.now();
    this.asked = requestAnimationFrame((now) => this.draw(now, performance.now() - since));
  }

  /** Call f before every frame; returns what stops it. */
  onBeforeRender(f: () => void): () => void {
    this.before.add(f);
    return () => this.before.delete(f);
  }

  /** Light up the joint under the pointer. */
  setHighlight(joint: number | null): void {
    this.figures.setHighlight(joint);
    this.render();
  }

  /** What is under a place of the page (CSS pixels, as in MouseEvent.clientX and clientY); the point is
   *  in the figure's axes. */
  pick(x: number, y: number): Hit | null {
    return this.body?.pick(rayAt(this, x, y), SLACK * pixelAngle(this, this.camera.position.distanceTo(this.viewpoint.target))) ?? null;
  }

  /** Another figure of the scene under a place of the page that is nearer than the one that is posed; its
   *  number. */
  pickOther(x: number, y: number): number | null {
    const [ray, slack] = [rayAt(this, x, y), SLACK * pixelAngle(this, this.camera.position.distanceTo(this.viewpoint.target))];
    const other = this.others.pick(ray, slack);
    const own = other && this.body?.pick(ray, slack);
    return other && !(own && own.distance <= other.distance) ? other.number : null;
  }

  /** Where a point of the figure is on the page, in CSS pixels. */
  project(point: Vec3 | Vector3): Spot {
    return spotOf(this, point instanceof Vector3 ? point : new Vector3(...point));
  }

  /** Where a joint is on the page, in CSS pixels. */
  screen(joint: number): Spot {
    const places = this.app.pose?.positions;
    if (!places || 3 * joint >= places.length) throw new Error(`There is no joint ${joint} in the pose.`);
    return this.project([places[3 * joint]!, places[3 * joint + 1]!, places[3 * joint + 2]!]);
  }

  /** Move the camera so that a joint and its neighbours, or the whole figure, fill the picture. */
  frame(what: number | "all" = "all", view: ViewName | null = null, animated = true, room = 0.01): void {
    const { pose, figure } = this.app;
    if (!pose || !figure) return;
    const points =
      what === "all"
        ? Float32Array.of(...(this.body?.outline() ?? pose.positions), ...this.origin.outline(), ...this.others.outline())
        : neighbourhood(figure, pose.positions, what);
    this.viewpoint.frame(inScene(this.world, points), (what === "all" ? room : 0.06) * SIZE, view, animated);
  }

  /** Move the camera to the selected joint, or to the whole figure where none is. */
  frameSelected(): void {
    this.frame(this.app.ui.joint ?? "all");
  }

  /** Turn to a named view.  Figures and props that are whole in the picture stay so, as large as they
   *  can be; where the figure is not, as somebody has come nearer, the view keeps what it looks at. */
  view(name: ViewName): void {
    this.touched = true;
    const shown = this.shown();
    if (shown) this.viewpoint.frame(shown, (name === "corner" ? 0.06 : 0.01) * SIZE, name, true);
    else this.viewpoint.view(name);
  }

  toggleProjection(): void {
    this.viewpoint.toggleProjection();
  }

  /** Points around all that is whole in the picture, in the scene: 3 numbers each; null where the figure
   *  is not. */
  private shown(): Float32Array | null {
    const figure = this.surface();
    if (figure.length === 0 || !this.viewpoint.shows(figure)) return null;
    const { state, pose } = this.app;
    const props = (state?.scene.props ?? []).map((prop) => cornersOf(prop, propPlace(prop, pose)));
    const around = [this.origin.outline(), this.others.outline(), ...props].map((points) => inScene(this.world, points));
    const whole = around.filter((points) => this.viewpoint.shows(points));
    return Float32Array.from([figure, ...whole].flatMap((points) => [...points]));
  }

  /** Points on the surface of what is drawn, in the scene: 3 numbers each. */
  surface(): Float32Array {
    return inScene(this.world, this.body?.outline() ?? []);
  }

  dispose(): void {
    cancelAnimationFrame(this.asked);
    this.lost = true;
    for (const stop of this.stops) stop();
    this.figures.dispose();
    this.quality.dispose();
    this.controls.dispose();
    this.renderer.dispose();
  }

  // ---- inside ---------------------------------------------------------------------------------

  private listen(): void {
    const { canvas, app } = this;
    const resized = new ResizeObserver(() => this.resize());
    resized.observe(canvas);
    const lose = (event: Event): void => {
      event.preventDefault(); // or it would never come back
      this.lost = true;
      app.note("The graphics card took the picture away; it comes back by itself.");
    };
    const regain = (): void => {
      this.lost = false;
      this.refresh();
    };
    const press = (event: KeyboardEvent): void => {
      if (!moveView(event, this, app.ui.effector === null)) return;
      this.touched = true;
      event.preventDefault();
      event.stopPropagation();
    };
    const gone = new AbortController();
    const until = { signal: gone.signal };
    canvas.addEventListener("webglcontextlost", lose, until);
    canvas.addEventListener("webglcontextrestored", regain, until);
    canvas.addEventListener("keydown", press, until);
    // Views are looked at from anywhere on the page; a field that is typed into keeps its digits.
    const fromAnywhere = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || !event.code.startsWith("Numpad") || app.ui.help) return;
      if (["text", "number"].includes(focusOf(event.target)) || !moveView(event, this, false)) return;
      this.touched = true;
      event.preventDefault();
    };
    document.addEventListener("keydown", fromAnywhere, until);
    this.controls.addEventListener("start", () => (this.touched = true));
    this.stops.push(
      () => resized.disconnect(),
      () => gone.abort(),
      onThemeChange(() => this.paint()),
      app.on("pose", () => this.follow()),
      app.on("ui", () => this.refresh()),
      app.on("frames", () => this.refresh()),
    );
  }

  private paint(): void {
    this.palette = readPalette();
    this.backdrop.paint(this.palette);
    this.floor.paint(this.palette);
    this.lights.paint(this.palette);
    this.ghosts.paint(this.palette);
    this.origin?.paint();
    this.others?.paint();
    this.body?.paint(this.palette);
    this.render();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const whole = this.shown();
    this.renderer.setSize(width, height, false);
    this.viewpoint.resize(width, height, whole);
    // Setting the size clears the picture: draw at once, so that nothing flickers.
    if (!this.lost) this.draw(performance.now());
  }

  /** A new pose has come, perhaps the first of a figure. */
  private follow(): void {
    const { figure, pose } = this.app;
    if (!figure || !pose) return;
    const fresh = `${figure.file}|${figure.builtin}|${figure.size}|${figure.joints.map((j) => j.name).join()}`;
    // Among several figures the view stays as it is when another one is posed.
    const among = this.placed !== "" && (this.app.state?.others.length ?? 0) > 0;
    if (fresh !== this.placed && !among) {
      this.placed = fresh;
      this.touched = false;
      this.place();
    }
    this.figures.follow();
    this.seeAdded();
    const place = this.world.localToWorld(new Vector3(...middle(pose.positions)));
    this.viewpoint.following.seen(pose.frame, place, this.app.ui.follow);
    this.refresh();
  }

  /** Turn and scale the world for a figure, and measure the floor for it. */
  private place(): void {
    const { figure, pose } = this.app;
    if (!figure || !pose) return;
    const scale = SIZE / figure.size;
    setUpright(this.world, figure, scale);
    this.floor.measure(figure, scale);
    this.floor.paint(this.palette);
    this.viewpoint.heading = headingOf(this.world, figure, pose.positions);
    this.lights.face(this.viewpoint.heading);
  }

  /** Another body is drawn: set it on the floor, not into it, and look at it. */
  private setDown(): void {
    const { figure } = this.app;
    if (!figure || !this.body) return;
    if (this.app.state?.others.length) {
      this.shade(); // the ground is that of all
      this.seeAdded();
      return;
    }
    setOnFloor(this.world, figure, this.body.outline());
    if (!this.touched) this.frame("all", "corner", false, 0.06); // with room for what it will do
    this.shade();
  }

  /** A figure that was added beside the picture comes into it, as soon as it is drawn. */
  private seeAdded(): void {
    if (!this.body) return;
    const [before, others] = [this.othersBefore, this.app.state?.others.length ?? 0];
    this.othersBefore = others;
    if (others > before && !this.viewpoint.shows(this.surface())) this.frame("all", null, true, 0.06);
  }

  /** Everything that depends on the pose and on what the page wants to see. */
  private refresh(): void {
    this.figures.refresh();
    this.shade();
  }

  /** The shadow of the pose as it is now. */
  private shade(): void {
    const { ui, pose } = this.app;
    this.lights.throwShadow(ui.shadows);
    this.renderer.shadowMap.needsUpdate = true;
    const { center, radius } = enclose(pose?.positions ?? []);
    // A body reaches further than its joints.
    const reach = radius * this.world.scale.x + 0.2 * SIZE;
    const dark = this.lights.cover(this.world.localToWorld(new Vector3(...center)), reach);
    this.floor.catchShadow(ui.shadows && pose ? dark : null);
    this.render();
  }

  private draw(now: number, waited = 0): void {
    this.asked = 0;
    const device = window.devicePixelRatio;
    if (this.quality.frame(waited, device) && this.quality.level === 2) {
      this.lights.coarse();
      this.renderer.shadowMap.needsUpdate = true;
    }
    const ratio = this.quality.ratio(device);
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    const moving = this.viewpoint.update(now);
    if (this.viewpoint.square !== this.app.ui.square) this.app.set({ square: this.viewpoint.square });
    this.floor.follow(this.viewpoint.target, this.viewpoint.distance, this.viewpoint.level);
    for (const f of this.before) f();
    this.renderer.render(this.scene, this.camera);
    if (moving) this.render();
    this.quality.settle(moving, () => this.render());
  }
}
