//! A run as a matrix: members of the tree that do something, slices of time, and what they do.

use std::collections::{BTreeMap, HashMap};

use super::cells::{RunValue, WorkCell};
use super::cycle::cycle;
use super::rows::{
    BegunCell, DiagnosticRow, LinkRole, PairRow, ResourceRow, RunRows, StateActivity, TraceRow, VariableCell,
    WaitSumRow,
};
use super::run_tree::{RunContainer, tree};
use super::siblings::{alike_groups, sibling_groups};
use super::state_type::{main_type, waits_again};

/// What time in no state is called.
pub(super) const NO_STATE: &str = "no state";

/// A run.
#[derive(Debug)]
pub struct RunMatrix {
    /// When the window begins, in seconds.
    pub start: f64,
    /// When it ends.
    pub stop: f64,
    /// Into how many slices it is cut.
    pub slices: usize,
    /// The tree, parents first.
    pub containers: Vec<RunContainer>,
    /// The type of states that the findings are about: that whose states have most computation.
    pub state_type: Option<String>,
    /// Whether waits of containers with such states are those of that type alone: others would count them again.
    pub waits_in_type: bool,
    /// The values of its states, by name; time in no state is the last, if it is computation.
    pub(super) values: Vec<RunValue>,
    /// Places of the containers that have such states.
    pub(super) members: Vec<usize>,
    /// The number of the group of siblings of each member that do the same kind of work.
    pub(super) groups: Vec<usize>,
    /// The number of the group of siblings of each member, whatever they do.
    pub(super) kin: Vec<usize>,
    /// Seconds by member, activity and slice.
    busy: Vec<f64>,
    /// Slices of an iteration: see [`cycle`].
    pub(super) cycle: usize,
    /// States of any activity that begin, by member and slice.
    begun: Vec<f64>,
    /// Members that have something to do with others: that send or receive, take part in collectives, or communicate.
    pub(super) connected: Vec<bool>,
    /// States in which members do something of their own and that begin, by member, value and slice.
    pub(super) work: Vec<WorkCell>,
    /// Links by container, end and slice, sorted by these.
    pub(super) links: Vec<RunLinks>,
    pub(super) pairs: Vec<PairRow>,
    pub(super) waits: Vec<WaitSumRow>,
    pub(super) variables: Vec<VariableCell>,
    pub(super) resources: Vec<ResourceRow>,
    pub(super) diagnostics: Vec<DiagnosticRow>,
    pub(super) trace: Option<TraceRow>,
    texts: Vec<String>,
    places: HashMap<i32, usize>,
    by_place: HashMap<usize, usize>,
}

/// Links of a container in a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RunLinks {
    pub(super) place: usize,
    pub(super) role: LinkRole,
    pub(super) slice: usize,
    pub(super) links: f64,
    pub(super) seconds: f64,
    pub(super) volume: f64,
}

impl RunMatrix {
    /// The matrix of rows about a window.
    pub fn new(rows: RunRows, start: f64, stop: f64, slices: usize) -> RunMatrix {
        let containers = tree(&rows.containers, &rows.texts);
        let places: HashMap<i32, usize> =
            containers.iter().enumerate().map(|(place, container)| (container.id, place)).collect();
        let mut run = RunMatrix {
            start,
            stop,
            slices: slices.max(1),
            containers,
            state_type: None,
            waits_in_type: false,
            values: vec![],
            members: vec![],
            groups: vec![],
            kin: vec![],
            busy: vec![],
            cycle: 1,
            begun: vec![],
            connected: vec![],
            work: vec![],
            links: vec![],
            pairs: vec![],
            waits: vec![],
            variables: vec![],
            resources: vec![],
            diagnostics: vec![],
            trace: None,
            texts: vec![],
            places,
            by_place: HashMap::new(),
        };
        if let Some(kind) = main_type(&rows) {
            run.add_states(&rows, kind);
            run.waits_in_type = waits_again(&rows, kind);
        }
        run.add_links(&rows);
        run.keep(rows);
        run.cycle = cycle(&run.work, &run.values, run.members.len(), (run.start, run.width(), run.slices));
        run.connected = run.connected_members();
        run
    }

