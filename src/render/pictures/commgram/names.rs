//! The names of bars: in full at the first phase, and as short as need be where bars change places.

use super::super::font;
use super::super::frame::TEXT_SIZE;

/// Room on both sides of a name.
const EDGE: f64 = 10.0;
/// The part of the picture that names within it may take.
const MAX_SHARE: f64 = 0.45;

/// The name of a bar; several containers may have one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BarName {
    /// Its first container.
    pub container: i64,
    /// The name as it is written.
    pub text: String,
}

/// The names of bars at one phase, from top to bottom; none where they are the same as before.
pub type PhaseNames = Vec<BarName>;

/// Width that the names of a phase take.
pub fn room_of(names: &PhaseNames) -> f64 {
    match names.is_empty() {
        true => 0.0,
        false => names.iter().map(|name| font::width(&name.text, TEXT_SIZE)).fold(0.0, f64::max) + EDGE,
    }
}

/// The names that each phase shows, given the names of its bars: all at the first, and where they change places the
/// names again, without the letters that all begin with if there is no room else. `None` where there is no room at all.
pub fn shown_names(bars: &[PhaseNames], width: f64) -> Vec<Option<PhaseNames>> {
    let changed = |phase: usize| phase > 0 && bars[phase] != bars[phase - 1];
    let prefix = common_prefix(bars.iter().flatten().map(|name| name.text.as_str()));
    let shortened = |name: &BarName| BarName {
        container: name.container,
        text: name.text.get(prefix..).unwrap_or(&name.text).to_string(),
    };
    let short: Vec<PhaseNames> = bars.iter().map(|names| names.iter().map(shortened).collect()).collect();
    let room = |names: &[PhaseNames]| {
        (0..bars.len()).filter(|phase| changed(*phase)).map(|phase| room_of(&names[phase])).sum::<f64>()
    };
    let chosen = [bars, short.as_slice()].into_iter().find(|names| room(names) <= width * MAX_SHARE);
    let names = |phase: usize| match (phase, chosen) {
        (0, _) => Some(bars[0].clone()),
        (phase, _) if !changed(phase) => Some(vec![]),
        (phase, Some(names)) => Some(names[phase].clone()),
        (_, None) => None,
    };
    (0..bars.len()).map(names).collect()
}

/// Bytes that all names begin with, numbers kept whole; 0 when a name would be left empty.
fn common_prefix<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    let mut all: Vec<&str> = names.collect();
    all.sort_unstable();
    all.dedup();
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return 0 };
    let mut length =
        first.char_indices().zip(last.chars()).find(|((_, a), b)| a != b).map_or(first.len(), |((at, _), _)| at);
    length = first[..length].trim_end_matches(|sign: char| sign.is_ascii_digit()).len();
    if all.iter().any(|name| name.len() == length) { 0 } else { length }
}
