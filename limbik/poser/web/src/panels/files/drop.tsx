// Files dropped on the window or chosen in a dialog, and how far their upload is.

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { App } from "../../state/app";
import { Icon } from "../controls/icons";
import { useEvents } from "../controls/listening";
import { showBytes } from "../controls/numbers";
import { openFiles, type Progress } from "./opening";

const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

export function Drop({ app, input }: { app: App; input: RefObject<HTMLInputElement | null> }) {
  useEvents(app, "hello", "link");
  const [over, setOver] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const open = (files: File[]): void => void openFiles(app, files, setProgress);

  useEffect(() => {
    let depth = 0; // dragenter and dragleave come for every element on the way
    const enter = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      depth++;
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const hover = (event: DragEvent): void => {
      if (carriesFiles(event)) event.preventDefault(); // without it the browser would show the file
    };
    const drop = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      if (app.link === "open") open([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    addEventListener("dragover", hover);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("dragover", hover);
      removeEventListener("drop", drop);
    };
  }, [app]);

  const { opens, largest } = app.hello;
  return (
    <>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Open files"
        data-testid="files"
        accept={[...opens, ".json"].join(",")}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = ""; // so that the same file can be chosen again
          if (files.length > 0) open(files);
        }}
      />
      {over && (
        <div class="drop-veil">
          <div class="drop-card">
            <Icon name="folder" size={32} />
            <p><strong>Drop to open</strong></p>
            <p class="soft">{opens.join("  ")}</p>
            {largest > 0 && <p class="soft">up to {showBytes(largest)}; an .asf together with its .amc</p>}
          </div>
        </div>
      )}
      {progress && (
        <div class="banner upload" role="status" aria-label="Opening files">
          <span class="spinner" aria-hidden="true" />
          <p>{progress.share < 1 ? `Sending ${progress.name}` : `Reading ${progress.name}`}</p>
          <progress value={progress.share} max={1} aria-label={`Upload of ${progress.name}`} />
        </div>
      )}
    </>
  );
}
