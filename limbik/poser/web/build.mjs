// Bundles the page into limbik/poser/page: index.html, poser.js, poser.css, and the licences
// of what is bundled.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));
const page = join(web, "..", "page");
const fresh = join(web, "node_modules", `.page-${process.pid}`); // not packaged, not committed

/** Folder of a package in node_modules that an input file belongs to, or null. */
function packageOf(input) {
  const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  return match ? match[1] : null;
}

async function licences(inputs) {
  const names = [...new Set(inputs.map(packageOf).filter((name) => name !== null))].sort();
  const texts = await Promise.all(
    names.map(async (name) => {
      const folder = join(web, "node_modules", name);
      const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      const text = await readFile(join(folder, "LICENSE"), "utf8");
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    }),
  );
  return `poser.js contains these packages.\n\n${texts.join(`\n${"-".repeat(72)}\n\n`)}`;
}

await mkdir(fresh, { recursive: true });
try {
  const result = await build({
    absWorkingDir: web,
    entryPoints: { poser: "src/main.ts" },
    outdir: fresh,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none", // LICENSES.txt has them whole
    metafile: true,
    logLevel: "warning",
  });
  await writeFile(join(fresh, "LICENSES.txt"), await licences(Object.keys(result.metafile.inputs)));
  await copyFile(join(web, "index.html"), join(fresh, "index.html"));
  // The page is replaced in one go, so that a server never serves half of one.
  await rm(page, { recursive: true, force: true });
  await rename(fresh, page);
  for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
    console.log(`${file.split("/").pop()}: ${(bytes / 1000).toFixed(0)} kB`);
  }
} finally {
  await rm(fresh, { recursive: true, force: true });
}
