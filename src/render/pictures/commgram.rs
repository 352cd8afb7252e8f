//! CommGram: how the pattern of communication changes, and below it who sends how much to whom in each phase.
//!
//! ```text
//!  curve    ────╮      ╭────      as high as the phase differs from the first one; bars: from the one before
//!               ╰──────╯
//!  flows    a▌══▐ ▌══▐ b▌╲╱▐      a column per phase: communities as bars, what flows between them as ribbons;
//!           b▌══▐ ▌══▐ a▌╱╲▐      names where bars change places
//!             t0   t1    t2
//! ```

mod columns;
mod flows;
mod names;
mod shades;
#[cfg(test)]
mod tests;

use self::columns::PhaseColumns;
use self::flows::FlowChart;
use self::shades::{SHADES, shade};
use super::font;
use super::frame::{Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note, y_axis};
use super::picture::{PathStep, Picture, TextAnchor};
use super::source::DrawSource;
use super::units::{MomentFormat, bytes, counted, short};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Phases when none are asked for: at most.
const MAX_PHASES: usize = 60;
const CURVE: Color = Color::new(192, 32, 38);
const STEP: Color = Color::new(178, 178, 190);
/// Room at the left for the numbers of the curve.
const AXIS_ROOM: f64 = 62.0;

/// A phase of the curve.
struct CurvePhase {
    start: f64,
    end: f64,
    messages: f64,
    volume: f64,
    communities: f64,
    difference: f64,
    height: f64,
}

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let arguments = arguments(source).await?;
    let own = format!("SELECT * FROM comm_curve({arguments}) ORDER BY phase");
    let phases = phases(&source.view_rows(&own).await?)?;
    let chart = match source.options.flows && !phases.is_empty() {
        true => Some(FlowChart::read(source, &arguments, phases.len()).await?),
        false => None,
    };
    let mut legend = vec![
        ("difference from the first phase".to_string(), CURVE),
        ("difference from the phase before".to_string(), STEP),
    ];
    legend.extend(chart.as_ref().map(flow_legend).unwrap_or_default());
    let page = PictureFrame {
        width: source.width(),
        height: source.height(chart.as_ref().map_or(380.0, FlowChart::page_height)),
        title: "CommGram: how communication changes",
        note: &source.note(&format!(
            ", {}; difference: 0 = the same communities, 1 = none in common",
            counted(phases.len() as f64, "phase")
        )),
        left: chart.as_ref().map_or(AXIS_ROOM, |chart| chart.first_names(source.width()).max(AXIS_ROOM)),
        axis: Axis::Below,
        legend: if phases.is_empty() { &[] } else { &legend },
    };
    let (mut picture, area) = page.begin();
    if phases.is_empty() {
        draw_empty_note(&mut picture, &area, "no links in this window");
        return Ok(picture);
    }
    let gutters = chart.as_ref().map_or_else(|| vec![0.0; phases.len()], |chart| chart.gutters(area.width));
    let columns = PhaseColumns::new(&area, &gutters);
    let curve = PictureArea { height: if chart.is_some() { area.height * 0.26 } else { area.height }, ..area };
    draw_curve(&mut picture, &curve, &columns, &phases);
    if let Some(chart) = chart {
        let below = PictureArea { y: curve.bottom() + 22.0, height: area.bottom() - curve.bottom() - 22.0, ..area };
        chart.draw(&mut picture, &below, &columns);
    }
    phase_labels(&mut picture, &area, &columns, &phases);
    Ok(picture)
}

/// The colors of flows: nothing, half way to the darkest color, and the largest flow.
fn flow_legend(chart: &FlowChart) -> Vec<(String, Color)> {
    // The color is the root of the amount.
    let entry = |share: f64| chart.amount(share * share * chart.most());
    let texts = [entry(0.0), entry(0.5), format!("{}, the largest flow", entry(1.0))];
    texts.into_iter().zip([SHADES[0], shade(0.5), SHADES[2]]).collect()
}

/// The arguments of all functions: the links of the window, phases and communities.
async fn arguments(source: &DrawSource<'_>) -> Result<String> {
    let window = format!("start_time >= {:?} AND end_time <= {:?}", source.start, source.stop);
    let links = format!("(SELECT * FROM links WHERE {window}{})", source.type_condition());
    let count = match source.options.phases {
        Some(count) => count as usize,
        None => {
            let query = format!("SELECT distance FROM phase_tree({links}) ORDER BY step DESC LIMIT {MAX_PHASES}");
            natural_phases(&source.query(&query).await?.numbers("distance")?)
        }
    };
    let communities = source.options.communities.map(|count| format!(", communities => {count}"));
    Ok(format!("{links}, phases => {count}{}", communities.unwrap_or_default()))
}

