//! One rank: its calls become effects, in the terms of that rank.
//!
//! ```text
//! Irecv(any, 7) ─ post ─────────────┐ request 12
//! Wait(12) ─ status: source 3 ──────┴─► Receive from 3, tag 7, when the wait returns
//! ```
//! Messages of one channel (communicator, source, destination, tag) are received in the order in
//! which the receives were posted. Where receives complete in another order, the channel is noted:
//! its messages are numbered when the trace is emitted.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::call::{MpiCall, Status};
use super::comm_creation::{Handles, LocalComm};
use super::datatypes::Datatypes;
use super::table::MpiArgument;

const ANY: i32 = -1;

/// Messages that are matched in order: communicator, rank of the sender in it, tag.
pub(super) type MessageChannel = (LocalComm, i32, i32);

/// What a call does beside lasting for a while.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CallEffect {
    /// When the call starts.
    Send { comm: LocalComm, to: i32, tag: i32, bytes: Option<u64> },
    /// When the call returns. The number is that of the message in its channel, where it is needed.
    Receive { channel: MessageChannel, bytes: Option<u64>, number: Option<u32> },
    /// For as long as the call lasts.
    Collective { comm: LocalComm, transfer: CollectiveTransfer },
}

/// Who gives to whom in a collective operation, and how many bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CollectiveTransfer {
    /// The root gives to all others: one count of bytes for each, or one per member; the others record nothing.
    FromRoot { root: i32, bytes: Vec<u64> },
    /// All others give to the root.
    ToRoot { root: i32, bytes: Option<u64> },
    /// All give to all.
    All { bytes: Vec<u64> },
}

/// Makes persistent requests and one-time ones alike.
#[derive(Debug, Clone, Copy)]
struct Request {
    action: Action,
    is_persistent: bool,
    /// When it was posted, while it is under way.
    posted: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Send { comm: Option<LocalComm>, to: i32, tag: i32, bytes: Option<u64> },
    Receive { comm: Option<LocalComm>, from: i32, tag: i32 },
}

/// What a first pass over a rank found out for the second.
#[derive(Debug, Clone, Default)]
pub(super) struct ReceiveLookahead {
    /// By the order of posting: what receives from anyone or of any tag got.
    wildcards: Vec<Option<(i32, i32)>>,
    /// Channels whose receives do not complete in the order of posting.
    pub numbered: HashSet<MessageChannel>,
}

/// A receive under way.
#[derive(Debug, Clone, Copy)]
struct PostedReceive {
    comm: Option<LocalComm>,
    from: i32,
    tag: i32,
    /// Its place among the receives with a wildcard.
    wildcard: Option<usize>,
    number: Option<u32>,
}

/// Follows the calls of one rank.
#[derive(Debug)]
pub(super) struct RankState {
    handles: Handles,
    datatypes: Datatypes,
    requests: HashMap<i32, Request>,
    /// Receives under way, in the order of posting.
    posted: BTreeMap<u64, PostedReceive>,
    posts: u64,
    wildcards: usize,
    /// Messages of numbered channels so far.
    numbers: HashMap<MessageChannel, u32>,
    lookahead: Option<Arc<ReceiveLookahead>>,
    /// What this pass finds out, when it has no lookahead.
    pub found: ReceiveLookahead,
    /// Receives whose sender is not known: the trace has no status of them.
    pub unknown_senders: u64,
}

impl RankState {
    /// The first pass over a rank.
    pub(super) fn first(sizes: &[u32]) -> RankState {
        RankState::new(sizes, None)
    }

    /// A later pass.
    pub(super) fn again(sizes: &[u32], lookahead: Arc<ReceiveLookahead>) -> RankState {
        RankState::new(sizes, Some(lookahead))
    }

    fn new(sizes: &[u32], lookahead: Option<Arc<ReceiveLookahead>>) -> RankState {
        RankState {
            handles: Handles::default(),
            datatypes: Datatypes::new(sizes),
            requests: HashMap::new(),
            posted: BTreeMap::new(),
            posts: 0,
            wildcards: 0,
            numbers: HashMap::new(),
            lookahead,
            found: ReceiveLookahead::default(),
            unknown_senders: 0,
        }
    }

