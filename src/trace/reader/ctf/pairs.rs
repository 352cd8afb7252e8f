//! Which events are the begin and the end of a state: rules in a table, `pairs.txt`.
//!
//! In: the table, and lines that a user adds; the names of the events of a trace. Out: what each of them begins or ends.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;

/// The rules that are built in.
const TABLE: &str = include_str!("pairs.txt");

/// What a state is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairPlace {
    Thread,
    Cpu,
    Auto,
}

/// Which end of a state an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairSide {
    Begin,
    End,
}

/// What an event does to states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PairedEvents {
    pub side: PairSide,
    pub type_: String,
    /// What begin and end have in common; empty where the end does not say what it ends.
    pub key: Arc<str>,
    /// The value of the state, unless a field has it.
    pub value: String,
    pub value_field: Option<String>,
    pub place: PairPlace,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PairRule {
    begin: String,
    end: String,
    type_: String,
    value: String,
    place: PairPlace,
}

/// Rules, those of a user first.
#[derive(Debug, Default)]
pub(super) struct PairRules {
    rules: Vec<PairRule>,
}

impl PairRules {
    /// The rules of a user and those that are built in; also the lines that are no rules.
    pub fn new(own: &str) -> (PairRules, Vec<String>) {
        let (mut rules, mut faults) = (vec![], vec![]);
        for line in own.lines().chain(TABLE.lines()).map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match rule(line) {
                Some(rule) => rules.push(rule),
                None => faults.push(line.to_string()),
            }
        }
        (PairRules { rules }, faults)
    }

    /// By name: what the events of a trace begin or end. An event is one only where its other end is there too.
    pub fn pairs(&self, names: &BTreeSet<&str>) -> HashMap<String, PairedEvents> {
        let mut pairs: HashMap<String, PairedEvents> = HashMap::new();
        for rule in &self.rules {
            for name in names {
                let Some(part) = captured(&rule.begin, name) else { continue };
                let end = rule.end.replacen('*', part, 1);
                if end == *name || !names.contains(end.as_str()) || pairs.contains_key(*name) {
                    continue;
                }
                let has_part = rule.end.contains('*') || !rule.begin.contains('*');
                let clean = part.trim_end_matches([':', '_', '.']);
                let pair = PairedEvents {
                    side: PairSide::Begin,
                    type_: rule.type_.clone(),
                    key: if has_part { part.into() } else { "".into() },
                    value: if clean.is_empty() { rule.type_.clone() } else { clean.to_string() },
                    value_field: Some(rule.value.clone()).filter(|field| field != "*"),
                    place: rule.place,
                };
                // Several may have one end, when it belongs to one rule.
                let is_other = |known: &PairedEvents| (&known.type_, &known.key) != (&pair.type_, &pair.key);
                if pairs.get(&end).is_some_and(|known| known.side == PairSide::Begin || is_other(known)) {
                    continue;
                }
                pairs.entry(end).or_insert_with(|| PairedEvents { side: PairSide::End, ..pair.clone() });
                pairs.insert(name.to_string(), pair);
            }
        }
        pairs
    }
}

fn rule(line: &str) -> Option<PairRule> {
    let mut words = line.split_whitespace().map(str::to_string);
    let (begin, end, type_, value) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let place = match words.next()?.as_str() {
        "thread" => PairPlace::Thread,
        "cpu" => PairPlace::Cpu,
        "auto" => PairPlace::Auto,
        _ => return None,
    };
    Some(PairRule { begin, end, type_, value, place })
}

/// What `*` stands for, when a name fits a pattern.
fn captured<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    match pattern.split_once('*') {
        Some((before, after)) => name.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == name).then_some(""),
    }
}
