//! The colors of the values of one picture: the largest have a color each, the rest is gray.
//!
//! Nobody tells forty colors apart: a picture shows a dozen values in the colors that they have in every picture of the
//! trace, and counts the others. One that is gray elsewhere, where it is small, has another color here. Time in no state
//! is no value: it comes last, as pale as in a timeline.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::color::{Color, Palette};

/// Values with a color of their own.
const MAX_VALUES: usize = 12;
/// The color of the rest.
const REST: Color = Color::REST;
/// What stands for time in no state among values.
pub const NO_STATE: &str = "no state";
/// The same where the rules of activities make it computation.
pub const NO_STATE_COMPUTATION: &str = "no state (computation)";

/// Whether a value stands for time in no state.
pub fn is_no_state(value: &str) -> bool {
    value == NO_STATE || value == NO_STATE_COMPUTATION
}

/// Which value has which color.
#[derive(Debug, Clone, Default)]
pub struct ValueColors {
    colors: BTreeMap<String, Color>,
    /// The values with a color of their own, the largest first.
    shown: Vec<String>,
    rest: usize,
    /// The name of time in no state, when there is some.
    no_state: Option<String>,
}

impl ValueColors {
    /// The colors of values with their weights, in any order; values without a name have none.
    pub fn new(palette: &Palette, weights: &[(String, f64)]) -> ValueColors {
        let mut order: Vec<&(String, f64)> =
            weights.iter().filter(|(name, _)| !name.is_empty() && !is_no_state(name)).collect();
        let no_state = weights.iter().find(|(name, weight)| is_no_state(name) && *weight > 0.0);
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        // One alone is no rest.
        let kept = if order.len() <= MAX_VALUES + 1 { order.len() } else { MAX_VALUES };
        let shown: Vec<String> = order.iter().take(kept).map(|(name, _)| name.clone()).collect();
        let spare = Palette::new(shown.iter().map(|name| (name.as_str(), None)));
        let mut colors: BTreeMap<String, Color> =
            shown.iter().map(|name| (name.clone(), palette.of(name))).filter(|(_, color)| *color != REST).collect();
        for name in &shown {
            let is_free = |color: &Color| *color != REST && colors.values().all(|other| other != color);
            if !colors.contains_key(name) {
                let color = [name].into_iter().chain(&shown).map(|name| spare.of(name)).find(is_free);
                colors.insert(name.clone(), color.unwrap_or(REST));
            }
        }
        ValueColors { colors, rest: order.len() - shown.len(), shown, no_state: no_state.map(|(name, _)| name.clone()) }
    }

    /// The color of a value.
    pub fn of(&self, value: &str) -> Color {
        if is_no_state(value) {
            return Color::EMPTY;
        }
        self.colors.get(value).copied().unwrap_or(REST)
    }

    /// The place of a value in the legend: those of the rest, and then time in no state, come last.
    pub fn place(&self, value: &str) -> usize {
        let last = self.shown.len() + usize::from(is_no_state(value));
        self.shown.iter().position(|name| name == value).unwrap_or(last)
    }

    /// Whether a value belongs to the rest.
    pub fn is_rest(&self, value: &str) -> bool {
        self.place(value) == self.shown.len()
    }

    /// Names and colors, the largest value first, the rest as one, and time in no state.
    pub fn legend(&self) -> Vec<(String, Color)> {
        let mut legend: Vec<(String, Color)> = self.shown.iter().map(|name| (name.clone(), self.of(name))).collect();
        if self.rest > 0 {
            legend.push((format!("{} other values", self.rest), REST));
        }
        legend.extend(self.no_state.iter().map(|name| (name.clone(), Color::EMPTY)));
        legend
    }
}
