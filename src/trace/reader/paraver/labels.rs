//! The `.pcf` file: names and colors of states, names of event types and of their values.
//!
//! ```text
//! STATES                        STATES_COLOR              EVENT_TYPE                  color, type, label
//! 1    Running                  1    {0,0,255}            9   50000001    MPI Point-to-point
//! 2    Not created                                        VALUES                      of all types above it
//!                                                         31   MPI_Init
//! ```
//! A section ends with the next one or, once it has lines, with an empty line.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

/// An event type as the file describes it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ParaverType {
    pub label: String,
    /// The number of its table of values, when it has one.
    pub values: Option<usize>,
    /// What its values are divided by: 10 to the power of PRECISION.
    pub divisor: Option<f64>,
}

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct ParaverLabels {
    pub states: HashMap<i64, String>,
    /// `0.1 0.2 0.3`
    pub colors: HashMap<i64, String>,
    pub types: HashMap<i64, ParaverType>,
    pub values: Vec<HashMap<i64, String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PcfSection {
    Skipped,
    States,
    StateColors,
    EventTypes,
    Values,
}

impl ParaverLabels {
    pub fn parse(text: &str) -> ParaverLabels {
        let mut labels = ParaverLabels::default();
        let mut section = PcfSection::Skipped;
        let mut has_lines = false;
        // The types of the block at hand.
        let mut block: Vec<i64> = vec![];
        for line in text.lines() {
            let line = line.trim();
            if line.is_empty() {
                if has_lines && section == PcfSection::Values {
                    section = PcfSection::Skipped;
                }
                continue;
            }
            let (word, rest) = split_word(line);
            if word.starts_with(|first: char| first.is_ascii_uppercase()) {
                has_lines = false;
                section = match word {
                    "STATES" => PcfSection::States,
                    "STATES_COLOR" => PcfSection::StateColors,
                    "EVENT_TYPE" => {
                        block.clear();
                        PcfSection::EventTypes
                    }
                    "VALUES" => {
                        labels.values.push(HashMap::new());
                        let table = labels.values.len() - 1;
                        labels.each(&block, |found| found.values = Some(table));
                        PcfSection::Values
                    }
                    "PRECISION" => {
                        let digits: i32 = rest.parse().unwrap_or(0);
                        labels.each(&block, |found| found.divisor = Some(10_f64.powi(digits.clamp(0, 30))));
                        continue;
                    }
                    _ => PcfSection::Skipped,
                };
                continue;
            }
            has_lines = true;
            let Ok(number) = word.parse::<i64>() else { continue };
            match section {
                PcfSection::Skipped => {}
                PcfSection::States => {
                    labels.states.insert(number, rest.to_string());
                }
                PcfSection::StateColors => {
                    labels.colors.extend(color(rest).map(|color| (number, color)));
                }
                PcfSection::EventTypes => {
                    let (type_, label) = split_word(rest);
                    if let Ok(type_) = type_.parse() {
                        block.push(type_);
                        let label = label.to_string();
                        labels.types.insert(type_, ParaverType { label, ..ParaverType::default() });
                    }
                }
                PcfSection::Values => {
                    if let Some(values) = labels.values.last_mut() {
                        values.insert(number, rest.to_string());
                    }
                }
            }
        }
        labels
    }

    fn each(&mut self, block: &[i64], mut change: impl FnMut(&mut ParaverType)) {
        for type_ in block {
            if let Some(found) = self.types.get_mut(type_) {
                change(found);
            }
        }
    }

    /// The values of a type, when it has any.
    pub fn values_of(&self, type_: i64) -> Option<&HashMap<i64, String>> {
        self.types.get(&type_)?.values.and_then(|table| self.values.get(table))
    }
}

/// The first word of a line, and the rest without blanks around it.
fn split_word(line: &str) -> (&str, &str) {
    match line.split_once([' ', '\t']) {
        Some((word, rest)) => (word, rest.trim()),
        None => (line, ""),
    }
}

/// `{0,255,2}` as the three shares that Pajé writes.
fn color(text: &str) -> Option<String> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let shares: Vec<f64> = inner.split(',').map_while(|part| part.trim().parse::<f64>().ok()).collect();
    match shares[..] {
        [red, green, blue] if shares.iter().all(|share| (0.0..=255.0).contains(share)) => {
            Some([red, green, blue].map(|share| format!("{:.4}", share / 255.0)).join(" "))
        }
        _ => None,
    }
}
