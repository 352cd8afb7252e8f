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

export function makeViews(page: Page, control: WindowControl, entries: TraceEntry[], goTo: (finding: Finding) => void): Map<string, View> {
  const views: View[] = [
    new FindingsView(page, goTo),
    new TimelineView(page, control),
    new OverviewView(page, control),
    new ProfileView(page, control),
    new TreemapView(page),
    new CommunicationView(page, control),
    new CompareView(page, control, entries),
    new DiagnosticsView(page),
    new SqlView(page),
  ];
  return new Map(views.map((view) => [view.id, view]));
}
