//! The bipartite graphs of all phases side by side: containers as bars, flows as ribbons.
//!
//! Few containers have a bar each, with gaps between communities; of many, or when a number of communities is asked for, each
//! community is one bar.
//!
//! A ribbon follows a clamped cubic B-spline with the control points (left, from), (middle, from), (middle, to), (right, to).
//! All widths have one scale, such that no bar sends or receives more than it is high.

use std::collections::BTreeMap;

use super::super::font;
use super::super::frame::{PictureArea, TEXT_SIZE};
use super::super::picture::{PathStep, Picture, TextAnchor};
use super::super::query_rows::QueryRows;
use super::super::source::DrawSource;
use super::super::units::{bytes, counted, quantity};
use super::columns::PhaseColumns;
use super::names::{BarName, PhaseNames, room_of, shown_names};
use super::shades::shade;
use crate::color::Color;
use ocellus_trace::error::Result;

const BAR: f64 = 5.0;
const BAR_COLOR: Color = Color::new(70, 80, 95);
/// Ribbons in a picture; the largest are kept.
const MAX_RIBBONS: usize = 3000;
/// A bar is divided into its containers down to this height of one.
const MIN_CONTAINER: f64 = 3.0;

/// Bars in a picture; when there are more, ribbons speak for themselves.
const MAX_SHOWN: usize = 1500;
/// Containers that have a bar each: at most.
const MAX_BARS: usize = 64;

/// A community of a phase, or a container: what it holds, and where it stands.
#[derive(Debug, Default)]
struct CommunityBar {
    community: usize,
    /// Place of the first container of the community.
    first: i64,
    /// The first container of the bar.
    container: i64,
    members: Vec<(i64, String)>,
    y: f64,
    height: f64,
    sent: f64,
    received: f64,
}

impl CommunityBar {
    fn name(&self) -> String {
        match self.members.as_slice() {
            [] => String::new(),
            [(_, name)] => name.clone(),
            [(_, first), rest @ ..] => format!("{first} +{}", rest.len()),
        }
    }

    fn list(&self) -> String {
        let mut names: Vec<&str> = self.members.iter().take(8).map(|(_, name)| name.as_str()).collect();
        if self.members.len() > names.len() {
            names.push("…");
        }
        names.join(", ")
    }
}

/// What flows between two communities of a phase.
#[derive(Debug)]
struct FlowBand {
    phase: usize,
    from: usize,
    to: usize,
    amount: f64,
    text: String,
}

/// The bars and flows of all phases.
pub(super) struct FlowChart {
    columns: Vec<Vec<CommunityBar>>,
    flows: Vec<FlowBand>,
    measure: FlowMeasure,
}

/// What the width of a flow shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FlowMeasure {
    Messages,
    Volume,
}

impl FlowChart {
    /// Reads the communities of phases and what flows between them.
    pub async fn read(source: &DrawSource<'_>, arguments: &str, phases: usize) -> Result<FlowChart> {
        let members = source
            .query(&format!(
                "SELECT phase, community, place, container_id, container, row_number() OVER (PARTITION BY phase ORDER BY container_id) - 1 AS alone \
                 FROM comm_communities({arguments}) ORDER BY phase, place"
            ))
            .await?;
        let detail = BarContent::of(source, &members)?;
        // As communities of one, containers have numbers in the order of their ids.
        let links = match detail {
            BarContent::Containers => format!("{arguments}, communities => {MAX_BARS}"),
            BarContent::Communities => arguments.to_string(),
        };
        let rows = source
            .query(&format!("SELECT * FROM comm_flows({links}) ORDER BY phase, source_community, target_community"))
            .await?;
        let mut columns = bars(&members, phases, detail)?;
        let has_volume = rows.numbers("volume")?.iter().any(|volume| *volume > 0.0);
        let measure = if has_volume { FlowMeasure::Volume } else { FlowMeasure::Messages };
        let flows = flows(&rows, measure)?;
        for flow in &flows {
            columns[flow.phase][flow.from].sent += flow.amount;
            columns[flow.phase][flow.to].received += flow.amount;
        }
        Ok(FlowChart { columns, flows, measure })
    }