    /// What a call does.
    pub(super) fn digest(&mut self, call: &MpiCall, effects: &mut Vec<CallEffect>) {
        match call.function.short_name() {
            "Send" | "Bsend" | "Ssend" | "Rsend" => self.send(call, effects),
            "Recv" => {
                let posted = self.post(self.receive_of(call, MpiArgument::Tag));
                self.complete(posted, call.status(0), effects);
            }
            "Sendrecv" => self.exchange(call, MpiArgument::SendCount, MpiArgument::SendType, effects),
            "Sendrecv_replace" => self.exchange(call, MpiArgument::Count, MpiArgument::Datatype, effects),
            "Isend" | "Ibsend" | "Issend" | "Irsend" => self.begin(call, self.send_of(call), effects),
            "Irecv" => self.begin(call, self.receive_of(call, MpiArgument::Tag), effects),
            "Send_init" | "Bsend_init" | "Ssend_init" | "Rsend_init" => self.prepare(call, self.send_of(call)),
            "Recv_init" => self.prepare(call, self.receive_of(call, MpiArgument::Tag)),
            "Start" => self.start(call.number(MpiArgument::Request), effects),
            "Startall" => {
                call.list(MpiArgument::Requests).iter().for_each(|request| self.start(Some(*request), effects))
            }
            "Wait" => self.finish(call.number(MpiArgument::Request), call.status(0), effects),
            "Test" if is_set(call) => self.finish(call.number(MpiArgument::Request), call.status(0), effects),
            "Waitany" => self.finish_one(call, effects),
            "Testany" if is_set(call) => self.finish_one(call, effects),
            "Waitall" => self.finish_all(call, effects),
            "Testall" if is_set(call) => self.finish_all(call, effects),
            "Waitsome" | "Testsome" => self.finish_some(call, effects),
            "Request_free" => self.free(call.number(MpiArgument::Request)),
            _ => self.collective(call, effects),
        }
        self.handles.take(call);
        self.datatypes.take(call);
    }

    fn comm(&self, call: &MpiCall) -> Option<LocalComm> {
        self.handles.get(call.number(MpiArgument::Comm))
    }

    fn send(&mut self, call: &MpiCall, effects: &mut Vec<CallEffect>) {
        let action = self.send_of(call);
        self.act(action, effects);
    }

    fn send_of(&self, call: &MpiCall) -> Action {
        Action::Send {
            comm: self.comm(call),
            to: call.number(MpiArgument::Dest).unwrap_or(ANY),
            tag: call.number(MpiArgument::Tag).unwrap_or(0),
            bytes: self.datatypes.bytes(call.number(MpiArgument::Count), call.number(MpiArgument::Datatype)),
        }
    }

    fn receive_of(&self, call: &MpiCall, tag: MpiArgument) -> Action {
        Action::Receive {
            comm: self.comm(call),
            from: call.number(MpiArgument::Source).unwrap_or(ANY),
            tag: call.number(tag).unwrap_or(ANY),
        }
    }

    fn exchange(&mut self, call: &MpiCall, count: MpiArgument, datatype: MpiArgument, effects: &mut Vec<CallEffect>) {
        let send = Action::Send {
            comm: self.comm(call),
            to: call.number(MpiArgument::Dest).unwrap_or(ANY),
            tag: call.number(MpiArgument::SendTag).unwrap_or(0),
            bytes: self.datatypes.bytes(call.number(count), call.number(datatype)),
        };
        self.act(send, effects);
        let posted = self.post(self.receive_of(call, MpiArgument::RecvTag));
        self.complete(posted, call.status(0), effects);
    }

    /// A request for one time.
    fn begin(&mut self, call: &MpiCall, action: Action, effects: &mut Vec<CallEffect>) {
        let posted = self.act(action, effects);
        if let Some(handle) = call.number(MpiArgument::Request) {
            self.requests.insert(handle, Request { action, is_persistent: false, posted });
        }
    }

    fn prepare(&mut self, call: &MpiCall, action: Action) {
        if let Some(handle) = call.number(MpiArgument::Request) {
            self.requests.insert(handle, Request { action, is_persistent: true, posted: None });
        }
    }

