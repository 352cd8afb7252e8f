// What was begun before the page was there, for the page.
import type { Begun } from "./begin";

const { ocellus } = globalThis as unknown as { ocellus: Begun };

export const { TRACE_SQL, ROWS, VERSION, TRACES, traceOfAddress, newName, ask, keyOf, askEarly, findEarly, takeEarly, dropEarly } = ocellus;
