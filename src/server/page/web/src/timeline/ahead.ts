// Asks for the first picture while the frame around them is built: what the timeline is going to ask follows
// from the trace, the address and the room of its rows. The timeline takes such an answer only where its own statement is the
// same text, so a room that turns out otherwise costs a question and no more.
import { arrangementOf, orderStatement } from "../core/arrangement";
import { pictureScale } from "../core/dom";
import { askEarly } from "../core/early";
import { openingState, type PageState } from "../core/store";
import type { TraceShape } from "../core/trace";
import { firstRowsOf, isDense, openRows, rowOfContainer, rowsOf } from "../core/tree";
import { bundleStatement, hasManyLinks } from "./bundles";
import { columnsOf, comesWide, wider } from "./columns";
import { pictureStatement } from "./data";
import { eventStatement, linkStatement, variableStatement } from "./layers";
import { plotPixels, type Room, scrolledTo, wantedRows, withPins } from "./room";

/** Asks what the page is going to ask first of a trace whose shape is known. */
export function askAhead(trace: TraceShape, room: Room | null): void {
  const state = openingState(trace, location.hash);
  const isTimeline = state.view === "timeline" && state.side === "";
  if (isTimeline && room) for (const sql of pictureStatements(trace, state, room)) askEarly(sql, trace.name);
}

/** The statements of the timeline when it is shown for the first time. */
function pictureStatements(trace: TraceShape, state: PageState, room: Room): string[] {
  const scale = pictureScale();
  const columns = columnsOf([state.start, state.stop], plotPixels(room.clientWidth, scale), trace);
  const laidOut = rowsOf(trace, openRows(trace, state.expanded), isDense(trace), room.clientHeight, arrangementOf(state, null, []));
  const [all, pinnedHeight] = withPins(laidOut, room.clientHeight);
  const selected = rowOfContainer(trace, firstRowsOf(all), state.selection.containers[0] ?? -1);
  const last = all[all.length - 1];
  const lowest = Math.max(0, last ? last.top + last.height - room.clientHeight : 0);
  const scrollTop = selected ? Math.min(lowest, Math.max(0, scrolledTo(selected, room, pinnedHeight))) : 0;
  const rows = wantedRows(all, { ...room, scrollTop }, "sight", state.options.sight);
  const first = comesWide(columns, trace.counts.states, state.options.wide) ? wider(columns) : columns;
  const order = orderStatement(trace, state.sort);
  const states = pictureStatement(rows, first, scale);
  // Where there are states, the timeline asks for the others once these are seen.
  const found = states ? [order, states] : [order, variableStatement(rows, columns), eventStatement(rows, columns)];
  if (!states && trace.counts.links > 0 && state.options.links !== "0") {
    const ids = new Set(all.map((row) => row.container.id));
    found.push(hasManyLinks(trace, columns) ? bundleStatement(ids, columns) : linkStatement([columns.start, columns.stop]));
  }
  return found.filter((sql) => sql !== null);
}