    fn start(&mut self, handle: Option<i32>, effects: &mut Vec<CallEffect>) {
        let Some(request) = handle.and_then(|handle| self.requests.get(&handle).copied()) else { return };
        let posted = self.act(request.action, effects);
        if let Some(request) = handle.and_then(|handle| self.requests.get_mut(&handle)) {
            request.posted = posted;
        }
    }

    /// Sends now, or posts a receive.
    fn act(&mut self, action: Action, effects: &mut Vec<CallEffect>) -> Option<u64> {
        match action {
            Action::Send { comm, to, tag, bytes } => {
                if let Some(comm) = comm.filter(|_| to >= 0) {
                    effects.push(CallEffect::Send { comm, to, tag, bytes });
                }
                None
            }
            Action::Receive { .. } => self.post(action),
        }
    }

    fn post(&mut self, action: Action) -> Option<u64> {
        let Action::Receive { comm, from, tag } = action else { return None };
        if from < ANY {
            return None;
        }
        let mut posted = PostedReceive { comm, from, tag, wildcard: None, number: None };
        let mut channel = comm.map(|comm| (comm, from, tag));
        if from == ANY || tag == ANY {
            posted.wildcard = Some(self.wildcards);
            self.wildcards += 1;
            match &self.lookahead {
                Some(lookahead) => {
                    let got = lookahead.wildcards.get(self.wildcards - 1).copied().flatten();
                    channel = comm.zip(got).map(|(comm, (from, tag))| (comm, from, tag));
                }
                None => self.found.wildcards.push(None),
            }
        }
        if let (Some(channel), Some(lookahead)) = (channel, &self.lookahead)
            && lookahead.numbered.contains(&channel)
        {
            let count = self.numbers.entry(channel).or_default();
            posted.number = Some(*count);
            *count += 1;
        }
        self.posts += 1;
        self.posted.insert(self.posts, posted);
        Some(self.posts)
    }

    fn finish(&mut self, handle: Option<i32>, status: Option<Status>, effects: &mut Vec<CallEffect>) {
        let Some(handle) = handle else { return };
        let Some(request) = self.requests.get_mut(&handle) else { return };
        let posted = request.posted.take();
        if !request.is_persistent {
            self.requests.remove(&handle);
        }
        self.complete(posted, status, effects);
    }

    fn finish_one(&mut self, call: &MpiCall, effects: &mut Vec<CallEffect>) {
        let place = call.number(MpiArgument::Index).and_then(|index| usize::try_from(index).ok());
        let handle = place.and_then(|place| call.list(MpiArgument::Requests).get(place).copied());
        self.finish(handle, call.status(0), effects);
    }

    fn finish_all(&mut self, call: &MpiCall, effects: &mut Vec<CallEffect>) {
        let done =
            call.list(MpiArgument::Requests).iter().enumerate().map(|(place, handle)| (*handle, call.status(place)));
        self.finish_in_order(done.collect(), effects);
    }

    fn finish_some(&mut self, call: &MpiCall, effects: &mut Vec<CallEffect>) {
        let requests = call.list(MpiArgument::Requests);
        let handle = |index: &i32| requests.get(usize::try_from(*index).ok()?).copied();
        let done = call.list(MpiArgument::Indices).iter().enumerate();
        let done = done.filter_map(|(place, index)| Some((handle(index)?, call.status(place))));
        self.finish_in_order(done.collect(), effects);
    }

    /// What completes together completes in the order of posting.
    fn finish_in_order(&mut self, mut done: Vec<(i32, Option<Status>)>, effects: &mut Vec<CallEffect>) {
        done.sort_by_key(|(handle, _)| self.requests.get(handle).and_then(|request| request.posted));
        for (handle, status) in done {
            self.finish(Some(handle), status, effects);
        }
    }

    fn free(&mut self, handle: Option<i32>) {
        if let Some(request) = handle.and_then(|handle| self.requests.remove(&handle))
            && let Some(posted) = request.posted
        {
            self.posted.remove(&posted);
        }
    }

