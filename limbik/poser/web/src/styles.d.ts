// Style sheets are imported for their effect; the bundler gathers them into poser.css.
declare module "*.css";
