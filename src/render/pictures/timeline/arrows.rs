//! The links of a timeline, as arrows. One that begins or ends outside of the picture is cut at its border, where the whole
//! line would cross it; one that ends outside has no head.

#[cfg(test)]
mod tests;

use super::super::frame::PictureArea;
use super::super::picture::{PathStep, Picture};
use super::super::query_rows::QueryRows;
use super::super::source::DrawSource;
use super::super::units::{bytes, seconds};
use super::levels::DepthCut;
use crate::color::Color;
use ocellus_trace::error::Result;

/// Arrows in a picture; of more links, none is drawn and the note says how many there are.
const MAX_LINKS: usize = 400;

/// The links of a window.
pub(super) enum TimelineLinks {
    Drawn(QueryRows),
    TooMany(f64),
}

pub(super) async fn links(source: &DrawSource<'_>, cut: &DepthCut) -> Result<TimelineLinks> {
    let within = format!("start_time < {:?} AND end_time > {:?}", source.stop, source.start);
    let count = source.query(&format!("SELECT count(*) AS count FROM links WHERE {within}")).await?.numbers("count")?;
    let count = count.first().copied().unwrap_or(0.0);
    if count > MAX_LINKS as f64 || cut.depth.is_some() || source.options.query.is_some() {
        return Ok(TimelineLinks::TooMany(count));
    }
    let own = format!(
        "SELECT source_id, target_id, source, target, value, volume, start_time, end_time FROM links WHERE {within} \
         ORDER BY start_time, end_time, source_id, target_id, value, volume"
    );
    Ok(TimelineLinks::Drawn(source.query(&own).await?))
}

/// Draws links within an area; `point` gives the place of a container at a time, which may lie outside, or nothing.
pub(super) fn draw_links(
    picture: &mut Picture,
    source: &DrawSource<'_>,
    links: &QueryRows,
    area: &PictureArea,
    point: impl Fn(i64, f64) -> Option<(f64, f64)>,
) -> Result<()> {
    let (sources, targets) = (links.numbers("source_id")?, links.numbers("target_id")?);
    let (senders, receivers) = (links.names("source")?, links.names("target")?);
    let (starts, ends) = (links.numbers("start_time")?, links.numbers("end_time")?);
    let (values, volumes) = (links.texts("value")?, links.numbers("volume")?);
    for row in 0..links.len() {
        let (from, to) = (point(sources[row] as i64, starts[row]), point(targets[row] as i64, ends[row]));
        let (Some(from), Some(to)) = (from, to) else { continue };
        let Some(visible) = clip(from, to, area) else { continue };
        let volume = if volumes[row].is_nan() { String::new() } else { format!(", {}", bytes(volumes[row])) };
        let title = format!(
            "{} from {} at {} to {} at {}, {}{volume}",
            values[row],
            senders[row],
            source.moment(starts[row]),
            receivers[row],
            source.moment(ends[row]),
            seconds(ends[row] - starts[row])
        );
        picture.line(visible.from, visible.to).stroke(Color::TEXT, 0.8).opacity(0.7).title(title);
        if visible.has_end {
            arrow_head(picture, visible.from, visible.to);
        }
    }
    Ok(())
}

/// The part of a line that lies within an area.
#[derive(Debug, Clone, Copy, PartialEq)]
struct VisibleLine {
    from: (f64, f64),
    to: (f64, f64),
    /// Whether it ends where the whole line does.
    has_end: bool,
}

/// Cuts a line at the borders of an area (Liang and Barsky); `None` when it lies outside.
fn clip(from: (f64, f64), to: (f64, f64), area: &PictureArea) -> Option<VisibleLine> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    // The part of the line, from 0 to 1, that is inside of each border.
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    let borders =
        [(-dx, from.0 - area.x), (dx, area.right() - from.0), (-dy, from.1 - area.y), (dy, area.bottom() - from.1)];
    for (outward, room) in borders {
        if outward == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if outward < 0.0 {
            first = first.max(room / outward);
        } else {
            last = last.min(room / outward);
        }
    }
    if first > last {
        return None;
    }
    let at = |part: f64| match part {
        0.0 => from,
        1.0 => to,
        part => (from.0 + part * dx, from.1 + part * dy),
    };
    Some(VisibleLine { from: at(first), to: at(last), has_end: last == 1.0 })
}

fn arrow_head(picture: &mut Picture, from: (f64, f64), to: (f64, f64)) {
    const SIZE: f64 = 5.0;
    let angle = (to.1 - from.1).atan2(to.0 - from.0);
    let corner = |turn: f64| (to.0 - SIZE * (angle + turn).cos(), to.1 - SIZE * (angle + turn).sin());
    let (left, right) = (corner(0.4), corner(-0.4));
    let steps = vec![
        PathStep::Move(to.0, to.1),
        PathStep::Line(left.0, left.1),
        PathStep::Line(right.0, right.1),
        PathStep::Close,
    ];
    picture.path(steps).fill(Color::TEXT).opacity(0.7);
}
