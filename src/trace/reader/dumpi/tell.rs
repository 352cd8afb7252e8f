//! Tells a DUMPI trace: ranks below their hosts, calls as states, messages and collective operations
//! as links.
//!
//! ```text
//! collective      start                            end                            links
//! Bcast, Scatter  root, when it arrives            others, when they depart       root to each other
//! Gather, Reduce  others, when they arrive         root, when it departs          each other to root
//! all others      the last one, when it arrives    others, when they depart       last to each other
//! ```
//! In the last case nobody can go on before the last one is there: it is the one that all wait for.
//! There is one link less than members, never one for each pair.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::communicators::{Comm, CommId};
use super::rank::Shape;
use super::stream::{Meeting, Moment, What};
use super::table::Function;
use super::types::{Columns, RankFacts, Types, define_columns, define_types};
use super::world::{Route, World};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::TypeKind;
use crate::reader::{Collectives, Data, Story, Word};

const NANOSECONDS: u64 = 1_000_000_000;

/// Members of an operation of all to all that have come and gone.
#[derive(Default)]
struct Crowd {
    arrived: usize,
    departed: usize,
    last: Option<usize>,
}

/// Tells the moments of all ranks, which come in the order of time.
pub(super) struct Teller<'a, 's> {
    story: &'s mut Story<'a>,
    world: &'s World,
    ranks: &'s [RankFacts],
    collectives: Collectives,
    /// Nanoseconds of the clocks that are the zero of the trace.
    zero: i64,
    types: Types,
    columns: Columns,
    application: Word,
    message: Word,
    collective: Word,
    words: Vec<Word>,
    threads: HashMap<(usize, u16), Word>,
    /// Types and those of their values that were declared.
    declared: HashSet<(Word, Word)>,
    counters: HashMap<String, Word>,
    numbers: HashMap<Route, u32>,
    crowds: HashMap<(CommId, u64), Crowd>,
    lost: Lost,
    done: u64,
}

/// What was not told, by reason.
#[derive(Default)]
struct Lost {
    /// On communicators whose members are not known.
    messages: u64,
    /// That some members do not tell of.
    meetings: u64,
    times: u64,
}

impl<'a, 's> Teller<'a, 's> {
    /// Tells the types and the containers; these are there from the first moment on.
    pub(super) fn begin(
        story: &'s mut Story<'a>,
        world: &'s World,
        ranks: &'s [RankFacts],
        name: &str,
        collectives: Collectives,
        (zero, first): (i64, i64),
    ) -> Result<Teller<'a, 's>> {
        let types = define_types(story, ranks)?;
        let columns = define_columns(story, collectives);
        let application = story.word("application");
        let (message, collective) = (story.word("message"), story.word("collective"));
        story.define_value(message, types.link, "message", Some("0.2 0.4 0.8"))?;
        if collectives == Collectives::Links {
            story.define_value(collective, types.link, "collective", Some("0.8 0.4 0.2"))?;
        }
        let mut teller = Teller {
            story,
            world,
            ranks,
            collectives,
            zero,
            types,
            columns,
            application,
            message,
            collective,
            words: vec![],
            threads: HashMap::new(),
            declared: HashSet::new(),
            counters: HashMap::new(),
            numbers: HashMap::new(),
            crowds: HashMap::new(),
            lost: Lost::default(),
            done: 0,
        };
        let start = teller.story.tick(i128::from(first) - i128::from(zero), NANOSECONDS).unwrap_or(0);
        teller.create_containers(name, start)?;
        Ok(teller)
    }

    fn create_containers(&mut self, name: &str, start: i64) -> Result<()> {
        let types = &self.types;
        self.story.create_container(start, self.application, name, types.application, types.root, &[])?;
        let mut hosts: HashMap<&str, Word> = HashMap::new();
        for (rank, facts) in self.ranks.iter().enumerate() {
            let parent = match hosts.get(facts.host.as_str()) {
                _ if facts.host.is_empty() => self.application,
                Some(host) => *host,
                None => {
                    let word = self.story.word(&format!("host:{}", facts.host));
                    self.story.create_container(start, word, &facts.host, types.host, self.application, &[])?;
                    hosts.insert(&facts.host, word);
                    word
                }
            };
            let name = format!("rank{rank}");
            let word = self.story.word(&name);
            self.story.create_container(start, word, &name, types.rank, parent, &[])?;
            self.words.push(word);
        }
        Ok(())
    }

