//! Emits a DUMPI trace: ranks below their hosts, calls as states, messages as links. Collective
//! operations are in [`super::collectives`].

use hashbrown::{HashMap, HashSet};

use super::communicators::CommId;
use super::progress::CollectiveProgress;
use super::stream::{EventData, TimedEvent};
use super::table::Function;
use super::types::{DumpiColumns, DumpiTypes, RankFacts, define_columns, define_types};
use super::world::{RankWorld, Route};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::TypeKind;
use crate::reader::{Collectives, EventWriter, ExtraValue, LinkEnd, NameHandle};

const NANOSECONDS: u64 = 1_000_000_000;

/// Emits the events of all ranks, which come in the order of time.
pub(super) struct DumpiEmitter<'a, 's> {
    pub(super) writer: &'s mut EventWriter<'a>,
    pub(super) world: &'s RankWorld,
    pub(super) ranks: &'s [RankFacts],
    pub(super) collectives: Collectives,
    /// Nanoseconds of the clocks that are the zero of the trace.
    pub(super) zero: i64,
    pub(super) types: DumpiTypes,
    pub(super) columns: DumpiColumns,
    pub(super) application: NameHandle,
    pub(super) message: NameHandle,
    pub(super) collective: NameHandle,
    pub(super) rank_containers: Vec<NameHandle>,
    pub(super) threads: HashMap<(usize, u16), NameHandle>,
    /// Types and those of their values that were declared.
    pub(super) declared: HashSet<(NameHandle, NameHandle)>,
    pub(super) counters: HashMap<String, NameHandle>,
    pub(super) numbers: HashMap<Route, u32>,
    pub(super) progress: HashMap<(CommId, u64), CollectiveProgress>,
    pub(super) lost: LostCounts,
    pub(super) done: u64,
}

/// Counts of what was not emitted, by reason.
#[derive(Default)]
pub(super) struct LostCounts {
    /// On communicators whose members are not known.
    pub(super) messages: u64,
    /// That some members did not record.
    pub(super) collectives: u64,
    pub(super) times: u64,
}

impl<'a, 's> DumpiEmitter<'a, 's> {
    /// Emits the types and the containers; these exist from the first event on.
    pub(super) fn begin(
        writer: &'s mut EventWriter<'a>,
        world: &'s RankWorld,
        ranks: &'s [RankFacts],
        name: &str,
        collectives: Collectives,
        (zero, first): (i64, i64),
    ) -> Result<DumpiEmitter<'a, 's>> {
        let types = define_types(writer, ranks)?;
        let columns = define_columns(writer, collectives);
        let application = writer.intern("application");
        let (message, collective) = (writer.intern("message"), writer.intern("collective"));
        writer.define_value(message, types.link, "message", Some("0.2 0.4 0.8"))?;
        if collectives == Collectives::Links {
            writer.define_value(collective, types.link, "collective", Some("0.8 0.4 0.2"))?;
        }
        let mut emitter = DumpiEmitter {
            writer,
            world,
            ranks,
            collectives,
            zero,
            types,
            columns,
            application,
            message,
            collective,
            rank_containers: vec![],
            threads: HashMap::new(),
            declared: HashSet::new(),
            counters: HashMap::new(),
            numbers: HashMap::new(),
            progress: HashMap::new(),
            lost: LostCounts::default(),
            done: 0,
        };
        let start = emitter.writer.tick(i128::from(first) - i128::from(zero), NANOSECONDS).unwrap_or(0);
        emitter.create_containers(name, start)?;
        Ok(emitter)
    }

    fn create_containers(&mut self, name: &str, start: i64) -> Result<()> {
        let types = &self.types;
        self.writer.create_container(start, self.application, name, types.application, types.root, &[])?;
        let mut hosts: HashMap<&str, NameHandle> = HashMap::new();
        for (rank, facts) in self.ranks.iter().enumerate() {
            let parent = match hosts.get(facts.host.as_str()) {
                _ if facts.host.is_empty() => self.application,
                Some(host) => *host,
                None => {
                    let container = self.writer.intern(&format!("host:{}", facts.host));
                    self.writer.create_container(start, container, &facts.host, types.host, self.application, &[])?;
                    hosts.insert(&facts.host, container);
                    container
                }
            };
            let name = format!("rank{rank}");
            let container = self.writer.intern(&name);
            self.writer.create_container(start, container, &name, types.rank, parent, &[])?;
            self.rank_containers.push(container);
        }
        Ok(())
    }

    /// Reports something about the trace or about one file.
    pub(super) fn fault(&mut self, code: Code, byte: u64, message: String) -> Result<()> {
        self.writer.at(byte);
        self.writer.fault(code, message)
    }

