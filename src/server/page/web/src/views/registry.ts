// The views of the page, in the order of their tabs.
import type { TraceEntry } from "../core/api";
import type { Finding } from "../core/findings";
import type { Page, View } from "../core/view";
import type { WindowControl } from "../timeline/gestures";
import { SqlView } from "../sql/view";
import { TimelineView } from "../timeline/view";
import { CommunicationView } from "./communication";
import { CompareView } from "./compare";
import { DiagnosticsView } from "./diagnostics";
import { FindingsView } from "./findings";
import { OverviewView } from "./overview";
import { ProfileView } from "./profile";
import { TreemapView } from "./treemap";

export const VIEW_NAMES = new Map<string, string>([
  ["findings", "Findings"],
  ["timeline", "Timeline"],
  ["overview", "Overview"],
  ["profile", "Profile"],
  ["treemap", "Treemap"],
  ["communication", "Communication"],
  ["compare", "Compare"],
  ["diagnostics", "Diagnostics"],
  ["sql", "SQL"],
]);

/** How each view is made, when it is first shown. */
export function viewMakers(page: Page, control: WindowControl, entries: TraceEntry[], goTo: (finding: Finding) => void): Map<string, () => View> {
  return new Map<string, () => View>([
    ["findings", () => new FindingsView(page, goTo)],
    ["timeline", () => new TimelineView(page, control)],
    ["overview", () => new OverviewView(page, control)],
    ["profile", () => new ProfileView(page, control)],
    ["treemap", () => new TreemapView(page)],
    ["communication", () => new CommunicationView(page, control)],
    ["compare", () => new CompareView(page, control, entries)],
    ["diagnostics", () => new DiagnosticsView(page)],
    ["sql", () => new SqlView(page)],
  ]);
}
