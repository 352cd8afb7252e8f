//! One run as it could be: what is changed, and the replay with it.

use std::collections::BTreeMap;

use datafusion::common::{Result, exec_err};
use hashbrown::HashSet;

use super::comm_waits::role_of;
use super::path_rows::PathNames;
use super::replay_rows::ChangeRow;
use ocellus_kernels::replay::{
    BalanceSurvey, ReplayChanges, ReplayFacts, ReplayLink, ReplayPart, ReplayState, ReplaySweep, Replayed,
};
use ocellus_kernels::waiting::{StateRole, TimedState, WaitMessage};

/// What a row of a change says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeField {
    /// Text: what it is called.
    Name,
    /// Number: factor on latency.
    Latency,
    /// Number: factor on the time of transfers.
    Transfer,
    /// Number: factor on the time of states.
    Factor,
    /// Text: the value of these.
    Value,
    /// Amount: a container that it applies to.
    Container,
    /// Amount: a container whose links it applies to, which sends them.
    Source,
    /// Amount: one that receives them.
    Target,
    /// Amount: the tick from which on it applies.
    Start,
    /// Amount: the tick until which it applies.
    Stop,
    /// Phases are balanced.
    Balance,
    /// Amount: preorder of the topmost container that it applies to.
    First,
    /// Amount: preorder of the last container below that.
    Last,
    /// Of a container, not of a change; amount: its preorder.
    Place,
}

const FIELDS: [ChangeField; 14] = [
    ChangeField::Name,
    ChangeField::Latency,
    ChangeField::Transfer,
    ChangeField::Factor,
    ChangeField::Value,
    ChangeField::Container,
    ChangeField::Source,
    ChangeField::Target,
    ChangeField::Start,
    ChangeField::Stop,
    ChangeField::Balance,
    ChangeField::First,
    ChangeField::Last,
    ChangeField::Place,
];

impl ChangeField {
    /// What a row says.
    pub(crate) fn of_row(row: &ChangeRow, names: &PathNames) -> Option<ChangeField> {
        let (_, number, _) = names.state(row.code);
        FIELDS.get(usize::try_from(number?).ok()?).copied()
    }
}

/// What is changed.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) name: Option<String>,
    pub(crate) changes: ReplayChanges,
    /// On the time of states.
    pub(crate) factor: f64,
    /// Of the states that are changed.
    pub(crate) value: Option<String>,
    pub(crate) is_balanced: bool,
    /// First and last preorder of the containers that it applies to.
    pub(crate) subtree: Option<(i64, i64)>,
}

impl Default for Scenario {
    fn default() -> Scenario {
        Scenario {
            name: None,
            changes: ReplayChanges::NONE,
            factor: 1.0,
            value: None,
            is_balanced: false,
            subtree: None,
        }
    }
}

impl Scenario {
    /// Adds what a row says. Numbers must be factors.
    pub(crate) fn add(&mut self, row: &ChangeRow, names: &PathNames) -> Result<()> {
        let (text, ..) = names.state(row.code);
        let Some(field) = ChangeField::of_row(row, names) else { return Ok(()) };
        let factor = row.number.unwrap_or(1.0);
        if !(0.0..=1e6).contains(&factor) {
            return exec_err!("a factor of a change must be between 0 and 1000000, got {factor}");
        }
        let container = row.amount as u32;
        match field {
            ChangeField::Name => self.name = text.map(str::to_string),
            ChangeField::Latency => self.changes.network.latency = factor,
            ChangeField::Transfer => self.changes.network.transfer = factor,
            ChangeField::Factor => self.factor = factor,
            ChangeField::Value => self.value = text.map(str::to_string),
            ChangeField::Container => insert(&mut self.changes.containers, container),
            ChangeField::Source => insert(&mut self.changes.links.sources, container),
            ChangeField::Target => insert(&mut self.changes.links.targets, container),
            ChangeField::Start => self.changes.window.0 = row.amount,
            ChangeField::Stop => self.changes.window.1 = row.amount,
            ChangeField::Balance => self.is_balanced = true,
            ChangeField::First => self.subtree.get_or_insert((0, -1)).0 = row.amount,
            ChangeField::Last => self.subtree.get_or_insert((0, -1)).1 = row.amount,
            ChangeField::Place => {}
        }
        Ok(())
    }

