// What is wrong with a trace: the rows of findings(), and where on the page each of them is.
import findingsSql from "../../../../../../sql/page/findings.sql?raw";
import type { Rows } from "./api";
import { SharedAnswers } from "./shared";
import { filled } from "./sqltext";
import type { PageState, Selection } from "./store";
import type { TraceInfo } from "./trace";

export interface Finding {
  rank: number;
  kind: string;
  title: string;
  /** Share of the time of all containers that would be recovered, and the same in seconds. */
  severity: number;
  seconds: number;
  container: number | null;
  name: string;
  start: number;
  stop: number;
  /** Values, variables or containers, with commas between them. */
  involved: string;
  confidence: number;
  /** SQL whose rows are the proof. */
  evidence: string;
  /** A command that draws it. */
  picture: string;
}

/** The list beside all views and the view wait for the same answers. */
export const findingAnswers = new SharedAnswers();

/** Kinds that involve containers; all others involve values. */
const OF_CONTAINERS = new Set(["network", "late_sender", "late_receiver", "collective_wait"]);
/** How much of the window lies on either side of what was found, in lengths of it: as in its picture. */
const MARGIN = 0.25;
const SEPARATOR = ", ";

/** The statement for a window; null means the whole trace. */
export function findingsStatement(window: [number, number] | null): string {
  return filled(findingsSql, { start: window?.[0] ?? null, stop: window?.[1] ?? null });
}

export function readFindings(rows: Rows): Finding[] {
  const column = (name: string) => rows.column(name);
  return Array.from({ length: rows.length }, (_, row) => ({
    rank: Number(column("rank")[row]), kind: column("kind")[row], title: column("title")[row], severity: column("severity")[row],
    seconds: column("seconds")[row], container: column("container_id")[row] ?? null, name: column("container")[row] ?? "",
    start: column("start_time")[row], stop: column("end_time")[row], involved: column("involved")[row] ?? "",
    confidence: column("confidence")[row], evidence: column("evidence")[row], picture: column("picture")[row],
  }));
}

/** What is selected when one goes to a finding: its time, unless that is the whole trace, its containers and its values. */
export function selectionOf(trace: TraceInfo, finding: Finding): Selection {
  const isAlways = finding.start <= trace.start && finding.stop >= trace.stop;
  const time = isAlways || !(finding.stop > finding.start) ? { start: null, stop: null } : { start: finding.start, stop: finding.stop };
  const containers = finding.container === null ? [] : [finding.container];
  if (!OF_CONTAINERS.has(finding.kind)) return { ...time, containers, values: namesIn(finding.involved, (name) => trace.places.has(name)) };
  const byName = new Map(trace.containers.map((container) => [container.name, container.id]));
  const others = namesIn(finding.involved, (name) => byName.has(name)).map((name) => byName.get(name)!);
  // The name of the container itself may be that of others too.
  const isOther = (id: number) => trace.byId.get(id)?.name !== finding.name;
  return { ...time, containers: [...containers, ...others.filter(isOther)], values: [] };
}

/** The window around a finding, which may reach beyond the trace. */
export function windowOf(finding: Finding): [number, number] {
  const margin = (finding.stop - finding.start) * MARGIN;
  return [finding.start - margin, finding.stop + margin];
}

/** Whether what is selected is a finding. */
export function isChosen(trace: TraceInfo, state: PageState, finding: Finding): boolean {
  const selection = selectionOf(trace, finding);
  const isNothing = selection.start === null && selection.containers.length === 0 && selection.values.length === 0;
  return !isNothing && JSON.stringify(selection) === JSON.stringify(state.selection);
}

/** The known names in a list with commas between them; names may have commas too, so the longest that is known counts. */
export function namesIn(list: string, isKnown: (name: string) => boolean): string[] {
  const parts = list.split(SEPARATOR);
  const found: string[] = [];
  for (let from = 0; from < parts.length; from++) {
    for (let to = parts.length; to > from; to--) {
      const name = parts.slice(from, to).join(SEPARATOR);
      if (!isKnown(name)) continue;
      found.push(name);
      from = to - 1;
      break;
    }
  }
  return found;
}