    /// Emits an event of a rank.
    pub(super) fn emit(&mut self, rank: usize, event: TimedEvent) -> Result<()> {
        self.writer.at(event.byte);
        let Some(tick) = self.writer.tick(i128::from(event.at) - i128::from(self.zero), NANOSECONDS) else {
            self.lost.times += 1;
            return Ok(());
        };
        let thread = event.thread;
        match event.data {
            EventData::Enter { function, cpu, size } => {
                self.done += size;
                self.writer.advance(self.done);
                self.enter(tick, rank, thread, function, cpu)
            }
            EventData::Leave => {
                let (container, type_) = self.place(tick, rank, thread)?;
                self.writer.pop_state(tick, container, type_, &[])
            }
            EventData::EnterCode { address } => {
                let name = self.ranks[rank].addresses.get(&address);
                let name = name.cloned().unwrap_or_else(|| format!("{address:#x}"));
                let value = self.value(self.types.code, &name)?;
                self.writer.push_state(tick, self.rank_containers[rank], self.types.code, value, &[])
            }
            EventData::LeaveCode => self.writer.pop_state(tick, self.rank_containers[rank], self.types.code, &[]),
            EventData::Counters(values) => self.count(tick, rank, &values),
            EventData::Send { function, comm, to, tag, bytes } => {
                match self.world.sent(rank, comm, to, tag, &mut self.numbers) {
                    Some(route) => self.send(tick, function, route, bytes),
                    None => self.lose_message(),
                }
            }
            EventData::Receive { channel, bytes, number } => match self.world.received(rank, channel, number) {
                Some(route) => self.receive(tick, route, bytes),
                None => self.lose_message(),
            },
            EventData::Arrive(collective) => self.arrive(tick, rank, &collective),
            EventData::Depart(collective) => self.depart(tick, rank, &collective),
            EventData::Fault(what) => {
                let message = format!("{}: {what}", self.ranks[rank].file);
                self.writer.fault(Code::DamagedFile, message)
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
        let cpu = cpu.map(|cpu| (self.columns.cpu_time, ExtraValue::Double(cpu as f64 / NANOSECONDS as f64)));
        self.writer.push_state(tick, container, type_, value, cpu.as_slice())
    }

    /// A value of a type, declared when it comes for the first time.
    pub(super) fn value(&mut self, type_: NameHandle, name: &str) -> Result<NameHandle> {
        let value = self.writer.intern(name);
        if self.declared.insert((type_, value)) {
            self.writer.define_value(value, type_, name, None)?;
        }
        Ok(value)
    }

    /// Where the calls of a thread are shown: those of the first one on the rank itself.
    fn place(&mut self, tick: i64, rank: usize, thread: u16) -> Result<(NameHandle, NameHandle)> {
        if thread == 0 {
            return Ok((self.rank_containers[rank], self.types.call));
        }
        if let Some(container) = self.threads.get(&(rank, thread)) {
            return Ok((*container, self.types.thread_call));
        }
        let name = format!("rank{rank}.thread{thread}");
        let container = self.writer.intern(&name);
        self.writer.create_container(tick, container, &name, self.types.thread, self.rank_containers[rank], &[])?;
        self.threads.insert((rank, thread), container);
        Ok((container, self.types.thread_call))
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
                    let type_ = self.writer.intern(&format!("counter:{name}"));
                    self.writer.define_type(TypeKind::Variable, type_, self.types.rank, &name, None)?;
                    self.counters.insert(name, type_);
                    type_
                }
            };
            self.writer.set_variable(tick, self.rank_containers[rank], type_, *value as i64 as f64, &[])?;
        }
        Ok(())
    }

    fn send(&mut self, tick: i64, function: Function, route: Route, bytes: Option<u64>) -> Result<()> {
        let columns = &self.columns;
        let mut fields = vec![
            (columns.tag, ExtraValue::Int(i64::from(route.tag))),
            (columns.communicator, ExtraValue::Int(i64::from(route.comm.0))),
            (columns.operation, ExtraValue::Text(function.name())),
        ];
        fields.extend(bytes.map(|bytes| (columns.bytes, ExtraValue::Int(i64::try_from(bytes).unwrap_or(i64::MAX)))));
        let source = self.rank_containers[route.from as usize];
        let link = LinkEnd {
            tick,
            container: self.application,
            end: source,
            type_: self.types.link,
            value: self.message,
            key: &key_of(&route),
            fields: &fields,
        };
        self.writer.start_link(&link)
    }

    fn receive(&mut self, tick: i64, route: Route, bytes: Option<u64>) -> Result<()> {
        let fields = bytes.map(|bytes| (self.columns.bytes, ExtraValue::Int(i64::try_from(bytes).unwrap_or(i64::MAX))));
        let target = self.rank_containers[route.to as usize];
        let link = LinkEnd {
            tick,
            container: self.application,
            end: target,
            type_: self.types.link,
            value: self.message,
            key: &key_of(&route),
            fields: fields.as_slice(),
        };
        self.writer.end_link(&link)
    }

    /// Reports what could not be emitted.
    pub(super) fn end(self) -> Result<()> {
        self.writer.at(0);
        if self.lost.messages > 0 {
            let message = format!(
                "{} sends and receives are on communicators whose members are not known, or to ranks that they do not have; they have no link",
                self.lost.messages
            );
            self.writer.fault(Code::UnknownCommunicator, message)?;
        }
        if self.lost.collectives > 0 {
            let message = format!(
                "{} calls of collective operations are without those of the other members, or between two groups; they have no link",
                self.lost.collectives
            );
            self.writer.fault(Code::IncompleteCollective, message)?;
        }
        if self.lost.times > 0 {
            let message =
                format!("{} times do not fit at this resolution; try a coarser --resolution", self.lost.times);
            self.writer.fault(Code::TimeOutOfRange, message)?;
        }
        Ok(())
    }
}

fn key_of(route: &Route) -> String {
    let Route { comm, from, to, tag, number } = route;
    match number {
        Some(number) => format!("{}.{from}.{to}.{tag}#{number}", comm.0),
        None => format!("{}.{from}.{to}.{tag}", comm.0),
    }
}