/// The number of phases whose gaps are largest, compared to those within. `distances` are those of merges, the last first.
fn natural_phases(distances: &[f64]) -> usize {
    let mut best = (1, 1.0);
    for (place, pair) in distances.windows(2).enumerate() {
        let ratio = if pair[1] > 0.0 { pair[0] / pair[1] } else { f64::INFINITY };
        if pair[0] > 0.0 && ratio > best.1 {
            best = (place + 2, ratio);
        }
    }
    best.0
}

fn phases(rows: &super::query_rows::QueryRows) -> Result<Vec<CurvePhase>> {
    let column = |name: &str| rows.numbers(name);
    let (starts, ends, messages, volumes) =
        (column("start_time")?, column("end_time")?, column("messages")?, column("volume")?);
    let (communities, differences, heights) = (column("communities")?, column("difference")?, column("height")?);
    let phase = |row: usize| CurvePhase {
        start: starts[row],
        end: ends[row],
        messages: messages[row],
        volume: volumes[row],
        communities: communities[row],
        difference: differences[row],
        height: heights[row],
    };
    Ok((0..rows.len()).map(phase).collect())
}

/// Flat within a phase, and a smooth step to the next. A bar before each phase is as high as it differs from the one before.
fn draw_curve(picture: &mut Picture, area: &PictureArea, columns: &PhaseColumns, phases: &[CurvePhase]) {
    let values = phases.iter().flat_map(|phase| [phase.height, phase.difference]).filter(|value| value.is_finite());
    let highest = values.fold(0.0, f64::max);
    let high = if highest > 0.0 { (highest * 1.1).min(1.0) } else { 1.0 };
    y_axis(picture, area, 0.0, high, "difference");
    let y = |value: f64| area.bottom() - value / high * area.height;
    let thickness = (columns.width * 0.2).clamp(2.0, 14.0);
    let moments = moments(phases);
    for (place, phase) in phases.iter().enumerate() {
        let text = title(place, phase, &moments);
        if phase.difference > 0.0 {
            let (x, top) = (columns.border(place) - thickness / 2.0, y(phase.difference));
            picture.rectangle(x, top, thickness, area.bottom() - top).fill(STEP).title(text.clone());
        }
        let x = columns.lefts[place];
        picture.rectangle(x, area.y, columns.width, area.height).fill(Color::WHITE).opacity(0.01).title(text);
    }
    let mut steps = vec![];
    for (place, phase) in phases.iter().enumerate() {
        let at = |part: f64| columns.lefts[place] + part * columns.width;
        match place.checked_sub(1).map(|before| y(phases[before].height)) {
            None => steps.push(PathStep::Move(area.x, y(phase.height))),
            Some(before) => {
                let middle = columns.border(place);
                steps.push(PathStep::Curve([middle, before, middle, y(phase.height), at(0.2), y(phase.height)]));
            }
        }
        steps.push(PathStep::Line(at(0.8), y(phase.height)));
    }
    if let Some(last) = phases.last() {
        steps.push(PathStep::Line(area.right(), y(last.height)));
    }
    picture.path(steps).stroke(CURVE, 2.5);
}

/// How times of phases are written: with the digits that tell them apart.
fn moments(phases: &[CurvePhase]) -> MomentFormat {
    let (start, end) = (phases.first().map_or(0.0, |phase| phase.start), phases.last().map_or(0.0, |phase| phase.end));
    MomentFormat::of(start, end)
}

fn title(place: usize, phase: &CurvePhase, moments: &MomentFormat) -> String {
    let volume = if phase.volume.is_nan() { String::new() } else { format!(", {}", bytes(phase.volume)) };
    let before = match phase.difference.is_nan() {
        true => String::new(),
        false => format!("\ndifference from the phase before: {}", short(phase.difference)),
    };
    format!(
        "t{place}: from {} to {}, {}{volume}, {}\ndifference from the first phase: {}{before}",
        moments.text(phase.start),
        moments.text(phase.end),
        counted(phase.messages, "message"),
        if phase.communities == 1.0 { "1 community".to_string() } else { format!("{} communities", phase.communities) },
        short(phase.height)
    )
}

/// Numbers of phases below their columns, and when each begins; as many as have room.
fn phase_labels(picture: &mut Picture, area: &PictureArea, columns: &PhaseColumns, phases: &[CurvePhase]) {
    let moments = moments(phases);
    let label = |place: usize| (format!("t{place}"), moments.text(phases[place].start));
    let widest = (0..phases.len()).map(|place| font::width(&label(place).1, TEXT_SIZE)).fold(20.0, f64::max);
    let every = ((widest + 8.0) / (area.width / phases.len() as f64)).ceil().max(1.0) as usize;
    for place in (0..phases.len()).step_by(every) {
        let x = columns.lefts[place] + columns.width / 2.0;
        let (number, time) = label(place);
        picture.text(x, area.bottom() + 15.0, TEXT_SIZE, TextAnchor::Middle, number);
        picture.text(x, area.bottom() + 30.0, TEXT_SIZE, TextAnchor::Middle, time).fill(Color::QUIET);
    }
}