    fn add_states(&mut self, rows: &RunRows, kind: u32) {
        let known: BTreeMap<u32, StateActivity> =
            rows.activities.iter().filter(|row| row.kind == kind).map(|row| (row.value, row.activity)).collect();
        let no_state =
            rows.activities.iter().find(|row| row.kind == kind).map_or(StateActivity::Unknown, |row| row.no_state);
        let cells = || rows.states.iter().filter(|cell| cell.kind == kind && self.places.contains_key(&cell.container));
        let mut texts: Vec<u32> = cells().map(|cell| cell.value).collect();
        texts.sort_unstable_by_key(|text| &rows.texts[*text as usize]);
        texts.dedup();
        let numbers: HashMap<u32, usize> = texts.iter().enumerate().map(|(number, text)| (*text, number)).collect();
        let mut values: Vec<RunValue> = texts
            .iter()
            .map(|text| RunValue {
                name: rows.texts[*text as usize].clone(),
                activity: known.get(text).copied().unwrap_or(StateActivity::Unknown),
                is_between: false,
            })
            .collect();
        let mut members: Vec<usize> = cells().map(|cell| self.places[&cell.container]).collect();
        members.sort_unstable();
        members.dedup();
        let by_place: HashMap<usize, usize> =
            members.iter().enumerate().map(|(member, place)| (*place, member)).collect();
        values.push(RunValue { name: NO_STATE.to_string(), activity: no_state, is_between: true });
        let (activities, slices) = (StateActivity::ALL.len(), self.slices);
        let mut busy = vec![0.0; members.len() * activities * slices];
        let mut covered = vec![0.0; members.len() * slices];
        for cell in cells().filter(|cell| (cell.slice as usize) < slices) {
            let (member, value) = (by_place[&self.places[&cell.container]], numbers[&cell.value]);
            let slice = cell.slice as usize;
            busy[(member * activities + values[value].activity as usize) * slices + slice] += cell.seconds;
            covered[member * slices + slice] += cell.seconds;
        }
        let gaps = gap_values(rows, kind, no_state, &numbers);
        let mut between: Vec<(&(u32, u32), &usize)> = gaps.iter().collect();
        between.sort_by_key(|(_, value)| **value);
        values.extend(between.into_iter().map(|((before, after), _)| RunValue {
            name: format!("{NO_STATE} between {} and {}", rows.texts[*before as usize], rows.texts[*after as usize]),
            activity: no_state,
            is_between: true,
        }));
        let mut begun = vec![0.0; members.len() * slices];
        let mut work: BTreeMap<(usize, usize, usize), WorkCell> = BTreeMap::new();
        for cell in rows.begun.iter().filter(|cell| cell.kind == kind && (cell.slice as usize) < slices) {
            let value = match cell.until {
                Some(until) => gaps.get(&(cell.value, until)),
                None => numbers.get(&cell.value),
            };
            let (Some(place), Some(value)) = (self.places.get(&cell.container), value) else { continue };
            let (Some(member), slice) = (by_place.get(place), cell.slice as usize) else { continue };
            if cell.until.is_none() {
                begun[member * slices + slice] += cell.states;
            }
            if !is_active(values[*value].activity) {
                continue;
            }
            let known = WorkCell { states: 0.0, seconds: 0.0, ..work_cell(*member, *value, cell) };
            let sum = work.entry((*member, *value, slice)).or_insert(known);
            (sum.states, sum.seconds) = (sum.states + cell.states, sum.seconds + cell.seconds);
            (sum.first, sum.last) = (sum.first.min(cell.first), sum.last.max(cell.last));
        }
        for (member, place) in members.iter().enumerate() {
            for slice in 0..slices {
                let (from, until) = (self.time(slice), self.time(slice + 1));
                let life = (until.min(self.containers[*place].end) - from.max(self.containers[*place].begin)).max(0.0);
                let gap = (life - covered[member * slices + slice]).max(0.0);
                busy[(member * activities + no_state as usize) * slices + slice] += gap;
            }
        }
        self.work = work.into_values().collect();
        self.state_type = rows.texts.get(kind as usize).cloned();
        for container in 0..self.containers.len() {
            let first = members.partition_point(|place| *place < container);
            let last = members.partition_point(|place| *place < self.containers[container].after);
            self.containers[container].members = (first, last);
        }
        let texts = |place: &usize| (self.containers[*place].kind.as_str(), self.containers[*place].name.as_str());
        let siblings = sibling_groups(&members.iter().map(texts).collect::<Vec<_>>());
        let mut profiles = vec![BTreeMap::new(); members.len()];
        for cell in self.work.iter().filter(|cell| values[cell.value].activity == StateActivity::Computation) {
            *profiles[cell.member].entry(cell.value).or_insert(0.0) += cell.seconds;
        }
        self.groups = alike_groups(&siblings, &profiles);
        self.kin = siblings.groups;
        (self.values, self.members, self.busy, self.by_place) = (values, members, busy, by_place);
        self.begun = begun;
    }

