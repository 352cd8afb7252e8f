// A trace that is dropped on the page: imported where the server allows it, else the user is told how.
import { h } from "./dom";

/** Listens for dropped files; `imported` gets the name of the new trace, `failed` what went wrong. */
export function acceptDrops(imported: (name: string) => void, failed: (text: string) => void): void {
  const veil = h("div", { class: "veil", hidden: true }, "Drop a trace to import it");
  document.body.append(veil);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    veil.hidden = false;
  });
  window.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) veil.hidden = true;
  });
  window.addEventListener("drop", (event) => {
    const file = event.dataTransfer?.files[0];
    veil.hidden = true;
    if (!file) return;
    event.preventDefault();
    void upload(file).then(imported, (error: Error) => failed(error.message));
  });
}

/** A name of a trace from that of a file: letters, digits and underscores. */
function nameOf(file: string): string {
  return file.replace(/\.(gz|zst|xz|bz2)$/i, "").replace(/\.[a-z0-9]+$/i, "").replace(/\W+/g, "_").toLowerCase() || "trace";
}

async function upload(file: File): Promise<string> {
  const response = await fetch(`import?name=${encodeURIComponent(nameOf(file.name))}`, { method: "POST", body: file, credentials: "same-origin" });
  if (response.status === 403 || response.status === 404 || response.status === 405) {
    throw new Error(`This server takes no traces (start it with --accept-uploads SIZE). Import it there: ocellus import ${file.name} --store STORE`);
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message ?? response.statusText);
  return answer.trace;
}
