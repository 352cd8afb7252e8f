// Writes dist/source.digest: the sha256 over what the page is built from.
//
// Every file below web/ (but node_modules), sorted by the bytes of their paths: path, a zero byte, the length in decimal, a
// zero byte, the content.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");

function walk(folder, prefix, found) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue;
    const path = prefix + entry.name;
    if (entry.isDirectory()) walk(join(folder, entry.name), path + "/", found);
    else found.push([Buffer.from(path), join(folder, entry.name)]);
  }
  return found;
}

const files = walk(web, "", []).sort((one, other) => Buffer.compare(one[0], other[0]));
const hash = createHash("sha256");
for (const [path, file] of files) {
  const content = readFileSync(file);
  hash.update(path).update("\0").update(String(content.length)).update("\0").update(content);
}
writeFileSync(join(web, "../dist/source.digest"), hash.digest("hex") + "\n");