    /// Reports something about the trace or about one file.
    pub(super) fn fault(&mut self, code: Code, byte: u64, message: String) -> Result<()> {
        self.story.at(byte);
        self.story.fault(code, message)
    }

    /// Tells what happens on a rank.
    pub(super) fn tell(&mut self, rank: usize, moment: Moment) -> Result<()> {
        self.story.at(moment.byte);
        let Some(tick) = self.story.tick(i128::from(moment.at) - i128::from(self.zero), NANOSECONDS) else {
            self.lost.times += 1;
            return Ok(());
        };
        let thread = moment.thread;
        match moment.what {
            What::Enter { function, cpu, size } => {
                self.done += size;
                self.story.advance(self.done);
                self.enter(tick, rank, thread, function, cpu)
            }
            What::Leave => {
                let (container, type_) = self.place(tick, rank, thread)?;
                self.story.pop_state(tick, container, type_, &[])
            }
            What::EnterCode { address } => {
                let name = self.ranks[rank].addresses.get(&address);
                let name = name.cloned().unwrap_or_else(|| format!("{address:#x}"));
                let value = self.value(self.types.code, &name)?;
                self.story.push_state(tick, self.words[rank], self.types.code, value, &[])
            }
            What::LeaveCode => self.story.pop_state(tick, self.words[rank], self.types.code, &[]),
            What::Counters(values) => self.count(tick, rank, &values),
            What::Send { function, comm, to, tag, bytes } => {
                match self.world.sent(rank, comm, to, tag, &mut self.numbers) {
                    Some(route) => self.send(tick, function, route, bytes),
                    None => self.lose_message(),
                }
            }
            What::Receive { channel, bytes, number } => match self.world.received(rank, channel, number) {
                Some(route) => self.receive(tick, route, bytes),
                None => self.lose_message(),
            },
            What::Arrive(meeting) => self.arrive(tick, rank, &meeting),
            What::Depart(meeting) => self.depart(tick, rank, &meeting),
            What::Fault(what) => {
                let message = format!("{}: {what}", self.ranks[rank].file);
                self.story.fault(Code::DamagedFile, message)
            }
        }
    }

    fn lose_message(&mut self) -> Result<()> {
        self.lost.messages += 1;
        Ok(())
    }

    fn enter(&mut self, tick: i64, rank: usize, thread: u16, function: Function, cpu: Option<i64>) -> Result<()> {
        let (container, type_) = self.place(tick, rank, thread)?;
        let value = self.value(type_, function.name())?;
        let cpu = cpu.map(|cpu| (self.columns.cpu_time, Data::Double(cpu as f64 / NANOSECONDS as f64)));
        self.story.push_state(tick, container, type_, value, cpu.as_slice())
    }

    /// A value of a type, declared when it comes for the first time.
    fn value(&mut self, type_: Word, name: &str) -> Result<Word> {
        let value = self.story.word(name);
        if self.declared.insert((type_, value)) {
            self.story.define_value(value, type_, name, None)?;
        }
        Ok(value)
    }

    /// Where the calls of a thread are shown: those of the first one on the rank itself.
    fn place(&mut self, tick: i64, rank: usize, thread: u16) -> Result<(Word, Word)> {
        if thread == 0 {
            return Ok((self.words[rank], self.types.call));
        }
        if let Some(word) = self.threads.get(&(rank, thread)) {
            return Ok((*word, self.types.thread_call));
        }
        let name = format!("rank{rank}.thread{thread}");
        let word = self.story.word(&name);
        self.story.create_container(tick, word, &name, self.types.thread, self.words[rank], &[])?;
        self.threads.insert((rank, thread), word);
        Ok((word, self.types.thread_call))
    }

