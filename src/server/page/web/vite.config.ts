// How the page is built: fixed file names, no inline script, and marks that the server fills in.
//
// In: index.html, src/, and the queries of sql/page. Out: ../dist. In development, `npm run dev` passes the paths of the
// interface on to a server: OCELLUS=http://127.0.0.1:8080.
import { defineConfig, type Plugin } from "vite";

const server = process.env.OCELLUS ?? "http://127.0.0.1:8080";
const paths = ["/sql", "/traces", "/functions", "/health", "/metrics", "/openapi.json", "/complete", "/draw"];

/** What asks the server first: at once, whatever else is loaded, style sheets included. */
const first = '<script type="module" async fetchpriority="high" nonce="__NONCE__" src="__ASSETS__/first.js"></script>';

/** Writes the base of assets and the nonce as marks, and what asks the server first before the rest. */
function marks(): Plugin {
  return {
    name: "ocellus-marks",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html) =>
        html
          .replaceAll('"./', '"__ASSETS__/')
          .replace('<meta charset="utf-8">', '$&\n' + first)
          .replace(/<script type="module" crossorigin/g, '<script type="module" nonce="__NONCE__"')
          .replace(/<link rel="stylesheet" crossorigin/g, '<link rel="stylesheet"'),
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [marks()],
  server: { proxy: Object.fromEntries(paths.map((path) => [path, { target: server, changeOrigin: true }])), fs: { strict: false } },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      input: { first: "src/first.ts", app: "index.html" },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
