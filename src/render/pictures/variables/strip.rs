//! One strip of a picture of variables: the lines of a type, and the range of those without a line.

use std::collections::BTreeMap;

use super::super::frame::{PictureArea, y_axis};
use super::super::labels::PlacedLabels;
use super::super::picture::{PathStep, Picture, TextAnchor};
use super::super::units::quantity;
use super::choice::LineRole;
use crate::color::{Color, Palette};

/// Strips and lines of a query that a picture has room for.
const MAX_STRIPS: usize = 6;
const MAX_LINES: usize = 24;
/// The color of what does not stand out.
pub const OTHERS: Color = Color::new(170, 170, 170);
/// The color of the range that the others lie in.
pub const RANGE: Color = Color::new(232, 232, 232);

/// What one container's variable does over the slices.
#[derive(Debug, Clone, Default)]
pub struct VariableLine {
    /// How it is drawn.
    pub role: LineRole,
    /// Start, end and mean of each slice.
    pub steps: Vec<(f64, f64, f64)>,
}

/// What all containers do in a slice.
#[derive(Debug, Clone, Copy)]
pub struct RangeSlice {
    /// Start of the slice.
    pub start: f64,
    /// End of the slice.
    pub end: f64,
    /// The smallest mean.
    pub low: f64,
    /// The median of the means.
    pub middle: f64,
    /// The largest mean.
    pub high: f64,
}

/// The variables of one type.
#[derive(Debug, Clone, Default)]
pub struct VariableStrip {
    /// Containers that have the variable; 0 when that is not known.
    pub containers: usize,
    /// Lines by the number of their container, which distinguishes those of one name, and its name.
    pub lines: BTreeMap<(i64, String), VariableLine>,
    /// The range of all containers, if there are very many.
    pub range: Vec<RangeSlice>,
}

/// Positions of times and values in a strip.
struct StripScale<'a> {
    strip: &'a PictureArea,
    start: f64,
    stop: f64,
    low: f64,
    high: f64,
}

impl StripScale<'_> {
    fn x(&self, time: f64) -> f64 {
        let part = (time - self.start) / (self.stop - self.start).max(f64::MIN_POSITIVE);
        self.strip.x + part * self.strip.width
    }

    fn y(&self, value: f64) -> f64 {
        self.strip.bottom() - (value - self.low) / (self.high - self.low) * self.strip.height
    }
}