    /// A posted receive has its message.
    fn complete(&mut self, order: Option<u64>, status: Option<Status>, effects: &mut Vec<CallEffect>) {
        let Some((order, posted)) = order.and_then(|order| self.posted.remove(&order).map(|posted| (order, posted)))
        else {
            return;
        };
        if status.is_some_and(|status| status.is_cancelled || status.source < 0) {
            return;
        }
        let known = |wanted: i32, got: Option<i32>| if wanted == ANY { got } else { Some(wanted) };
        let from = known(posted.from, status.map(|status| status.source));
        let tag = known(posted.tag, status.map(|status| status.tag));
        let (Some(comm), Some(from), Some(tag)) = (posted.comm, from, tag) else {
            self.unknown_senders += 1;
            return;
        };
        let channel = (comm, from, tag);
        if self.lookahead.is_none() {
            self.learn(order, &posted, channel);
        }
        let bytes = status.and_then(|status| u64::try_from(status.bytes).ok());
        effects.push(CallEffect::Receive { channel, bytes, number: posted.number });
    }

    /// Notes what a wildcard got, and whether an older receive could have had the message.
    fn learn(&mut self, order: u64, posted: &PostedReceive, channel: MessageChannel) {
        let (comm, from, tag) = channel;
        if let Some(got) = posted.wildcard.and_then(|place| self.found.wildcards.get_mut(place)) {
            *got = Some((from, tag));
        }
        let could_have = |older: &PostedReceive| {
            older.comm == Some(comm)
                && (older.from == from || older.from == ANY)
                && (older.tag == tag || older.tag == ANY)
        };
        if self.posted.range(..order).any(|(_, older)| could_have(older)) {
            self.found.numbered.insert(channel);
        }
    }

    fn collective(&mut self, call: &MpiCall, effects: &mut Vec<CallEffect>) {
        if let (Some(comm), Some(transfer)) = (self.comm(call), self.transfer(call)) {
            effects.push(CallEffect::Collective { comm, transfer });
        }
    }

    fn transfer(&self, call: &MpiCall) -> Option<CollectiveTransfer> {
        use MpiArgument::{
            Count, Datatype, RecvCount, RecvCounts, RecvType, SendCount, SendCounts, SendType, SendTypes,
        };
        let root = call.number(MpiArgument::Root).unwrap_or(0);
        let one = |count, datatype| self.datatypes.bytes(call.number(count), call.number(datatype));
        let each = |counts, datatype| -> Vec<u64> {
            let bytes = |count: &i32| self.datatypes.bytes(Some(*count), call.number(datatype)).unwrap_or(0);
            call.list(counts).iter().map(bytes).collect()
        };
        let all = |bytes: Option<u64>| Some(CollectiveTransfer::All { bytes: bytes.into_iter().collect() });
        match call.function.short_name() {
            "Barrier" => all(Some(0)),
            "Bcast" => Some(CollectiveTransfer::FromRoot { root, bytes: one(Count, Datatype).into_iter().collect() }),
            "Scatter" => {
                Some(CollectiveTransfer::FromRoot { root, bytes: one(SendCount, SendType).into_iter().collect() })
            }
            "Scatterv" => Some(CollectiveTransfer::FromRoot { root, bytes: each(SendCounts, SendType) }),
            "Gather" | "Gatherv" => Some(CollectiveTransfer::ToRoot { root, bytes: one(SendCount, SendType) }),
            "Reduce" => Some(CollectiveTransfer::ToRoot { root, bytes: one(Count, Datatype) }),
            "Allgather" | "Allgatherv" | "Alltoall" => {
                all(one(SendCount, SendType).or_else(|| one(RecvCount, RecvType)))
            }
            "Allreduce" | "Scan" | "Exscan" => all(one(Count, Datatype)),
            "Alltoallv" => Some(CollectiveTransfer::All { bytes: each(SendCounts, SendType) }),
            "Alltoallw" => {
                let pairs = call.list(SendCounts).iter().zip(call.list(SendTypes));
                let bytes =
                    pairs.map(|(count, datatype)| self.datatypes.bytes(Some(*count), Some(*datatype)).unwrap_or(0));
                Some(CollectiveTransfer::All { bytes: bytes.collect() })
            }
            "Reduce_scatter" => Some(CollectiveTransfer::All { bytes: each(RecvCounts, Datatype) }),
            _ => None,
        }
    }
}

fn is_set(call: &MpiCall) -> bool {
    call.number(MpiArgument::Flag).is_some_and(|flag| flag != 0)
}
