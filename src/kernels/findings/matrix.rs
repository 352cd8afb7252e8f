//! A run as a matrix: members of the tree that do something, slices of time, and what they do.

use std::collections::{BTreeMap, HashMap};

use super::rows::{
    DiagnosticRow, LinkRole, PairRow, RunRows, StateActivity, TraceRow, TreeContainerRow, VariableCell, WaitSumRow,
};

use super::siblings::sibling_groups;

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
    /// The type of states that the findings are about: that with most computation.
    pub state_type: Option<String>,
    /// The values of its states, by name; time in no state is the last, if it is computation.
    pub(super) values: Vec<RunValue>,
    /// Places of the containers that have such states.
    pub(super) members: Vec<usize>,
    /// The number of the group of siblings of each member.
    pub(super) groups: Vec<usize>,
    /// Seconds by member, activity and slice.
    busy: Vec<f64>,
    /// States in which members do something of their own and that begin, by member, value and slice.
    pub(super) work: Vec<WorkCell>,
    /// Links by container, end and slice, sorted by these.
    pub(super) links: Vec<RunLinks>,
    pub(super) pairs: Vec<PairRow>,
    pub(super) waits: Vec<WaitSumRow>,
    pub(super) variables: Vec<VariableCell>,
    pub(super) diagnostics: Vec<DiagnosticRow>,
    pub(super) trace: Option<TraceRow>,
    texts: Vec<String>,
    places: HashMap<i32, usize>,
    by_place: HashMap<usize, usize>,
}

/// A container of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct RunContainer {
    /// Its id.
    pub id: i32,
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// Place of its parent.
    pub parent: Option<usize>,
    /// Place behind its last descendant.
    pub(super) after: usize,
    /// Its members, those below it included: a range of members.
    pub(super) members: (usize, usize),
    pub(super) begin: f64,
    pub(super) end: f64,
}

/// A value of states.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunValue {
    pub(super) name: String,
    pub(super) activity: StateActivity,
}

/// States of a member and value that begin in a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WorkCell {
    pub(super) member: usize,
    pub(super) value: usize,
    pub(super) slice: usize,
    pub(super) states: f64,
    pub(super) seconds: f64,
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
            values: vec![],
            members: vec![],
            groups: vec![],
            busy: vec![],
            work: vec![],
            links: vec![],
            pairs: vec![],
            waits: vec![],
            variables: vec![],
            diagnostics: vec![],
            trace: None,
            texts: vec![],
            places,
            by_place: HashMap::new(),
        };
        if let Some(kind) = main_type(&rows) {
            run.add_states(&rows, kind);
        }
        run.add_links(&rows);
        run.keep(rows);
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
            })
            .collect();
        let mut members: Vec<usize> = cells().map(|cell| self.places[&cell.container]).collect();
        members.sort_unstable();
        members.dedup();
        let by_place: HashMap<usize, usize> =
            members.iter().enumerate().map(|(member, place)| (*place, member)).collect();
        let states = values.len();
        values.push(RunValue { name: NO_STATE.to_string(), activity: no_state });
        let (activities, slices) = (StateActivity::ALL.len(), self.slices);
        let mut busy = vec![0.0; members.len() * activities * slices];
        let mut covered = vec![0.0; members.len() * slices];
        for cell in cells().filter(|cell| (cell.slice as usize) < slices) {
            let (member, value) = (by_place[&self.places[&cell.container]], numbers[&cell.value]);
            let slice = cell.slice as usize;
            busy[(member * activities + values[value].activity as usize) * slices + slice] += cell.seconds;
            covered[member * slices + slice] += cell.seconds;
        }
        let mut begun = vec![0.0; members.len() * slices];
        let mut work: BTreeMap<(usize, usize, usize), (f64, f64)> = BTreeMap::new();
        for cell in rows.begun.iter().filter(|cell| cell.kind == kind && (cell.slice as usize) < slices) {
            let (Some(place), Some(value)) = (self.places.get(&cell.container), numbers.get(&cell.value)) else {
                continue;
            };
            let Some(member) = by_place.get(place) else { continue };
            begun[member * slices + cell.slice as usize] += cell.states;
            if is_active(values[*value].activity) {
                let sums = work.entry((*member, *value, cell.slice as usize)).or_default();
                *sums = (sums.0 + cell.states, sums.1 + cell.seconds);
            }
        }
        for (member, place) in members.iter().enumerate() {
            for slice in 0..slices {
                let (from, until) = (self.time(slice), self.time(slice + 1));
                let life = (until.min(self.containers[*place].end) - from.max(self.containers[*place].begin)).max(0.0);
                let gap = (life - covered[member * slices + slice]).max(0.0);
                busy[(member * activities + no_state as usize) * slices + slice] += gap;
                let calls = begun[member * slices + slice];
                if no_state == StateActivity::Computation && calls > 0.0 && gap > 0.0 {
                    work.insert((member, states, slice), (calls, gap));
                }
            }
        }
        self.work = work
            .into_iter()
            .map(|((member, value, slice), (states, seconds))| WorkCell { member, value, slice, states, seconds })
            .collect();
        self.state_type = rows.texts.get(kind as usize).cloned();
        for container in 0..self.containers.len() {
            let first = members.partition_point(|place| *place < container);
            let last = members.partition_point(|place| *place < self.containers[container].after);
            self.containers[container].members = (first, last);
        }
        let texts = |place: &usize| (self.containers[*place].kind.as_str(), self.containers[*place].name.as_str());
        self.groups = sibling_groups(&members.iter().map(texts).collect::<Vec<_>>());
        (self.values, self.members, self.busy, self.by_place) = (values, members, busy, by_place);
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
        (self.pairs, self.waits, self.variables) = (rows.pairs, rows.waits, rows.variables);
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