    /// The containers of its subtree are chosen, by preorder.
    pub(crate) fn choose_subtree(&mut self, containers: &BTreeMap<i64, u32>) {
        let Some((first, last)) = self.subtree.take() else { return };
        let below = containers.range(first..).take_while(|(place, _)| **place <= last);
        self.changes.containers = Some(below.map(|(_, container)| *container).collect());
    }

    /// The factor of a state: of those of a value, else of those in which a container neither communicates nor waits. What
    /// is beside the state that is followed has a factor of its own only by its value.
    fn factor_of(&self, state: &TimedState, part: ReplayPart, names: &PathNames) -> f64 {
        let (text, number, joins) = names.state(state.value);
        let is_changed = match &self.value {
            Some(value) => text == Some(value.as_str()),
            None => {
                let is_own = !joins && !matches!(role_of(number), StateRole::Communicates | StateRole::Waits);
                is_own && part != ReplayPart::Carried
            }
        };
        if is_changed { self.factor } else { 1.0 }
    }

    fn bytes(&self) -> usize {
        let sets = [&self.changes.containers, &self.changes.links.sources, &self.changes.links.targets];
        let sets = sets.into_iter().flatten().map(HashSet::allocation_size).sum::<usize>();
        sets + self.changes.balance.as_ref().map_or(0, |balance| balance.bytes())
    }
}

fn insert(set: &mut Option<HashSet<u32>>, container: u32) {
    set.get_or_insert_default().insert(container);
}

/// A scenario under way.
#[derive(Debug)]
pub(crate) struct ScenarioReplay<D> {
    pub(crate) scenario: Scenario,
    survey: Option<BalanceSurvey>,
    sweep: ReplaySweep<D>,
}

impl<D> ScenarioReplay<D> {
    pub(crate) fn new(scenario: Scenario) -> ScenarioReplay<D> {
        let sweep = ReplaySweep::new(ReplayChanges::NONE, ReplayFacts::default());
        ScenarioReplay { scenario, survey: None, sweep }
    }

    /// The trace was surveyed.
    pub(crate) fn begin(&mut self, facts: &ReplayFacts) {
        let Scenario { changes, factor, value, is_balanced, .. } = &mut self.scenario;
        changes.gap_factor = if value.is_some() { 1.0 } else { *factor };
        if *is_balanced {
            self.survey = Some(BalanceSurvey::new(changes.clone(), facts.clone()));
        } else {
            self.sweep = ReplaySweep::new(changes.clone(), facts.clone());
        }
    }

    /// Measures a state, if phases are balanced.
    pub(crate) fn measure(&mut self, state: &TimedState) {
        if let Some(survey) = &mut self.survey {
            survey.add_state(state);
        }
    }

    /// All states were measured.
    pub(crate) fn end_measuring(&mut self, facts: &ReplayFacts) {
        if let Some(survey) = self.survey.take() {
            self.scenario.changes.balance = Some(survey.finish());
            self.sweep = ReplaySweep::new(self.scenario.changes.clone(), facts.clone());
        }
    }

    pub(crate) fn add_state(
        &mut self,
        state: TimedState,
        part: ReplayPart,
        detail: D,
        names: &PathNames,
        give: &mut impl FnMut(Replayed<D>),
    ) {
        let factor = self.scenario.factor_of(&state, part, names);
        self.sweep.add_state(ReplayState { state, part, factor, detail }, give);
    }

    pub(crate) fn add_link(
        &mut self,
        message: WaitMessage,
        volume: Option<f64>,
        detail: D,
        give: &mut impl FnMut(Replayed<D>),
    ) {
        self.sweep.add_link(ReplayLink { message, volume, detail }, give);
    }

    pub(crate) fn finish(&mut self, give: &mut impl FnMut(Replayed<D>)) {
        self.sweep.finish(give);
    }

    /// Bytes that it holds. The sweep has its own copy of the changes.
    pub(crate) fn bytes(&self) -> usize {
        let survey = self.survey.as_ref().map_or(0, BalanceSurvey::bytes);
        size_of_val(self) + survey + self.sweep.bytes() + 2 * self.scenario.bytes()
    }
}
