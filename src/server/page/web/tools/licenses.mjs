// Writes dist/LICENSES.txt: the licenses of the packages that are bundled, by name.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");
const lock = JSON.parse(readFileSync(join(web, "package-lock.json"), "utf8"));
const parts = [];
for (const [place, entry] of Object.entries(lock.packages).sort()) {
  if (place === "" || entry.dev || entry.optional) continue;
  const folder = join(web, place);
  if (!existsSync(folder)) continue;
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : `License: ${entry.license}`;
  parts.push(`${place.replace(/^.*node_modules\//, "")} ${entry.version}\n\n${text}\n`);
}
writeFileSync(join(web, "../dist/LICENSES.txt"), "What the page of Ocellus bundles.\n\n" + parts.join("\n" + "-".repeat(80) + "\n\n"));