/// The type of states with most computation; else that of which most is known; else that with most time.
fn main_type(rows: &RunRows) -> Option<u32> {
    let activities: HashMap<(u32, u32), StateActivity> =
        rows.activities.iter().map(|row| ((row.kind, row.value), row.activity)).collect();
    let no_state: HashMap<u32, StateActivity> = rows.activities.iter().map(|row| (row.kind, row.no_state)).collect();
    let mut sums: BTreeMap<u32, [f64; 3]> = BTreeMap::new();
    let known: HashMap<i32, f64> = rows.containers.iter().map(|row| (row.id, row.end - row.begin)).collect();
    let mut owners: BTreeMap<(u32, i32), f64> = BTreeMap::new();
    for cell in rows.states.iter().filter(|cell| known.contains_key(&cell.container)) {
        let activity = activities.get(&(cell.kind, cell.value)).copied().unwrap_or(StateActivity::Unknown);
        let sum = sums.entry(cell.kind).or_default();
        sum[2] += cell.seconds;
        sum[1] += if activity == StateActivity::Unknown { 0.0 } else { cell.seconds };
        sum[0] += if activity == StateActivity::Computation { cell.seconds } else { 0.0 };
        *owners.entry((cell.kind, cell.container)).or_default() += cell.seconds;
    }
    for ((kind, container), seconds) in owners {
        if no_state.get(&kind) == Some(&StateActivity::Computation) {
            let gap = (known[&container] - seconds).max(0.0);
            if let Some(sum) = sums.get_mut(&kind) {
                sum[0] += gap;
                sum[1] += gap;
            }
        }
    }
    let text = |kind: u32| rows.texts.get(kind as usize);
    let order = |one: &(u32, [f64; 3]), other: &(u32, [f64; 3])| {
        let sums =
            one.1.iter().zip(&other.1).fold(std::cmp::Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(b)));
        sums.then_with(|| text(other.0).cmp(&text(one.0)))
    };
    sums.into_iter().max_by(order).map(|(kind, _)| kind)
}

/// The containers, parents first.
fn tree(rows: &[TreeContainerRow], texts: &[String]) -> Vec<RunContainer> {
    let mut rows: Vec<&TreeContainerRow> = rows.iter().collect();
    rows.sort_by_key(|row| (row.preorder, row.id));
    let places: HashMap<i32, usize> = rows.iter().enumerate().map(|(place, row)| (row.id, place)).collect();
    let text = |number: u32| texts.get(number as usize).cloned().unwrap_or_default();
    let mut containers: Vec<RunContainer> = rows
        .iter()
        .enumerate()
        .map(|(place, row)| RunContainer {
            id: row.id,
            name: text(row.name),
            kind: text(row.kind),
            parent: row.parent.and_then(|parent| places.get(&parent).copied()).filter(|parent| *parent < place),
            after: place + 1,
            members: (0, 0),
            begin: row.begin,
            end: row.end,
        })
        .collect();
    for place in (0..containers.len()).rev() {
        if let Some(parent) = containers[place].parent {
            containers[parent].after = containers[parent].after.max(containers[place].after);
        }
    }
    containers
}