    fn add_links(&mut self, rows: &RunRows) {
        let mut sums: BTreeMap<(usize, LinkRole, usize), (f64, f64, f64)> = BTreeMap::new();
        for cell in rows.links.iter().filter(|cell| (cell.slice as usize) < self.slices) {
            let Some(place) = self.places.get(&cell.container) else { continue };
            let sum = sums.entry((*place, cell.role, cell.slice as usize)).or_default();
            *sum = (sum.0 + cell.links, sum.1 + cell.seconds, sum.2 + cell.volume);
        }
        let link =
            |((place, role, slice), (links, seconds, volume))| RunLinks { place, role, slice, links, seconds, volume };
        self.links = sums.into_iter().map(link).collect();
    }

    fn keep(&mut self, mut rows: RunRows) {
        let places = &self.places;
        rows.pairs.retain(|pair| places.contains_key(&pair.source) && places.contains_key(&pair.target));
        rows.pairs.sort_by_key(|pair| (pair.source, pair.target));
        let is_known = |id: &Option<i32>| id.is_none_or(|id| places.contains_key(&id));
        rows.waits.retain(|wait| is_known(&wait.container) && is_known(&wait.partner));
        rows.waits.sort_by_key(|wait| (wait.kind, wait.slice, wait.container, wait.partner));
        rows.variables.retain(|cell| places.contains_key(&cell.container));
        rows.variables.sort_by(|one, other| {
            let text = |cell: &VariableCell| rows.texts.get(cell.kind as usize);
            text(one).cmp(&text(other)).then((one.container, one.slice).cmp(&(other.container, other.slice)))
        });
        let text = |row: &DiagnosticRow| (rows.texts.get(row.code as usize), rows.texts.get(row.message as usize));
        rows.diagnostics.sort_by(|one, other| text(one).cmp(&text(other)));
        rows.resources.retain(|row| places.contains_key(&row.container));
        rows.resources.sort_by_key(|row| (row.kind, row.container));
        (self.pairs, self.waits, self.variables) = (rows.pairs, rows.waits, rows.variables);
        self.resources = rows.resources;
        (self.diagnostics, self.trace, self.texts) = (rows.diagnostics, rows.trace, rows.texts);
    }

    /// When a slice begins; the slice after the last begins when the last one ends.
    pub(super) fn time(&self, slice: usize) -> f64 {
        self.start + (self.stop - self.start) * slice as f64 / self.slices as f64
    }

    /// Length of a slice.
    pub(super) fn width(&self) -> f64 {
        (self.stop - self.start) / self.slices as f64
    }

    /// Seconds of all members: what severities are shares of.
    pub fn resource_seconds(&self) -> f64 {
        (self.stop - self.start) * self.members.len().max(1) as f64
    }

    /// Seconds of a member in an activity and slice.
    pub(super) fn busy(&self, member: usize, activity: StateActivity, slice: usize) -> f64 {
        self.busy[(member * StateActivity::ALL.len() + activity as usize) * self.slices + slice]
    }

    /// States of a member that begin within slices, of any activity.
    pub(super) fn begun(&self, member: usize, slices: (usize, usize)) -> f64 {
        self.begun[member * self.slices + slices.0..member * self.slices + slices.1].iter().sum()
    }

    /// Seconds in which a member does something of its own.
    pub(super) fn active(&self, member: usize, slice: usize) -> f64 {
        [StateActivity::Computation, StateActivity::InputOutput, StateActivity::Overhead]
            .map(|activity| self.busy(member, activity, slice))
            .into_iter()
            .sum()
    }

    /// Seconds in which a member waits or communicates.
    pub(super) fn blocked(&self, member: usize, slice: usize) -> f64 {
        self.busy(member, StateActivity::Waiting, slice) + self.busy(member, StateActivity::Communication, slice)
    }

