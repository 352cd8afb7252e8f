//! Messages between ranks: the n-th that one sends to another is the n-th that the other is ready for.
//!
//! A short message leaves when it is sent. A longer one leaves when it has been sent and its receiver is ready.

use std::collections::{BTreeMap, VecDeque};

use super::network::{EAGER_BYTES, NetworkModel};

/// A message, in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RankMessage {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) bytes: u64,
    pub(super) sent: Option<u64>,
    posted: Option<u64>,
    /// When it is there, once that is known.
    pub(super) arrival: Option<u64>,
}

impl RankMessage {
    /// When its sender may go on, once that is known.
    pub(super) fn sender_is_free(&self) -> Option<u64> {
        if self.bytes <= EAGER_BYTES { self.sent } else { self.arrival }
    }
}

/// Messages of two ranks that only one of them knows of.
#[derive(Debug, Default)]
struct Connection {
    sent: VecDeque<usize>,
    posted: VecDeque<usize>,
    count: u64,
    last_arrival: u64,
}

/// All messages of a run.
#[derive(Debug)]
pub(super) struct Mailbox {
    pub(super) messages: Vec<RankMessage>,
    connections: BTreeMap<(u32, u32), Connection>,
    network: NetworkModel,
}

impl Mailbox {
    pub(super) fn new(network: NetworkModel) -> Mailbox {
        Mailbox { messages: vec![], connections: BTreeMap::new(), network }
    }

    /// A rank sends; gives the number of the message.
    pub(super) fn send(&mut self, now: u64, source: u32, target: u32, bytes: u64) -> usize {
        let connection = self.connections.entry((source, target)).or_default();
        let message = connection.posted.pop_front().unwrap_or_else(|| {
            self.messages.push(RankMessage { source, target, ..RankMessage::default() });
            connection.sent.push_back(self.messages.len() - 1);
            self.messages.len() - 1
        });
        let entry = &mut self.messages[message];
        (entry.sent, entry.bytes) = (Some(now), bytes);
        self.transfer(message);
        message
    }

    /// A rank is ready to receive; gives the number of the message.
    pub(super) fn post(&mut self, now: u64, source: u32, target: u32) -> usize {
        let connection = self.connections.entry((source, target)).or_default();
        let message = connection.sent.pop_front().unwrap_or_else(|| {
            self.messages.push(RankMessage { source, target, ..RankMessage::default() });
            connection.posted.push_back(self.messages.len() - 1);
            self.messages.len() - 1
        });
        self.messages[message].posted = Some(now);
        self.transfer(message);
        message
    }

    /// Works out when a message arrives as soon as it leaves.
    fn transfer(&mut self, message: usize) {
        let RankMessage { source, target, bytes, sent, posted, arrival } = self.messages[message];
        let start = match (sent, posted) {
            (Some(sent), _) if bytes <= EAGER_BYTES => sent,
            (Some(sent), Some(posted)) => sent.max(posted),
            _ => return,
        };
        if arrival.is_some() {
            return;
        }
        let connection = self.connections.entry((source, target)).or_default();
        let arrival = self.network.arrival(start, source, target, bytes, connection.count);
        connection.count += 1;
        // Messages do not overtake each other.
        connection.last_arrival = arrival.max(connection.last_arrival + 1);
        self.messages[message].arrival = Some(connection.last_arrival);
    }
}