    /// Height of a page on which names of bars have room.
    pub fn page_height(&self) -> f64 {
        let bars = self.columns.iter().map(Vec::len).max().unwrap_or(0).min(MAX_BARS);
        (bars as f64 * (TEXT_SIZE + 2.0) / 0.66 + 170.0).max(720.0)
    }

    /// The largest flow.
    pub fn most(&self) -> f64 {
        self.flows.iter().map(|flow| flow.amount).fold(0.0, f64::max)
    }

    /// An amount with its unit.
    pub fn amount(&self, amount: f64) -> String {
        amount_text(self.measure, amount)
    }

    /// Room for the names at the first phase.
    pub fn first_names(&self, page_width: f64) -> f64 {
        self.names().first().map_or(0.0, |names| room_of(names).min(page_width / 3.0))
    }

    /// Room for names before each phase.
    pub fn gutters(&self, width: f64) -> Vec<f64> {
        let names = shown_names(&self.names(), width);
        let room = |(phase, names): (usize, Option<PhaseNames>)| {
            if phase == 0 { 0.0 } else { room_of(&names.unwrap_or_default()) }
        };
        names.into_iter().enumerate().map(room).collect()
    }

    /// Draws bars, their names, and the flows.
    pub fn draw(mut self, picture: &mut Picture, area: &PictureArea, places: &PhaseColumns) {
        self.columns.iter_mut().for_each(|bars| stack(bars, area));
        self.draw_bars(picture, places);
        self.label_bars(picture, area, places);
        let bars = self.columns.iter().flatten();
        let scale = bars.map(|bar| bar.height / bar.sent.max(bar.received)).fold(f64::INFINITY, f64::min);
        let most = self.most();
        // The largest are kept, and painted last.
        self.flows.sort_by(|a, b| {
            a.amount.total_cmp(&b.amount).then(a.phase.cmp(&b.phase)).then((a.from, a.to).cmp(&(b.from, b.to)))
        });
        let left_out = self.flows.len().saturating_sub(MAX_RIBBONS);
        let ends = ends(&self.flows, &self.columns, scale);
        for (flow, (from, to)) in self.flows.iter().zip(ends).skip(left_out) {
            let x = places.lefts[flow.phase];
            let share = (flow.amount / most.max(f64::MIN_POSITIVE)).sqrt();
            let thickness = (flow.amount * scale).max(0.6);
            picture
                .path(ribbon((x + BAR + 1.5, from), (x + places.width - BAR - 1.5, to), thickness))
                .fill(shade(share))
                .opacity(0.35 + 0.5 * share)
                .title(flow.text.as_str());
        }
    }

    /// The names of the bars of each phase, from top to bottom.
    fn names(&self) -> Vec<PhaseNames> {
        let name = |bar: &CommunityBar| BarName { container: bar.container, text: bar.name() };
        let names = |bars: &Vec<CommunityBar>| order(bars).into_iter().map(|bar| name(&bars[bar])).collect();
        self.columns.iter().map(names).collect()
    }

    fn draw_bars(&self, picture: &mut Picture, places: &PhaseColumns) {
        let containers: usize = self.columns.iter().flatten().map(|bar| bar.members.len()).sum();
        if self.columns.iter().map(Vec::len).sum::<usize>() > MAX_SHOWN {
            return;
        }
        for (phase, bars) in self.columns.iter().enumerate() {
            let left = places.lefts[phase];
            for bar in bars {
                let text = format!(
                    "t{phase}: {}: {}\nsent {}, received {}",
                    counted(bar.members.len() as f64, "container"),
                    bar.list(),
                    self.amount(bar.sent),
                    self.amount(bar.received)
                );
                let each = bar.height / bar.members.len().max(1) as f64;
                let is_divided = each >= MIN_CONTAINER && containers <= MAX_SHOWN;
                let pieces = if is_divided { bar.members.len() } else { 1 };
                let height = bar.height / pieces.max(1) as f64;
                for piece in 0..pieces {
                    let y = bar.y + piece as f64 * height;
                    let seam = if pieces > 1 { 0.8 } else { 0.0 };
                    let text = if is_divided { format!("{}\n{text}", bar.members[piece].1) } else { text.clone() };
                    for x in [left + 1.0, left + places.width - BAR - 1.0] {
                        picture.rectangle(x, y, BAR, (height - seam).max(0.3)).fill(BAR_COLOR).title(text.as_str());
                    }
                }
            }
        }
    }

