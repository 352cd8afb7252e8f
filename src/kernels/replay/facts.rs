//! What must be known of a whole trace before it is replayed.

use crate::waiting::{PathSurvey, TimedState, WaitFacts, WaitMessage};

/// What must be known of a whole trace before it is replayed.
#[derive(Debug, Clone, Default)]
pub struct ReplayFacts {
    pub(super) waits: WaitFacts,
    /// The shortest flight of a link that takes any time; 0 when there is none.
    pub(super) latency: i64,
    /// The least ticks per unit of volume of a link; 0 when no link has both.
    pub(super) rate: f64,
}

impl ReplayFacts {
    /// The time of a message that nobody waited for: at least the latency, and what the fastest link would take for its
    /// volume, but not more than it took.
    pub(super) fn unseen_flight(&self, flight: i64, volume: Option<f64>) -> i64 {
        let by_volume = (volume.unwrap_or(0.0) * self.rate).floor() as i64;
        flight.min(self.latency.max(by_volume))
    }
}

/// Finds it: rows come in the order in which they begin.
#[derive(Debug)]
pub struct ReplaySurvey {
    survey: PathSurvey,
    latency: Option<i64>,
    rate: Option<f64>,
}

impl Default for ReplaySurvey {
    fn default() -> ReplaySurvey {
        ReplaySurvey { survey: PathSurvey::new((i64::MIN, i64::MAX)), latency: None, rate: None }
    }
}

impl ReplaySurvey {
    /// Adds a state that starts no earlier than the row before.
    pub fn add_state(&mut self, state: TimedState) {
        self.survey.add_state(state, &mut |_| ());
    }

    /// Adds a link that starts, or is received, no earlier than the row before.
    pub fn add_link(&mut self, message: WaitMessage, volume: Option<f64>) {
        self.survey.add_message(message, &mut |_| ());
        let flight = message.end - message.start;
        if flight <= 0 {
            return;
        }
        self.latency = Some(self.latency.map_or(flight, |known| known.min(flight)));
        if let Some(volume) = volume.filter(|volume| volume.is_finite() && *volume > 0.0) {
            let rate = flight as f64 / volume;
            self.rate = Some(self.rate.map_or(rate, |known| known.min(rate)));
        }
    }

    /// What was found. An error for states that overlap: two of them.
    pub fn finish(mut self) -> Result<ReplayFacts, (TimedState, TimedState)> {
        let waits = self.survey.finish(&mut |_| ())?.waits;
        Ok(ReplayFacts { waits, latency: self.latency.unwrap_or(0), rate: self.rate.unwrap_or(0.0) })
    }

    /// Bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        self.survey.bytes()
    }
}
