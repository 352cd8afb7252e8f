//! Periods: a sequence of patterns is cut into sections, each a cycle that repeats.
//!
//! ```text
//!  patterns   i A A B A A B A A B x        period 3, three times, from place 1; what is before and after it alone
//! ```
//! The section that covers most comes first; of equals, that of the shorter period, then the earlier one. What is left
//! at both sides is searched in the same way. Only whole cycles count. O(n^2) for n places.

/// A cycle that repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// First place.
    pub start: usize,
    /// Places of one cycle.
    pub period: usize,
    /// How many cycles follow each other; 1 when nothing repeats.
    pub repetitions: usize,
}

impl Section {
    /// How many places all its cycles cover.
    pub fn length(&self) -> usize {
        self.period * self.repetitions
    }
}

/// The sections of a sequence, in its order: together they cover it.
pub fn sections(patterns: &[u32]) -> Vec<Section> {
    let mut found = vec![];
    let mut parts = vec![(0, patterns.len())];
    while let Some((start, stop)) = parts.pop() {
        if start == stop {
            continue;
        }
        match longest(&patterns[start..stop]) {
            None => found.push(Section { start, period: stop - start, repetitions: 1 }),
            Some(section) => {
                let section = Section { start: start + section.start, ..section };
                found.push(section);
                parts.push((start, section.start));
                parts.push((section.start + section.length(), stop));
            }
        }
    }
    found.sort_unstable_by_key(|section| section.start);
    found
}

/// The repetition that covers most of a sequence.
fn longest(patterns: &[u32]) -> Option<Section> {
    let mut best: Option<Section> = None;
    for period in 1..=patterns.len() / 2 {
        // Runs of places that look like those a period later.
        let mut run = 0;
        for place in 0..patterns.len() - period {
            run = if patterns[place] == patterns[place + period] { run + 1 } else { 0 };
            let repetitions = run / period + 1;
            let covered = period * repetitions;
            if repetitions > 1 && best.is_none_or(|best| best.length() < covered) {
                best = Some(Section { start: place + 1 - run, period, repetitions });
            }
        }
    }
    best
}