    /// Names at the left of the first phase, and of each phase whose bars stand in other places than before.
    fn label_bars(&self, picture: &mut Picture, area: &PictureArea, places: &PhaseColumns) {
        for (phase, names) in shown_names(&self.names(), area.width).into_iter().enumerate() {
            let room = if phase == 0 { area.x - 20.0 } else { f64::INFINITY };
            let bars = &self.columns[phase];
            let mut free_from = f64::NEG_INFINITY;
            for (bar, name) in order(bars).into_iter().zip(names.unwrap_or_default()) {
                let middle = bars[bar].y + bars[bar].height / 2.0;
                if middle - TEXT_SIZE / 2.0 < free_from {
                    continue;
                }
                let name = font::fit_ends(&name.text, TEXT_SIZE, room);
                picture.text(places.lefts[phase] - 4.0, middle + 4.0, TEXT_SIZE, TextAnchor::End, name);
                free_from = middle + TEXT_SIZE / 2.0 + 1.0;
            }
        }
    }
}

fn amount_text(measure: FlowMeasure, amount: f64) -> String {
    if measure == FlowMeasure::Volume { bytes(amount) } else { counted(amount, "message") }
}

/// Whether a bar stands for a container or for a community.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BarContent {
    Containers,
    Communities,
}

impl BarContent {
    fn of(source: &DrawSource<'_>, members: &QueryRows) -> Result<BarContent> {
        let most = members.numbers("alone")?.into_iter().fold(0.0, f64::max);
        let is_fine = source.options.communities.is_none() && most < MAX_BARS as f64;
        Ok(if is_fine { BarContent::Containers } else { BarContent::Communities })
    }
}

/// The bars of each phase, with their containers in the order of their places.
fn bars(rows: &QueryRows, phases: usize, detail: BarContent) -> Result<Vec<Vec<CommunityBar>>> {
    let (numbers, communities, alone) = (rows.numbers("phase")?, rows.numbers("community")?, rows.numbers("alone")?);
    let mut firsts: BTreeMap<(usize, usize), i64> = BTreeMap::new();
    let (places, ids, names) = (rows.numbers("place")?, rows.numbers("container_id")?, rows.names("container")?);
    let mut columns: Vec<Vec<CommunityBar>> = (0..phases).map(|_| vec![]).collect();
    for row in 0..rows.len() {
        let Some(bars) = columns.get_mut(numbers[row] as usize) else { continue };
        let community = communities[row] as usize;
        let bar = if detail == BarContent::Containers { alone[row] as usize } else { community };
        bars.resize_with(bars.len().max(bar + 1), CommunityBar::default);
        let place = places[row] as i64;
        bars[bar].community = community;
        bars[bar].first = *firsts.entry((numbers[row] as usize, community)).or_insert(place);
        if bars[bar].members.is_empty() {
            bars[bar].container = ids[row] as i64;
        }
        bars[bar].members.push((place, names[row].clone()));
    }
    Ok(columns)
}

fn flows(rows: &QueryRows, measure: FlowMeasure) -> Result<Vec<FlowBand>> {
    let column = |name: &str| rows.numbers(name);
    let (phases, from, to) = (column("phase")?, column("source_community")?, column("target_community")?);
    let (messages, volumes, operations) = (column("messages")?, column("volume")?, rows.texts("operations")?);
    let (senders, receivers) = (column("senders")?, column("receivers")?);
    let (sources, targets) = (rows.names("source")?, rows.names("target")?);
    let group = |name: &str, count: f64| {
        if count > 1.0 { format!("{} with {name}", quantity(count)) } else { name.to_string() }
    };
    let flow = |row: usize| {
        let volume = if volumes[row].is_nan() { String::new() } else { format!(", {}", bytes(volumes[row])) };
        FlowBand {
            phase: phases[row] as usize,
            from: from[row] as usize,
            to: to[row] as usize,
            amount: if measure == FlowMeasure::Volume { volumes[row].max(0.0) } else { messages[row] },
            text: format!(
                "t{}: {}\nsenders: {}\nreceivers: {}\n{}{volume}",
                phases[row],
                operations[row],
                group(&sources[row], senders[row]),
                group(&targets[row], receivers[row]),
                counted(messages[row], "message")
            ),
        }
    };
    Ok((0..rows.len()).map(flow).collect())
}

