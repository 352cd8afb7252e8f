//! CommGram: how the pattern of communication changes, and below it who sends how much to whom in each phase.
//!
//! ```text
//!  curve    ────╮      ╭────      as high as the phase differs from the first one
//!               ╰──────╯
//!  flows    ▌══▐▌══▐▌╲╱▐          a column per phase: communities as bars, what flows between them as ribbons
//!           ▌══▐▌══▐▌╱╲▐
//!            t0   t1   t2
//! ```

mod flows;
mod shades;
#[cfg(test)]
mod tests;

use self::shades::SHADES;
use super::font;
use super::frame::{Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note, y_axis};
use super::picture::{PathStep, Picture, TextAnchor};
use super::source::DrawSource;
use super::units::{quantity, seconds, short};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Phases when none are asked for: at most.
const MAX_PHASES: usize = 60;
const CURVE: Color = Color::new(192, 32, 38);
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
    let has_flows = source.options.flows && !phases.is_empty();
    let legend = ["smallest flow", "", "largest flow"].map(str::to_string).into_iter().zip(SHADES).collect::<Vec<_>>();
    let page = PictureFrame {
        width: source.width(),
        height: source.height(if has_flows { 720.0 } else { 360.0 }),
        title: "CommGram: how communication changes",
        note: &source.note(&format!(", {} phases; height is the difference to the first", phases.len())),
        left: 84.0,
        axis: Axis::Below,
        legend: if has_flows { &legend } else { &[] },
    };
    let (mut picture, area) = page.begin();
    if phases.is_empty() {
        draw_empty_note(&mut picture, &area, "no links in this window");
        return Ok(picture);
    }
    let curve = PictureArea { height: if has_flows { area.height * 0.26 } else { area.height }, ..area };
    draw_curve(&mut picture, &curve, &phases);
    if has_flows {
        let below = PictureArea { y: curve.bottom() + 22.0, height: area.bottom() - curve.bottom() - 22.0, ..area };
        flows::draw(source, &arguments, &mut picture, &below, phases.len()).await?;
    }
    phase_labels(&mut picture, &area, &phases);
    Ok(picture)
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

/// Flat within a phase, and a smooth step to the next.
fn draw_curve(picture: &mut Picture, area: &PictureArea, phases: &[CurvePhase]) {
    let highest = phases.iter().map(|phase| phase.height).fold(0.0, f64::max);
    let high = if highest > 0.0 { (highest * 1.1).min(1.0) } else { 1.0 };
    y_axis(picture, area, 0.0, high, "difference");
    let column = area.width / phases.len() as f64;
    let y = |phase: &CurvePhase| area.bottom() - phase.height / high * area.height;
    for (place, phase) in phases.iter().enumerate() {
        let x = area.x + place as f64 * column;
        picture.rectangle(x, area.y, column, area.height).fill(Color::WHITE).opacity(0.01).title(title(place, phase));
    }
    let mut steps = vec![];
    for (place, phase) in phases.iter().enumerate() {
        let (left, right) = (area.x + (place as f64 + 0.2) * column, area.x + (place as f64 + 0.8) * column);
        match place.checked_sub(1).map(|before| y(&phases[before])) {
            None => steps.push(PathStep::Move(area.x, y(phase))),
            Some(before) => {
                let middle = area.x + place as f64 * column;
                steps.push(PathStep::Curve([middle, before, middle, y(phase), left, y(phase)]));
            }
        }
        steps.push(PathStep::Line(right, y(phase)));
    }
    if let Some(last) = phases.last() {
        steps.push(PathStep::Line(area.right(), y(last)));
    }
    picture.path(steps).stroke(CURVE, 2.5);
}

fn title(place: usize, phase: &CurvePhase) -> String {
    let volume = if phase.volume.is_nan() { String::new() } else { format!(", volume {}", quantity(phase.volume)) };
    let difference =
        if phase.difference.is_nan() { String::new() } else { format!(", difference {}", short(phase.difference)) };
    format!(
        "t{place}: from {} to {}, {} messages{volume}, {} communities{difference}, height {}",
        seconds(phase.start),
        seconds(phase.end),
        quantity(phase.messages),
        phase.communities,
        short(phase.height)
    )
}

/// Numbers of phases below their columns, and when each begins; as many as have room.
fn phase_labels(picture: &mut Picture, area: &PictureArea, phases: &[CurvePhase]) {
    let column = area.width / phases.len() as f64;
    let label = |place: usize| (format!("t{place}"), seconds(phases[place].start));
    let widest = (0..phases.len()).map(|place| font::width(&label(place).1, TEXT_SIZE)).fold(20.0, f64::max);
    let every = ((widest + 8.0) / column).ceil().max(1.0) as usize;
    for place in (0..phases.len()).step_by(every) {
        let x = area.x + (place as f64 + 0.5) * column;
        let (number, time) = label(place);
        picture.text(x, area.bottom() + 15.0, TEXT_SIZE, TextAnchor::Middle, number);
        picture.text(x, area.bottom() + 30.0, TEXT_SIZE, TextAnchor::Middle, time).fill(Color::QUIET);
    }
}
