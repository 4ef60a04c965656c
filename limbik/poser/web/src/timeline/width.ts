// How wide a part of the page is, for parts that lay themselves out.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Pixels that an element is wide, kept up to date. */
export function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(1);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const measure = (): void => setWidth(Math.max(box.clientWidth, 1));
    measure(); // the observer speaks only after the next picture, which may be slow to come
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    return () => watch.disconnect();
  }, []);
  return { element, width };
}