/// The bars of a phase from top to bottom: communities by their first places.
fn order(bars: &[CommunityBar]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bars.len()).collect();
    order.sort_by_key(|bar| (bars[*bar].first, bars[*bar].members.first().map(|(place, _)| *place), *bar));
    order
}

/// Puts the bars of a phase below each other: communities in the order of their first places, with gaps between them, and a
/// bar as high as it has containers.
fn stack(bars: &mut [CommunityBar], area: &PictureArea) {
    let containers: usize = bars.iter().map(|bar| bar.members.len()).sum();
    let communities = bars.iter().map(|bar| bar.community + 1).max().unwrap_or(1);
    let gap = (area.height * 0.2 / communities as f64).min(10.0);
    let seam = if bars.len() > communities { (area.height * 0.1 / bars.len() as f64).min(1.5) } else { 0.0 };
    let gaps = gap * (communities - 1) as f64 + seam * bars.len().saturating_sub(communities) as f64;
    let mut y = area.y;
    let mut last = None;
    for index in order(bars) {
        let bar = &mut bars[index];
        if let Some(last) = last {
            y += if last == bar.community { seam } else { gap };
        }
        bar.y = y;
        bar.height = (area.height - gaps) * bar.members.len() as f64 / containers.max(1) as f64;
        y += bar.height;
        last = Some(bar.community);
    }
}

/// Where the upper edge of each flow begins and ends: at a bar, flows lie below each other in the order of their other
/// ends, in the middle of the bar.
fn ends(flows: &[FlowBand], columns: &[Vec<CommunityBar>], scale: f64) -> Vec<(f64, f64)> {
    let mut result = vec![(0.0, 0.0); flows.len()];
    for side in [RibbonEnd::From, RibbonEnd::To] {
        let mut at_bar: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (index, flow) in flows.iter().enumerate() {
            at_bar.entry((flow.phase, side.own(flow))).or_default().push(index);
        }
        for ((phase, bar), mut indices) in at_bar {
            let bars = &columns[phase];
            indices.sort_by(|a, b| bars[side.other(&flows[*a])].y.total_cmp(&bars[side.other(&flows[*b])].y));
            let all: f64 = indices.iter().map(|index| flows[*index].amount * scale).sum();
            let mut y = bars[bar].y + (bars[bar].height - all) / 2.0;
            for index in indices {
                let end = if side == RibbonEnd::From { &mut result[index].0 } else { &mut result[index].1 };
                *end = y;
                y += flows[index].amount * scale;
            }
        }
    }
    result
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RibbonEnd {
    From,
    To,
}

impl RibbonEnd {
    fn own(self, flow: &FlowBand) -> usize {
        if self == RibbonEnd::From { flow.from } else { flow.to }
    }

    fn other(self, flow: &FlowBand) -> usize {
        if self == RibbonEnd::From { flow.to } else { flow.from }
    }
}

fn ribbon(from: (f64, f64), to: (f64, f64), thickness: f64) -> Vec<PathStep> {
    let middle = f64::midpoint(from.0, to.0);
    let (below_from, below_to) = (from.1 + thickness, to.1 + thickness);
    vec![
        PathStep::Move(from.0, from.1),
        PathStep::Curve([middle, from.1, middle, to.1, to.0, to.1]),
        PathStep::Line(to.0, below_to),
        PathStep::Curve([middle, below_to, middle, below_from, from.0, below_from]),
        PathStep::Close,
    ]
}
