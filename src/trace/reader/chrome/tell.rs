//! Tells the events of a Chrome trace in the terms of Pajé, by time.
//!
//! | event | becomes |
//! |---|---|
//! | X, and B with E | states of type `slice` on the thread, or on a lane of it when they do not nest |
//! | b with e, S with F | states on tracks of their own below the process, as many as are open at once |
//! | n, T, p, i, I, R, P | events |
//! | C | a variable per series on the process |
//! | s, t, f | links between threads, from step to step |
//! | M | names of processes and threads |

use hashbrown::{Equivalent, HashMap, HashSet};

use super::arguments::{Arguments, Owned};
use super::asynchronous::Asynchronous;
use super::lanes::{Lane, Lanes};
use super::record::Record;
use super::tracks::{Track, TrackKind, Tracks, type_of};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::{FieldKind, Table, TypeKind};
use crate::reader::{Field, Further, Story, Word};

/// Names of the trace, by number.
#[derive(Default)]
pub(super) struct Names {
    numbers: HashMap<Vec<u8>, u32>,
    pub texts: Vec<String>,
}

impl Names {
    /// The number of a name, by its JSON.
    pub fn number(&mut self, json: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(json) {
            return *number;
        }
        self.numbers.insert(json.to_vec(), self.texts.len() as u32);
        self.texts.push(super::json::text(json).into_owned());
        self.texts.len() as u32 - 1
    }
}

/// The further columns that events have beside their arguments.
pub(super) struct Fields {
    categories: [Field; 3],
    source_slice: Field,
    target_slice: Field,
}

impl Fields {
    pub fn declare(story: &mut Story<'_>) -> Fields {
        let mut text = |table, column| story.field(table, column, FieldKind::Text, Further::Column);
        Fields {
            categories: [Table::States, Table::Events, Table::Links].map(|table| text(table, "category")),
            source_slice: text(Table::Links, "source_slice"),
            target_slice: text(Table::Links, "target_slice"),
        }
    }

    fn category(&self, table: Table) -> Field {
        match table {
            Table::Events => self.categories[1],
            Table::Links => self.categories[2],
            _ => self.categories[0],
        }
    }
}

/// Which end of a flow is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Source,
    Target,
}

/// Tells events.
pub(super) struct Teller {
    pub(super) tracks: Tracks,
    pub(super) names: Names,
    pub(super) arguments: Arguments,
    fields: Fields,
    lanes: Lanes,
    /// Lanes of threads beyond the first.
    lane_tracks: HashMap<Lane, Track>,
    types: HashMap<(TypeKind, String, TrackKind), Word>,
    values: HashSet<(Word, u32)>,
    flow_type: Option<Word>,
    /// Flows with steps between: how many were told.
    steps: HashMap<Vec<u8>, u32>,
    pub(super) asynchronous: Asynchronous,
    /// Slices that found no place on their thread.
    pub(super) displaced: u64,
}

impl Teller {
    pub fn new(tracks: Tracks, names: Names, arguments: Arguments, fields: Fields) -> Teller {
        Teller {
            tracks,
            names,
            arguments,
            fields,
            lanes: Lanes::default(),
            lane_tracks: HashMap::new(),
            types: HashMap::new(),
            values: HashSet::new(),
            flow_type: None,
            steps: HashMap::new(),
            asynchronous: Asynchronous::default(),
            displaced: 0,
        }
    }

    /// Ends the slices that end at or before a time.
    pub fn advance(&mut self, until: i64, story: &mut Story<'_>) -> Result<()> {
        while let Some(due) = self.lanes.next_due(until) {
            let track = self.track_of(due.end, due.lane, story)?;
            let type_ = self.type_of(TypeKind::State, "slice", track.kind, story)?;
            if due.count > 1 {
                let message = format!("a slice ends with {} slices open inside it", due.count - 1);
                story.fault(Code::UnbalancedEnd, message)?;
            }
            for _ in 0..due.count {
                story.pop_state(due.end, track.container, type_, &[])?;
            }
        }
        Ok(())
    }

    /// Tells the events of one time.
    pub fn group(&mut self, records: &mut [Record], story: &mut Story<'_>) -> Result<()> {
        if let Some(first) = records.first() {
            self.advance(first.start, story)?;
        }
        arrange(records);
        for record in records {
            story.at(record.byte);
            self.record(record, story)?;
        }
        Ok(())
    }

