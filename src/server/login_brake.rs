//! The brake on guessing passwords: who was wrong several times waits before the next attempt is looked at.
//!
//! ```text
//!  wrong attempts   1 … 5    6      7      8      …   11 and more
//!  time between     0        0.1 s  0.2 s  0.4 s  …   5 s
//! ```
//! It counts for a user name from an address, so that others are served meanwhile. Attempts queue up: those that come at
//! once wait one after the other, and those that would wait too long are refused unseen. The right password, given in
//! its turn, ends the wait. Wrong attempts are forgotten after a quarter of an hour.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::warn;

use super::error::{ServerError, ServerErrorKind};

/// Attempts that may be wrong without a wait: slips happen.
const FREE_ATTEMPTS: u32 = 5;
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Attempts that would be looked at later than this are refused.
const LONGEST_QUEUE: Duration = Duration::from_secs(10);
/// Wrong attempts are forgotten after this time without another.
const MEMORY: Duration = Duration::from_secs(15 * 60);
/// Pairs of names and addresses that are remembered.
const MOST_SUSPECTS: usize = 4096;
/// Bytes of a name that count: a longer one is nobody's.
const LONGEST_NAME: usize = 128;

/// Who tries to log in: a user, or the owner of a token, from an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Suspect {
    address: Option<IpAddr>,
    /// `None` for a token.
    name: Option<String>,
}

impl Suspect {
    pub(super) fn new(address: Option<IpAddr>, name: Option<&str>) -> Suspect {
        let name = name.map(|name| name.chars().take(LONGEST_NAME).collect());
        Suspect { address: address.map(network_of), name }
    }
}

/// Remembers wrong attempts.
#[derive(Debug, Default)]
pub(super) struct LoginBrake {
    suspects: Mutex<HashMap<Suspect, WrongAttempts>>,
}

#[derive(Debug, Clone, Copy)]
struct WrongAttempts {
    count: u32,
    last: Instant,
    /// When the next attempt may be looked at.
    free_at: Instant,
}

impl LoginBrake {
    /// How long an attempt has to wait before it is looked at; an error when that is too long.
    pub(super) fn admit(&self, suspect: &Suspect, now: Instant) -> Result<Duration, ServerError> {
        // Entries are changed in one step, so the map is whole after any panic.
        let mut suspects = self.suspects.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(wrong) = suspects.get_mut(suspect).filter(|wrong| !wrong.is_over(now)) else {
            return Ok(Duration::ZERO);
        };
        let turn = wrong.free_at.max(now);
        let wait = turn - now;
        if wait > LONGEST_QUEUE {
            let seconds = wait.as_secs();
            let message = format!("too many wrong logins of this user from this address; try again in {seconds} s");
            return Err(ServerError::new(ServerErrorKind::Denied, message));
        }
        wrong.free_at = turn + wait_after(wrong.count);
        Ok(wait)
    }

    /// Counts a wrong attempt.
    pub(super) fn refuse(&self, suspect: &Suspect, now: Instant) {
        let address = suspect.address.map(tracing::field::display);
        warn!(user = suspect.name.as_deref(), address, "login refused");
        let mut suspects = self.suspects.lock().unwrap_or_else(PoisonError::into_inner);
        if !suspects.contains_key(suspect) && suspects.len() >= MOST_SUSPECTS {
            make_room(&mut suspects, now);
        }
        let wrong = suspects.entry(suspect.clone()).or_insert(WrongAttempts { count: 0, last: now, free_at: now });
        if wrong.is_over(now) {
            wrong.count = 0;
        }
        wrong.count = wrong.count.saturating_add(1);
        wrong.last = now;
        wrong.free_at = wrong.free_at.max(now + wait_after(wrong.count));
    }

    /// Forgets the wrong attempts of somebody who knows the password.
    pub(super) fn accept(&self, suspect: &Suspect) {
        self.suspects.lock().unwrap_or_else(PoisonError::into_inner).remove(suspect);
    }
}

impl WrongAttempts {
    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.last) > MEMORY
    }
}

/// The time between two attempts after so many wrong ones.
fn wait_after(wrong: u32) -> Duration {
    match wrong.checked_sub(FREE_ATTEMPTS + 1) {
        None => Duration::ZERO,
        // Beyond a few doublings it is the longest anyway.
        Some(doublings) => FIRST_WAIT.saturating_mul(1 << doublings.min(16)).min(LONGEST_WAIT),
    }
}

/// Forgets who is forgotten anyway, else those with the fewest wrong attempts, so that a flood of names does not hide
/// the one that is guessed at.
fn make_room(suspects: &mut HashMap<Suspect, WrongAttempts>, now: Instant) {
    suspects.retain(|_, wrong| !wrong.is_over(now));
    if suspects.len() < MOST_SUSPECTS {
        return;
    }
    let mut counts: Vec<(u32, Instant)> = suspects.values().map(|wrong| (wrong.count, wrong.last)).collect();
    let middle = counts.len() / 2;
    let (_, limit, _) = counts.select_nth_unstable(middle);
    let limit = *limit;
    suspects.retain(|_, wrong| (wrong.count, wrong.last) > limit);
}

/// What one client has as addresses: an address of IPv4, and a network of IPv6.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}