impl VariableStrip {
    /// The names of containers with a color.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let lines = self.lines.iter().filter(|(_, line)| line.role != LineRole::Gray);
        lines.map(|((_, name), _)| name.as_str())
    }

    /// Whether some lines are gray.
    pub fn has_gray_lines(&self) -> bool {
        self.lines.values().any(|line| line.role == LineRole::Gray)
    }

    /// Draws the range, then gray lines, then colored ones, and those that stand out last, with their names.
    pub fn draw(&self, picture: &mut Picture, strip: &PictureArea, palette: &Palette, (start, stop): (f64, f64)) {
        let means = self.lines.values().flat_map(|line| line.steps.iter().map(|(_, _, mean)| *mean));
        let values: Vec<f64> = means.chain(self.range.iter().flat_map(|slice| [slice.low, slice.high])).collect();
        let low = values.iter().copied().fold(0.0, f64::min);
        let high = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        y_axis(picture, strip, low, high, "");
        let scale = StripScale { strip, start, stop, low, high };
        self.draw_range(picture, &scale);
        for role in [LineRole::Gray, LineRole::Colored, LineRole::Outlier] {
            for ((_, name), line) in self.lines.iter().filter(|(_, line)| line.role == role) {
                let (color, width) = if role == LineRole::Gray { (OTHERS, 0.7) } else { (palette.of(name), 1.5) };
                let most = line.steps.iter().map(|(_, _, mean)| *mean).fold(f64::NEG_INFINITY, f64::max);
                let title = format!("{name}: at most {}", quantity(most));
                picture.path(steps(line, &scale)).stroke(color, width).title(title);
            }
        }
        self.label_outliers(picture, &scale);
    }

    fn draw_range(&self, picture: &mut Picture, scale: &StripScale<'_>) {
        if self.range.is_empty() {
            return;
        }
        let corners = |slice: &RangeSlice, value: f64| {
            [(scale.x(slice.start), scale.y(value)), (scale.x(slice.end), scale.y(value))]
        };
        let above = self.range.iter().flat_map(|slice| corners(slice, slice.high));
        let below = self.range.iter().rev().flat_map(|slice| {
            let [first, second] = corners(slice, slice.low);
            [second, first]
        });
        let outline = above
            .chain(below)
            .enumerate()
            .map(|(at, (x, y))| if at == 0 { PathStep::Move(x, y) } else { PathStep::Line(x, y) });
        let most = self.range.iter().map(|slice| slice.high).fold(f64::NEG_INFINITY, f64::max);
        let least = self.range.iter().map(|slice| slice.low).fold(f64::INFINITY, f64::min);
        let title = format!("{} containers: between {} and {}", self.containers, quantity(least), quantity(most));
        picture.path(outline.chain([PathStep::Close]).collect()).fill(RANGE).stroke(OTHERS, 0.5).title(title);
        let middle = self.range.iter().map(|slice| (slice.start, slice.end, slice.middle)).collect();
        let line = VariableLine { role: LineRole::Gray, steps: middle };
        picture.path(steps(&line, scale)).stroke(OTHERS, 1.2).title("median of all containers");
    }

    /// Names of those that stand out, where they are highest.
    fn label_outliers(&self, picture: &mut Picture, scale: &StripScale<'_>) {
        let mut labels = PlacedLabels::default();
        for ((_, name), line) in self.lines.iter().filter(|(_, line)| line.role == LineRole::Outlier) {
            let highest = line.steps.iter().max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.total_cmp(&a.0)));
            let Some((from, to, value)) = highest else { continue };
            let x = scale.x(f64::midpoint(*from, *to));
            let y = (scale.y(*value) - 3.0).clamp(scale.strip.y + 9.0, scale.strip.bottom() - 2.0);
            let is_left = x < scale.strip.x + scale.strip.width * 0.6;
            let (x, anchor) = if is_left { (x + 5.0, TextAnchor::Start) } else { (x - 5.0, TextAnchor::End) };
            // Below or above each other where several are highest at one place.
            let places = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0].map(|line| y + 14.0 * line);
            let inside = places.into_iter().filter(|y| (scale.strip.y + 8.0..=scale.strip.bottom() - 1.0).contains(y));
            for y in inside {
                if labels.try_write(picture, (x, y), anchor, name) {
                    break;
                }
            }
        }
    }
}

fn steps(line: &VariableLine, scale: &StripScale<'_>) -> Vec<PathStep> {
    let mut steps = vec![];
    let mut at = f64::NEG_INFINITY;
    for (from, to, mean) in &line.steps {
        let (x, y) = (scale.x(*from), scale.y(*mean));
        let is_gap = from - at > 1e-9 * (scale.stop - scale.start);
        steps.push(if is_gap { PathStep::Move(x, y) } else { PathStep::Line(x, y) });
        steps.push(PathStep::Line(scale.x(*to), y));
        at = *to;
    }
    steps
}

/// Drops strips and lines of a query that a picture has no room for; returns how many strips.
pub fn shorten(strips: &mut BTreeMap<String, VariableStrip>) -> usize {
    let before = strips.len();
    while strips.len() > MAX_STRIPS {
        strips.pop_last();
    }
    for strip in strips.values_mut() {
        // A line that was chosen stays.
        while strip.containers == 0 && strip.lines.len() > MAX_LINES {
            strip.lines.pop_last();
        }
    }
    before - strips.len()
}