    fn record(&mut self, record: &Record, story: &mut Story<'_>) -> Result<()> {
        match record.phase {
            b'X' => self.complete(record, story),
            b'B' => {
                let lane = self.lanes.open_begin(record.thread, record.name);
                self.push_slice(record, lane, story)
            }
            b'E' => self.end(record, story),
            b'C' => self.counter(record, story),
            b'b' | b'S' => self.begin_asynchronous(record, story),
            b'e' | b'F' => self.end_asynchronous(record, story),
            b'n' | b'T' | b'p' => self.step_asynchronous(record, story),
            b's' => self.flow(record, End::Source, story),
            b'f' => {
                self.flow(record, End::Target, story)?;
                self.steps.remove(&flow_key(record));
                Ok(())
            }
            b't' => {
                self.flow(record, End::Target, story)?;
                *self.steps.entry(flow_key(record)).or_default() += 1;
                self.flow(record, End::Source, story)
            }
            _ => {
                let is_wide = matches!(record.mode, b'g' | b'p');
                let track = if is_wide {
                    self.tracks.process_track(record.thread)
                } else {
                    self.tracks.thread_track(record.thread)
                };
                let type_ = if record.phase == b'P' { "sample" } else { "instant" };
                self.instant(record, track, type_, story)
            }
        }
    }

    fn complete(&mut self, record: &Record, story: &mut Story<'_>) -> Result<()> {
        let lane = self.lanes.open_complete(record.thread, record.end, record.name);
        if lane.lane > 0 {
            self.displaced += 1;
        }
        self.push_slice(record, lane, story)?;
        if record.end == record.start { self.advance(record.end, story) } else { Ok(()) }
    }

    fn push_slice(&mut self, record: &Record, lane: Lane, story: &mut Story<'_>) -> Result<()> {
        let track = self.track_of(record.start, lane, story)?;
        self.push(record, track, story)
    }

    /// Starts a state on a track.
    pub(super) fn push(&mut self, record: &Record, track: Track, story: &mut Story<'_>) -> Result<()> {
        let type_ = self.type_of(TypeKind::State, "slice", track.kind, story)?;
        let value = self.value_of(type_, record.name, story)?;
        let fields = self.values(Table::States, record);
        let fields: Vec<_> = fields.iter().map(Owned::data).collect();
        story.push_state(record.start, track.container, type_, value, &fields)
    }

    /// Ends a state on a track.
    pub(super) fn pop(&mut self, record: &Record, track: Track, story: &mut Story<'_>) -> Result<()> {
        let type_ = self.type_of(TypeKind::State, "slice", track.kind, story)?;
        let fields = self.values(Table::States, record);
        let fields: Vec<_> = fields.iter().map(Owned::data).collect();
        story.pop_state(record.start, track.container, type_, &fields)
    }

    fn end(&mut self, record: &Record, story: &mut Story<'_>) -> Result<()> {
        let Some(count) = self.lanes.end(record.thread) else {
            return story.fault(Code::EmptyStack, "an E event ends a slice that no B event started".to_string());
        };
        let track = self.tracks.thread_track(record.thread);
        let type_ = self.type_of(TypeKind::State, "slice", track.kind, story)?;
        if count > 1 {
            let message = format!("an E event ends a slice with {} slices open inside it", count - 1);
            story.fault(Code::UnbalancedEnd, message)?;
        }
        for _ in 1..count {
            story.pop_state(record.start, track.container, type_, &[])?;
        }
        self.pop(record, track, story)
    }

    /// Tells an event on a track.
    pub(super) fn instant(&mut self, record: &Record, track: Track, type_: &str, story: &mut Story<'_>) -> Result<()> {
        let type_ = self.type_of(TypeKind::Event, type_, track.kind, story)?;
        let value = self.value_of(type_, record.name, story)?;
        let fields = self.values(Table::Events, record);
        let fields: Vec<_> = fields.iter().map(Owned::data).collect();
        story.new_event(record.start, track.container, type_, value, &fields)
    }

    fn counter(&mut self, record: &Record, story: &mut Story<'_>) -> Result<()> {
        let track = self.tracks.process_track(record.thread);
        let mut series = vec![];
        super::arguments::members(&record.arguments, |key, value| {
            series.push((super::json::unescape(key).into_owned(), super::json::text(value).into_owned()));
        });
        if series.is_empty() {
            return story.fault(Code::MissingField, "a counter event has no series in its args".to_string());
        }
        let name = &self.names.texts[record.name as usize];
        let name = match record.id.as_slice() {
            [] => name.clone(),
            id => format!("{name}[{}]", String::from_utf8_lossy(id)),
        };
        for (key, value) in series {
            let Ok(number) = value.parse::<f64>() else {
                let message = format!("series {key} of counter {name} is {value}, which is no number");
                story.fault(Code::BadNumber, message)?;
                continue;
            };
            let type_ = self.type_of(TypeKind::Variable, &format!("{name} {key}"), track.kind, story)?;
            story.set_variable(record.start, track.container, type_, number, &[])?;
        }
        Ok(())
    }

