// Links that are too many to be drawn one by one: in bundles from row to row and from column to column.
//
//   rank 0  ──┐            a line per bundle, from when its links start on average to when they end;
//             ╲ 77         the more links, the thicker
//   rank 1     └──
import bundlesSql from "../../../../../../sql/page/link_bundles.sql?raw";
import type { Rows } from "../core/api";
import { count } from "../core/format";
import { filled } from "../core/sqltext";
import type { TraceShape } from "../core/trace";
import type { Columns } from "./columns";
import { MOST_LINKS } from "./layers";

/** The name of this layer. */
export const BUNDLES = "bundles of links";

/** Bundles that are drawn at most, and the least width of a column in pixels. */
const MOST_BUNDLES = 2000;
const LEAST_WIDTH = 16;
/** Rows that a row sends to, about: the more rows, the fewer columns. */
const PARTNERS = 4;

/** Whether it is known, without a question, that more links touch the columns than can be drawn one by one. */
export function hasManyLinks(trace: TraceShape, columns: Columns): boolean {
  return trace.counts.links > MOST_LINKS && columns.start <= trace.start && columns.stop >= trace.stop;
}

export function bundleStatement(rows: Iterable<number>, columns: Columns): string {
  const containers = [...rows].sort((one, other) => one - other);
  const affordable = Math.floor(MOST_BUNDLES / (PARTNERS * Math.max(1, containers.length)));
  const wide = Math.max(1, Math.min(affordable, Math.floor(columns.width / LEAST_WIDTH)));
  return filled(bundlesSql, { containers, start: columns.start, stop: columns.stop, columns: wide, most: MOST_BUNDLES });
}

export interface LinkBundle {
  source: number;
  target: number;
  start: number;
  stop: number;
  links: number;
}

export interface LinkBundles {
  /** The largest first. */
  drawn: LinkBundle[];
  bundles: number;
  links: number;
}

export function readBundles(rows: Rows): LinkBundles {
  const column = (name: string) => rows.numbers(name);
  const drawn = Array.from({ length: rows.length }, (_, row) => ({
    source: column("source_id")[row], target: column("target_id")[row], start: column("start_time")[row], stop: column("end_time")[row],
    links: Number(column("links")[row]),
  }));
  const total = (name: string) => (rows.length > 0 ? Number(column(name)[0]) : 0);
  return { drawn, bundles: total("all_bundles"), links: total("all_links") };
}

/** What is seen of them, in a few words and in full. */
export function describeBundles({ drawn, bundles, links }: LinkBundles): { short: string; full: string } {
  if (drawn.length === bundles) return { short: `${count(links)} links`, full: `${count(links)} links in ${count(bundles)} bundles` };
  const seen = drawn.reduce((sum, bundle) => sum + bundle.links, 0);
  const short = `${count(seen)} of ${count(links)} links`;
  return { short, full: `${short} in the ${count(drawn.length)} largest bundles; zoom in to see the others` };
}

/** How thick lines are: the thickest ones are those with the most links. */
const THICKNESSES = [0.75, 1, 1.5, 2.5];

/** Bundles by the thickness of their lines. */
export function byThickness(all: LinkBundle[]): [number, LinkBundle[]][] {
  const most = Math.log1p(all.reduce((largest, bundle) => Math.max(largest, bundle.links), 1));
  const groups = THICKNESSES.map((wide): [number, LinkBundle[]] => [wide, []]);
  for (const bundle of all) groups[Math.floor((Math.log1p(bundle.links) / most) * (THICKNESSES.length - 1))][1].push(bundle);
  return groups;
}
