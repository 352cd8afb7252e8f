// Markers that two runs share: notes with the same text, and the first time that a state or an event has a value. Runs can
// be aligned at one of them.
import markersSql from "../../../../../../sql/page/markers.sql?raw";
import { annotationsOf } from "../core/annotations";
import type { Rows } from "../core/api";
import { filled } from "../core/sqltext";

/** A marker: how the state of the page calls it, how the user does, and its instants in both runs. */
export interface Marker {
  key: string;
  text: string;
  times: [number, number];
}

/** Markers that the list offers at most. */
const MOST = 200;

export function markerStatement(): string {
  return filled(markersSql, {});
}

/** The markers of two runs, from the rows of both; notes first. */
export function sharedMarkers(names: [string, string], answers: [Rows, Rows]): Marker[] {
  const [mine, theirs] = names.map((name, at) => instants(name, answers[at]));
  const shared: Marker[] = [];
  for (const [key, one] of mine) {
    const other = theirs.get(key);
    if (other) shared.push({ key, text: one.text, times: [one.time, other.time] });
  }
  return shared.slice(0, MOST);
}

function instants(trace: string, rows: Rows): Map<string, { text: string; time: number }> {
  const found = new Map<string, { text: string; time: number }>();
  for (const { text, time } of annotationsOf(trace)) if (!found.has(`note:${text}`)) found.set(`note:${text}`, { text: `note ${text}`, time });
  const [kinds, values, times] = [rows.texts("kind"), rows.texts("value"), rows.numbers("time")];
  for (let row = 0; row < rows.length; row++) found.set(`${kinds[row]}:${values[row]}`, { text: `first ${kinds[row]} ${values[row]}`, time: times[row] });
  return found;
}