    fn count(&mut self, tick: i64, rank: usize, values: &[u64]) -> Result<()> {
        for (place, value) in values.iter().enumerate() {
            let name = match self.ranks[rank].counters.get(place) {
                Some(name) => name.clone(),
                None => format!("counter{place}"),
            };
            let type_ = match self.counters.get(&name) {
                Some(type_) => *type_,
                None => {
                    let type_ = self.story.word(&format!("counter:{name}"));
                    self.story.define_type(TypeKind::Variable, type_, self.types.rank, &name, None)?;
                    self.counters.insert(name, type_);
                    type_
                }
            };
            self.story.set_variable(tick, self.words[rank], type_, *value as i64 as f64, &[])?;
        }
        Ok(())
    }

    fn send(&mut self, tick: i64, function: Function, route: Route, bytes: Option<u64>) -> Result<()> {
        let columns = &self.columns;
        let mut fields = vec![
            (columns.tag, Data::Int(i64::from(route.tag))),
            (columns.communicator, Data::Int(i64::from(route.comm.0))),
            (columns.operation, Data::Text(function.name())),
        ];
        fields.extend(bytes.map(|bytes| (columns.bytes, Data::Int(i64::try_from(bytes).unwrap_or(i64::MAX)))));
        let source = self.words[route.from as usize];
        self.story.start_link(tick, self.application, source, self.types.link, self.message, &key_of(&route), &fields)
    }

    fn receive(&mut self, tick: i64, route: Route, bytes: Option<u64>) -> Result<()> {
        let fields = bytes.map(|bytes| (self.columns.bytes, Data::Int(i64::try_from(bytes).unwrap_or(i64::MAX))));
        let target = self.words[route.to as usize];
        self.story.end_link(
            tick,
            self.application,
            target,
            self.types.link,
            self.message,
            &key_of(&route),
            fields.as_slice(),
        )
    }

    /// A rank comes to a collective operation.
    fn arrive(&mut self, tick: i64, rank: usize, meeting: &Arc<Meeting>) -> Result<()> {
        let Some((id, comm)) = self.world.communicators.get(rank, meeting.comm) else {
            self.lost.meetings += 1;
            return Ok(());
        };
        if self.collectives == Collectives::Events {
            return self.tell_event(tick, rank, id, meeting);
        }
        if comm.is_between() || !self.world.is_whole(id, meeting.number) {
            self.lost.meetings += 1;
            return Ok(());
        }
        match &meeting.shape {
            Shape::FromRoot { root, bytes } if is_rank(comm, *root, rank) => {
                self.start_all(tick, rank, id, comm, meeting, bytes)
            }
            Shape::ToRoot { root, bytes } if !is_rank(comm, *root, rank) => {
                self.start_one(tick, rank, rank, id, meeting, *bytes)
            }
            Shape::All { bytes } => {
                let crowd = self.crowds.entry((id, meeting.number)).or_default();
                crowd.arrived += 1;
                if crowd.arrived < comm.members.len() {
                    return Ok(());
                }
                crowd.last = Some(rank);
                self.start_all(tick, rank, id, comm, meeting, bytes)
            }
            _ => Ok(()),
        }
    }

    /// A rank goes on after a collective operation.
    fn depart(&mut self, tick: i64, rank: usize, meeting: &Arc<Meeting>) -> Result<()> {
        let Some((id, comm)) = self.world.communicators.get(rank, meeting.comm) else { return Ok(()) };
        if self.collectives == Collectives::Events || comm.is_between() || !self.world.is_whole(id, meeting.number) {
            return Ok(());
        }
        match &meeting.shape {
            Shape::FromRoot { root, .. } if !is_rank(comm, *root, rank) => self.end_one(tick, rank, rank, id, meeting),
            Shape::ToRoot { root, .. } if is_rank(comm, *root, rank) => {
                for member in comm.members.iter().filter(|member| **member as usize != rank) {
                    self.end_one(tick, rank, *member as usize, id, meeting)?;
                }
                Ok(())
            }
            Shape::All { .. } => {
                let crowd = self.crowds.entry((id, meeting.number)).or_default();
                crowd.departed += 1;
                let is_last = crowd.last == Some(rank);
                if crowd.departed == comm.members.len() {
                    self.crowds.remove(&(id, meeting.number));
                }
                if is_last { Ok(()) } else { self.end_one(tick, rank, rank, id, meeting) }
            }
            _ => Ok(()),
        }
    }

