//! The sweep behind replay_savings: all changes at once, over states and links in the order of time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::{ArrayRef, Int64Array, StringViewArray};
use datafusion::common::{Result, ScalarValue, exec_err};

use super::path_rows::{PathNames, states_at_once};
use super::replay_rows::{ChangeRow, REPLAY_PACKED, ReplayCodes, ReplayInput, for_each};
use super::replay_scenario::{ChangeField, Scenario, ScenarioReplay};
use crate::functions::plans::table_sweep::{RowPacker, RowSweep};
use ocellus_kernels::replay::{ReplayFacts, ReplayPart, ReplaySurvey, Replayed};

/// Changes at most: each is a replay of its own.
const MOST_CHANGES: usize = 1000;
/// The pass that replays. Before it states are surveyed, and measured where phases are balanced.
const LAST_PASS: usize = 2;

/// Begins the replays.
pub(crate) fn begin(_constants: &[ScalarValue]) -> Result<Box<dyn RowSweep>> {
    Ok(Box::new(ReplayedEnds::default()))
}

/// A replay, of which only the end counts.
#[derive(Debug)]
struct EndReplay {
    replay: ScenarioReplay<()>,
    end: i64,
}

#[derive(Debug, Default)]
struct ReplayedEnds {
    codes: Arc<Mutex<ReplayCodes>>,
    /// When all codes are there.
    names: Option<PathNames>,
    /// By preorder.
    containers: BTreeMap<i64, u32>,
    scenarios: BTreeMap<u32, Scenario>,
    replays: Vec<EndReplay>,
    survey: ReplaySurvey,
    facts: ReplayFacts,
    /// First start and last end of the measured run.
    run: Option<(i64, i64)>,
    is_finished: bool,
}

fn locked(codes: &Mutex<ReplayCodes>) -> MutexGuard<'_, ReplayCodes> {
    codes.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ReplayedEnds {
    fn add_change(&mut self, row: &ChangeRow, names: &PathNames) -> Result<()> {
        if ChangeField::of_row(row, names) == Some(ChangeField::Place) {
            self.containers.insert(row.amount, row.change);
            return Ok(());
        }
        self.scenarios.entry(row.change).or_default().add(row, names)?;
        if self.scenarios.len() > MOST_CHANGES {
            return exec_err!("replay_savings: at most {MOST_CHANGES} changes can be replayed at once");
        }
        Ok(())
    }

    fn extend(&mut self, start: i64, end: i64) {
        let (start, end) = (start.min(end), start.max(end));
        self.run = Some(self.run.map_or((start, end), |run| (run.0.min(start), run.1.max(end))));
    }

    fn see(&mut self, pass: usize, row: ReplayInput<'_>, names: &PathNames) -> Result<()> {
        match (row, pass) {
            (ReplayInput::Change(change), 0) => return self.add_change(&change, names),
            (ReplayInput::State(state, part, _), 0) => {
                self.extend(state.start, state.end);
                if part != ReplayPart::Carried {
                    self.survey.add_state(state);
                }
            }
            (ReplayInput::Link(message, volume, _), 0) => {
                self.extend(message.start, message.end);
                self.survey.add_link(message, volume);
            }
            (ReplayInput::State(state, part, _), 1) if part != ReplayPart::Carried => {
                for EndReplay { replay, .. } in &mut self.replays {
                    replay.measure(&state);
                }
            }
            (ReplayInput::State(state, part, _), LAST_PASS) => {
                for EndReplay { replay, end } in &mut self.replays {
                    let mut give = |row: Replayed<()>| *end = row.start.max(row.end).max(*end);
                    replay.add_state(state, part, (), names, &mut give);
                }
            }
            (ReplayInput::Link(message, volume, _), LAST_PASS) => {
                for EndReplay { replay, end } in &mut self.replays {
                    let mut give = |row: Replayed<()>| *end = row.start.max(row.end).max(*end);
                    replay.add_link(message, volume, (), &mut give);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn begin_replays(&mut self) -> Result<()> {
        match std::mem::take(&mut self.survey).finish() {
            Ok(facts) => self.facts = facts,
            Err((one, other)) => return states_at_once("replay_savings", self.names.as_ref(), &one, &other),
        }
        for mut scenario in std::mem::take(&mut self.scenarios).into_values() {
            scenario.choose_subtree(&self.containers);
            let mut replay = ScenarioReplay::new(scenario);
            replay.begin(&self.facts);
            self.replays.push(EndReplay { replay, end: i64::MIN });
        }
        self.containers.clear();
        Ok(())
    }
}

impl RowSweep for ReplayedEnds {
    fn passes(&self) -> usize {
        LAST_PASS + 1
    }

    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let names = self.names.take().unwrap_or_else(|| PathNames::new(&locked(&self.codes).path));
        let mut outcome = Ok(());
        for_each(&names, columns, |row| {
            if outcome.is_ok() {
                outcome = self.see(pass, row, &names);
            }
        });
        self.names = Some(names);
        outcome
    }

    fn finish(&mut self, pass: usize) -> Result<()> {
        match pass {
            0 => self.begin_replays()?,
            1 => self.replays.iter_mut().for_each(|known| known.replay.end_measuring(&self.facts)),
            _ => {
                for EndReplay { replay, end } in &mut self.replays {
                    replay.finish(&mut |row: Replayed<()>| *end = row.start.max(row.end).max(*end));
                }
                self.is_finished = true;
            }
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let Some((start, old_end)) = self.run.filter(|_| self.is_finished && !self.replays.is_empty()) else {
            return Ok(None);
        };
        let replays = std::mem::take(&mut self.replays);
        let names = replays.iter().map(|known| known.replay.scenario.name.as_deref());
        Ok(Some(vec![
            Arc::new(names.collect::<StringViewArray>()),
            Arc::new(Int64Array::from_value(start, replays.len())),
            Arc::new(Int64Array::from_value(old_end, replays.len())),
            Arc::new(Int64Array::from_iter_values(replays.iter().map(|known| known.end))),
        ]))
    }

    fn size(&self) -> usize {
        let replays: usize = self.replays.iter().map(|known| known.replay.bytes()).sum();
        let scenarios = self.scenarios.len() * 2 * size_of::<Scenario>();
        let containers = self.containers.len() * 2 * size_of::<(i64, u32)>();
        size_of_val(self) + locked(&self.codes).bytes() + self.survey.bytes() + replays + scenarios + containers
    }

    fn packer(&self) -> Option<RowPacker> {
        let codes = Arc::clone(&self.codes);
        Some(RowPacker { types: &REPLAY_PACKED, pack: Box::new(move |columns| locked(&codes).pack(columns)) })
    }
}
