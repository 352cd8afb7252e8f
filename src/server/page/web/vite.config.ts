// How the page is built: fixed file names, no script in the page but the first questions, and marks that the server fills in.
//
// In: index.html, src/, and the queries of sql/page. Out: ../dist. In development, `npm run dev` passes the paths of the
// interface on to a server: OCELLUS=http://127.0.0.1:8080.
import { defineConfig, type Plugin } from "vite";

const server = process.env.OCELLUS ?? "http://127.0.0.1:8080";
const paths = ["/sql", "/traces", "/functions", "/health", "/metrics", "/openapi.json", "/complete", "/draw"];

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
          .replace(/<script type="module" crossorigin/g, '<script type="module" nonce="__NONCE__"')
          .replace(/<link rel="stylesheet" crossorigin/g, '<link rel="stylesheet"'),
    },
  };
}

/** What asks the server first, for development; when the page is built, its text stands there instead. */
const begin = '<script type="module" src="/src/begin.ts"></script>';

/** Leaves the place of the first questions empty while scripts are bundled. */
function emptyPlace(): Plugin {
  return { name: "ocellus-empty-place", apply: "build", transformIndexHtml: { order: "pre", handler: (html) => html.replace(begin, "<!-- begin -->") } };
}

/** Puts the text of the first questions into the page: they are asked at once, whatever else is loaded. */
function firstQuestions(): Plugin {
  return {
    name: "ocellus-first-questions",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle = {} }) => {
        const chunk = bundle["begin.js"];
        if (chunk?.type !== "chunk" || !html.includes("<!-- begin -->")) throw new Error("the first questions have no place");
        delete bundle["begin.js"];
        return html.replace("<!-- begin -->", () => `<script nonce="__NONCE__">(()=>{${chunk.code.trim()}})()</script>`);
      },
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [emptyPlace(), marks(), firstQuestions()],
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