    /// Links from one member to each other one.
    fn start_all(
        &mut self,
        tick: i64,
        rank: usize,
        id: CommId,
        comm: &Comm,
        meeting: &Meeting,
        bytes: &[u64],
    ) -> Result<()> {
        for (place, member) in comm.members.iter().enumerate().filter(|(_, member)| **member as usize != rank) {
            let bytes = if bytes.len() == comm.members.len() { bytes.get(place) } else { bytes.first() };
            self.start_one(tick, rank, *member as usize, id, meeting, bytes.copied())?;
        }
        Ok(())
    }

    /// Starts the link of one member at a rank.
    fn start_one(
        &mut self,
        tick: i64,
        rank: usize,
        member: usize,
        id: CommId,
        meeting: &Meeting,
        bytes: Option<u64>,
    ) -> Result<()> {
        let columns = &self.columns;
        let mut fields = vec![
            (columns.communicator, Data::Int(i64::from(id.0))),
            (columns.operation, Data::Text(meeting.function.name())),
        ];
        fields.extend(bytes.map(|bytes| (columns.bytes, Data::Int(i64::try_from(bytes).unwrap_or(i64::MAX)))));
        let key = meeting_key(id, meeting, member);
        self.story.start_link(tick, self.application, self.words[rank], self.types.link, self.collective, &key, &fields)
    }

    fn end_one(&mut self, tick: i64, rank: usize, member: usize, id: CommId, meeting: &Meeting) -> Result<()> {
        let key = meeting_key(id, meeting, member);
        self.story.end_link(tick, self.application, self.words[rank], self.types.link, self.collective, &key, &[])
    }

    fn tell_event(&mut self, tick: i64, rank: usize, id: CommId, meeting: &Meeting) -> Result<()> {
        let bytes = match &meeting.shape {
            Shape::ToRoot { bytes, .. } => *bytes,
            Shape::FromRoot { bytes, .. } | Shape::All { bytes } => (!bytes.is_empty()).then(|| bytes.iter().sum()),
        };
        let mut fields = vec![(self.columns.event_communicator, Data::Int(i64::from(id.0)))];
        fields
            .extend(bytes.map(|bytes| (self.columns.event_bytes, Data::Int(i64::try_from(bytes).unwrap_or(i64::MAX)))));
        let value = self.value(self.types.collective, meeting.function.name())?;
        self.story.new_event(tick, self.words[rank], self.types.collective, value, &fields)
    }

    /// Reports what could not be told.
    pub(super) fn end(self) -> Result<()> {
        self.story.at(0);
        if self.lost.messages > 0 {
            let message = format!(
                "{} sends and receives are on communicators whose members are not known, or to ranks that they do not have; they have no link",
                self.lost.messages
            );
            self.story.fault(Code::UnknownCommunicator, message)?;
        }
        if self.lost.meetings > 0 {
            let message = format!(
                "{} calls of collective operations are without those of the other members, or between two groups; they have no link",
                self.lost.meetings
            );
            self.story.fault(Code::IncompleteCollective, message)?;
        }
        if self.lost.times > 0 {
            let message =
                format!("{} times do not fit at this resolution; try a coarser --resolution", self.lost.times);
            self.story.fault(Code::TimeOutOfRange, message)?;
        }
        Ok(())
    }
}

fn is_rank(comm: &Comm, root: i32, rank: usize) -> bool {
    usize::try_from(root).ok().and_then(|root| comm.members.get(root)).is_some_and(|root| *root as usize == rank)
}

fn key_of(route: &Route) -> String {
    let Route { comm, from, to, tag, number } = route;
    match number {
        Some(number) => format!("{}.{from}.{to}.{tag}#{number}", comm.0),
        None => format!("{}.{from}.{to}.{tag}", comm.0),
    }
}

fn meeting_key(id: CommId, meeting: &Meeting, member: usize) -> String {
    format!("{}.all.{}.{member}", id.0, meeting.number)
}