    fn connected_members(&self) -> Vec<bool> {
        let communicates =
            |member: usize| (0..self.slices).any(|slice| self.busy(member, StateActivity::Communication, slice) > 0.0);
        let mut connected: Vec<bool> = (0..self.members.len()).map(communicates).collect();
        let waits = self.waits.iter().filter(|wait| wait.partner.is_some() && wait.seconds > 0.0);
        let ends = self.pairs.iter().flat_map(|pair| [pair.source, pair.target]);
        for id in waits.filter_map(|wait| wait.container).chain(ends) {
            if let Some(member) = self.place(id).and_then(|place| self.member_at(place)) {
                connected[member] = true;
            }
        }
        connected
    }

    /// Whether a member lives during at least half of a slice.
    pub(super) fn lives(&self, member: usize, slice: usize) -> bool {
        let container = &self.containers[self.members[member]];
        self.time(slice + 1).min(container.end) - self.time(slice).max(container.begin) >= 0.5 * self.width()
    }

    /// The values of what members do of their own within slices, the longest first.
    pub(super) fn work_values(&self, members: (usize, usize), slices: (usize, usize)) -> Vec<String> {
        let mut sums = vec![0.0; self.values.len()];
        for cell in &self.work {
            if (members.0..members.1).contains(&cell.member) && (slices.0..slices.1).contains(&cell.slice) {
                sums[cell.value] += cell.seconds;
            }
        }
        let whole: f64 = sums.iter().sum();
        let mut order: Vec<usize> =
            (0..sums.len()).filter(|value| whole > 0.0 && sums[*value] >= 0.1 * whole).collect();
        order.sort_by(|one, other| sums[*other].total_cmp(&sums[*one]).then(one.cmp(other)));
        order.into_iter().map(|value| self.values[value].name.clone()).collect()
    }

    /// A text by its number.
    pub(super) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }

    /// The place of a container.
    pub(super) fn place(&self, id: i32) -> Option<usize> {
        self.places.get(&id).copied()
    }

    /// The member at a place.
    pub(super) fn member_at(&self, place: usize) -> Option<usize> {
        self.by_place.get(&place).copied()
    }

    /// The name of a container.
    pub(super) fn name(&self, place: usize) -> &str {
        self.containers.get(place).map_or("", |container| container.name.as_str())
    }

    /// How many containers a container is below.
    pub(super) fn depth(&self, place: usize) -> usize {
        std::iter::successors(self.containers[place].parent, |above| self.containers[*above].parent).count()
    }

    /// The smallest container that holds some places; `None` when they have nothing in common.
    pub(super) fn common(&self, places: impl IntoIterator<Item = usize>) -> Option<usize> {
        let mut places = places.into_iter();
        let mut found = places.next()?;
        for place in places {
            while !(found..self.containers[found].after).contains(&place) {
                found = self.containers[found].parent?;
            }
        }
        Some(found)
    }
}

/// Whether a container does something of its own.
pub(super) fn is_active(activity: StateActivity) -> bool {
    matches!(activity, StateActivity::Computation | StateActivity::InputOutput | StateActivity::Overhead)
}

/// Numbers of the values that times between two states are, where these are computation: behind the states and
/// [`NO_STATE`].
fn gap_values(
    rows: &RunRows,
    kind: u32,
    no_state: StateActivity,
    numbers: &HashMap<u32, usize>,
) -> HashMap<(u32, u32), usize> {
    let mut found: Vec<(u32, u32)> = rows
        .begun
        .iter()
        .filter(|cell| cell.kind == kind && no_state == StateActivity::Computation)
        .filter_map(|cell| Some((cell.value, cell.until?)))
        .collect();
    found.sort_unstable_by_key(|(before, after)| (&rows.texts[*before as usize], &rows.texts[*after as usize]));
    found.dedup();
    found.into_iter().enumerate().map(|(place, between)| (between, numbers.len() + 1 + place)).collect()
}

fn work_cell(member: usize, value: usize, cell: &BegunCell) -> WorkCell {
    let BegunCell { states, seconds, first, last, .. } = *cell;
    WorkCell { member, value, slice: cell.slice as usize, states, seconds, first, last }
}
