// How the page is built: fixed file names, no inline script, and marks that the server fills in.
//
// In: index.html, src/, and the queries of sql/page. Out: ../dist. In development, `npm run dev` passes the paths of the
// interface on to a server: OCELLUS=http://127.0.0.1:8080.
import { defineConfig, type Plugin } from "vite";

const server = process.env.OCELLUS ?? "http://127.0.0.1:8080";
const paths = ["/sql", "/traces", "/functions", "/health", "/metrics", "/openapi.json", "/complete", "/draw"];

/** What asks the server first, for development, and its place while the page is built. */
const begin = ['<script type="module" src="/src/begin.ts"></script>', "<!-- begin -->"] as const;

/** The same when the page is built: a plain script, which runs before the rest is there, so that its questions are asked at once. */
const begun = '<script nonce="__NONCE__" src="__ASSETS__/begin.js"></script>';

function firstQuestions(): Plugin {
  return {
    name: "ocellus-first-questions",
    apply: "build",
    transformIndexHtml: { order: "pre", handler: (html) => html.replace(...begin) },
    // Its names are its own.
    renderChunk: (code, chunk) => (chunk.name === "begin" ? `(()=>{${code.trim()}})()\n` : null),
  };
}

/** Writes the base of assets and the nonce as marks. */
function marks(): Plugin {
  return {
    name: "ocellus-marks",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html) =>
        html
          .replaceAll('"./', '"__ASSETS__/')
          .replace(begin[1], begun)
          .replace(/<script type="module" crossorigin/g, '<script type="module" nonce="__NONCE__"')
          .replace(/<link rel="stylesheet" crossorigin/g, '<link rel="stylesheet"'),
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [firstQuestions(), marks()],
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