    fn flow(&mut self, record: &Record, end: End, story: &mut Story<'_>) -> Result<()> {
        let type_ = self.flow_type(story)?;
        let value = self.value_of(type_, record.name, story)?;
        let step = self.steps.get(&flow_key(record)).copied().unwrap_or(0);
        let name = &self.names.texts[record.name as usize];
        let category = &self.names.texts[record.category as usize];
        let key = format!("{category}:{name}:{}:{step}", String::from_utf8_lossy(&record.id));
        let (root, track) = (story.root(), self.tracks.thread_track(record.thread));
        let mut fields = self.values(Table::Links, record);
        // The end of a flow is bound to the slice around it only when the event says so.
        let is_bound = record.phase != b'f' || record.mode == b'e';
        let slice = self.lanes.innermost(record.thread).filter(|_| is_bound);
        let field = match end {
            End::Source => self.fields.source_slice,
            End::Target => self.fields.target_slice,
        };
        fields.extend(slice.map(|name| Owned::text(field, &self.names.texts[name as usize])));
        let fields: Vec<_> = fields.iter().map(Owned::data).collect();
        match end {
            End::Source => story.start_link(record.start, root, track.container, type_, value, &key, &fields),
            End::Target => story.end_link(record.start, root, track.container, type_, value, &key, &fields),
        }
    }

    fn flow_type(&mut self, story: &mut Story<'_>) -> Result<Word> {
        if let Some(type_) = self.flow_type {
            return Ok(type_);
        }
        let (type_, root, thread) = (story.word("flow"), story.root(), type_of(TrackKind::Thread, story));
        story.define_link_type(type_, root, (thread, thread), "flow")?;
        self.flow_type = Some(type_);
        Ok(type_)
    }

    fn values<'a>(&'a self, table: Table, record: &'a Record) -> Vec<Owned<'a>> {
        let mut values = vec![];
        let category = &self.names.texts[record.category as usize];
        if !category.is_empty() {
            values.push(Owned::text(self.fields.category(table), category));
        }
        self.arguments.values(table, &record.arguments, &mut values);
        values
    }

    fn track_of(&mut self, tick: i64, lane: Lane, story: &mut Story<'_>) -> Result<Track> {
        if lane.lane == 0 {
            return Ok(self.tracks.thread_track(lane.thread));
        }
        if let Some(track) = self.lane_tracks.get(&lane) {
            return Ok(*track);
        }
        let track = self.tracks.lane(tick, lane.thread, lane.lane, story)?;
        self.lane_tracks.insert(lane, track);
        Ok(track)
    }

    fn type_of(&mut self, kind: TypeKind, name: &str, holder: TrackKind, story: &mut Story<'_>) -> Result<Word> {
        if let Some(type_) = self.types.get(&TypeKey(kind, name, holder)) {
            return Ok(*type_);
        }
        let type_ = story.word(&format!("{name}#{}", self.types.len()));
        let parent = type_of(holder, story);
        story.define_type(kind, type_, parent, name, None)?;
        self.types.insert((kind, name.to_string(), holder), type_);
        Ok(type_)
    }

    /// A value of a type; defined at its first use.
    fn value_of(&mut self, type_: Word, name: u32, story: &mut Story<'_>) -> Result<Word> {
        let text = match self.names.texts[name as usize].as_str() {
            "" => "unnamed",
            text => text,
        };
        let value = story.word(text);
        if self.values.insert((type_, name)) {
            story.define_value(value, type_, text, None)?;
        }
        Ok(value)
    }
}

/// Looks a type up without a copy of its name.
#[derive(Hash)]
struct TypeKey<'a>(TypeKind, &'a str, TrackKind);

impl Equivalent<(TypeKind, String, TrackKind)> for TypeKey<'_> {
    fn equivalent(&self, key: &(TypeKind, String, TrackKind)) -> bool {
        (self.0, self.1, self.2) == (key.0, key.1.as_str(), key.2)
    }
}

fn flow_key(record: &Record) -> Vec<u8> {
    let mut key = record.id.clone();
    key.extend_from_slice(&record.name.to_le_bytes());
    key.extend_from_slice(&record.category.to_le_bytes());
    key
}

/// Puts the events of one time in the order in which they happened: ends of what began before, begins,
/// complete slices from the longest to the shortest, then what happens inside them. Ends of what
/// begins at this very time stay behind their begins.
fn arrange(records: &mut [Record]) {
    if records.len() < 2 {
        return;
    }
    let mut begun: HashMap<u32, u32> = HashMap::new();
    let mut ranked: Vec<(u8, i64, usize)> = vec![];
    for (place, record) in records.iter().enumerate() {
        let open = begun.entry(record.thread).or_default();
        let rank = match record.phase {
            b'E' if *open == 0 => 0,
            b'E' => {
                *open -= 1;
                1
            }
            b'B' => {
                *open += 1;
                1
            }
            b'X' => 2,
            _ => 3,
        };
        let length = if rank == 2 { record.end.saturating_neg() } else { 0 };
        ranked.push((rank, length, place));
    }
    ranked.sort_unstable();
    let order: Vec<Record> = ranked.iter().map(|(_, _, place)| std::mem::take(&mut records[*place])).collect();
    for (place, record) in order.into_iter().enumerate() {
        records[place] = record;
    }
}
