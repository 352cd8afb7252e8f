// How the page is built: fixed file names, no inline script, and marks that the server fills in.
//
// In: index.html, src/, and the queries of sql/page. Out: ../dist. In development, `npm run dev` passes the paths of the
// interface on to a server: OCELLUS=http://127.0.0.1:8080.
import { defineConfig, type Plugin } from "vite";

const server = process.env.OCELLUS ?? "http://127.0.0.1:8080";
const paths = ["/sql", "/traces", "/functions", "/health", "/metrics", "/openapi.json", "/complete", "/draw"];

/** The script that vite puts into the head, and its place in the page: below the element that it fills, after what begins before it. */
const [inHead, place] = ['  <script type="module" crossorigin src="./app.js"></script>\n', "<!-- scripts -->"];

/** Neither waits for the end of the page, where the first answers of the server are, and nothing is more urgent. */
const scripts = ["begin", "app"].map((name) => `<script type="module" async fetchpriority="high" nonce="__NONCE__" src="__ASSETS__/${name}.js"></script>`).join("\n");

/** Where the server writes which trace it answers for, and the answers. */
const served = [
  ['<div id="app">', '<div id="app" data-trace="__TRACE__">'],
  ["<!-- answers -->", "__ANSWERS__"],
] as const;

/** Writes the base of assets, the nonce and what the server knows as marks. */
function marks(): Plugin {
  return {
    name: "ocellus-marks",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html) =>
        html
          .replace(inHead, "")
          .replace(place, scripts)
          .replace(...served[0])
          .replace(...served[1])
          .replaceAll('"./', '"__ASSETS__/')
          .replace(/<link rel="stylesheet" crossorigin/g, '<link rel="stylesheet"'),
    },
  };
}

/** Nearly all of the first script runs at once: browsers that know the mark compile it while it is read, not function by function. */
function compiledAtOnce(): Plugin {
  return {
    name: "ocellus-compiled-at-once",
    apply: "build",
    generateBundle: (_, bundle) => {
      const begin = bundle["begin.js"];
      if (begin.type === "chunk") begin.code = `//# allFunctionsCalledOnLoad\n${begin.code}`;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [marks(), compiledAtOnce()],
  server: { proxy: Object.fromEntries(paths.map((path) => [path, { target: server, changeOrigin: true }])), fs: { strict: false } },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      input: { begin: "src/begin.ts", app: "index.html" },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
