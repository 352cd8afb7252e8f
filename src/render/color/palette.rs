//! Which color a value has.
//!
//! In: the values of a trace, those that matter most first, each with the color that the trace gives it, if any. Out: a
//! color for each. By default a value keeps the color of the trace where it can be told apart: from white, on which
//! everything is drawn, and from the colors of the values before it, and where it is no paler form of another. Else it has a color of Ocellus, chosen by its name, so
//! that it is mostly the same for another trace; when all are taken, it is gray.
//!
//! ```text
//!  trace     yellow #ffff00   magenta    magenta       -
//!  value     wait             kernel A   kernel B      kernel C
//!  default   own color        magenta    own color     own color
//!            (white is near)             (A is near)
//! ```

use std::collections::BTreeMap;

use super::Color;

/// What colors values have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum PaletteChoice {
    /// Those of the trace where they can be told apart, else those of Ocellus
    #[default]
    Auto,
    /// Those of the trace, as they are; those of Ocellus where it has none
    Trace,
    /// Those of Ocellus: 22 that can be told apart, the rest gray
    Ocellus,
    /// Eight that people with impaired color vision can tell apart, the rest gray
    Colorblind,
}

impl PaletteChoice {
    /// The choice of a name.
    pub fn named(name: &str) -> Option<PaletteChoice> {
        <PaletteChoice as clap::ValueEnum>::from_str(name, true).ok()
    }
}

/// The name under which pictures gather states that they do not tell apart; it is gray.
pub const OTHER_STATES: &str = "other states";

/// Colors that are nearer to each other than this, by [`Color::distance`], cannot be told apart in a picture.
const LEAST_DISTANCE: f64 = 0.1;
/// A color that is nearer than this to a paler form of another cannot be told from it in an overview, where paleness has a
/// meaning.
const LEAST_TINT_DISTANCE: f64 = 0.05;
/// A color with less contrast than this, by [`Color::contrast_with_white`], is lost on white. Pure yellow has 1.07.
const LEAST_CONTRAST: f64 = 1.3;

/// Values without a color of their own.
pub(super) const REST: Color = Color::REST;

/// Okabe and Ito's colors, and others that are at least [`LEAST_DISTANCE`] from them and from each other.
pub(super) const OCELLUS: [Color; 22] = [
    Color::new(0, 114, 178),
    Color::new(230, 159, 0),
    Color::new(0, 158, 115),
    Color::new(213, 94, 0),
    Color::new(86, 180, 233),
    Color::new(204, 121, 167),
    Color::new(240, 228, 66),
    Color::new(136, 34, 85),
    Color::new(51, 34, 136),
    Color::new(153, 153, 51),
    Color::new(170, 68, 153),
    Color::new(148, 112, 76),
    Color::new(0, 96, 40),
    Color::new(110, 90, 220),
    Color::new(12, 84, 96),
    Color::new(96, 60, 12),
    Color::new(200, 20, 40),
    Color::new(0, 205, 185),
    Color::new(250, 165, 225),
    Color::new(130, 205, 60),
    Color::new(235, 70, 140),
    Color::new(255, 190, 140),
];

/// Okabe and Ito's colors: the ones that stay apart under all three kinds of impaired color vision.
pub(super) const COLORBLIND: [Color; 8] = [
    Color::new(0, 114, 178),
    Color::new(230, 159, 0),
    Color::new(0, 158, 115),
    Color::new(213, 94, 0),
    Color::new(86, 180, 233),
    Color::new(204, 121, 167),
    Color::new(240, 228, 66),
    Color::new(0, 0, 0),
];

/// The colors of all values of a trace.
#[derive(Debug, Clone, Default)]
pub struct Palette {
    choice: PaletteChoice,
    colors: BTreeMap<String, Color>,
}

impl Palette {
    /// The default palette for named values, those that matter most first.
    pub fn new<'a>(values: impl IntoIterator<Item = (&'a str, Option<Color>)>) -> Palette {
        Palette::with_choice(PaletteChoice::Auto, values)
    }

    /// A palette for named values, those that matter most first, each with the color that the trace gives it. Of a name
    /// that comes several times, the first color counts.
    pub fn with_choice<'a>(
        choice: PaletteChoice,
        values: impl IntoIterator<Item = (&'a str, Option<Color>)>,
    ) -> Palette {
        let mut order: Vec<&str> = vec![];
        let mut given: BTreeMap<&str, Option<Color>> = BTreeMap::new();
        for (name, color) in values {
            let known = given.entry(name).or_insert_with(|| {
                order.push(name);
                None
            });
            *known = known.or(color);
        }
        let mut colors: BTreeMap<String, Color> = BTreeMap::new();
        // Colors of the trace first, so that no color of ours takes their place.
        let mut taken: Vec<Color> = vec![];
        let all: Vec<Color> = given.values().copied().flatten().collect();
        for name in &order {
            let Some(color) = given[name].filter(|color| keeps(choice, *color, &taken, &all)) else { continue };
            taken.push(color);
            colors.insert(name.to_string(), color);
        }
        for name in order {
            if !colors.contains_key(name) {
                let color = own_color(choice, name, &taken);
                taken.push(color);
                colors.insert(name.to_string(), color);
            }
        }
        Palette { choice, colors }
    }

    /// How many values have a color of their own when the trace gives none.
    pub fn size(choice: PaletteChoice) -> usize {
        own_colors(choice).len()
    }

    /// The color of a value; one that the trace does not name has the color of its name.
    pub fn of(&self, value: &str) -> Color {
        if let Some(color) = self.colors.get(value) {
            return *color;
        }
        if value == OTHER_STATES { REST } else { own_color(self.choice, value, &[]) }
    }
}

/// Whether a value keeps the color of the trace, beside those that are taken and all that the trace gives.
fn keeps(choice: PaletteChoice, color: Color, taken: &[Color], all: &[Color]) -> bool {
    match choice {
        PaletteChoice::Trace => true,
        PaletteChoice::Auto => {
            let is_tint = all.iter().any(|other| is_tint(color, *other));
            color.contrast_with_white() >= LEAST_CONTRAST && is_apart(color, taken) && !is_tint
        }
        PaletteChoice::Ocellus | PaletteChoice::Colorblind => false,
    }
}

fn is_apart(color: Color, taken: &[Color]) -> bool {
    taken.iter().chain([&REST]).all(|other| color.distance(*other) >= LEAST_DISTANCE)
}

/// Whether a color is a paler form of another.
fn is_tint(color: Color, other: Color) -> bool {
    if color.distance(other) < LEAST_DISTANCE {
        return false;
    }
    let mut paler = (1..20).map(|step| Color::EMPTY.toward(other, f64::from(step) / 20.0));
    paler.any(|pale| pale.distance(color) < LEAST_TINT_DISTANCE)
}

fn own_colors(choice: PaletteChoice) -> &'static [Color] {
    match choice {
        PaletteChoice::Colorblind => &COLORBLIND,
        _ => &OCELLUS,
    }
}

/// The first color from the name's own place on that can be told from those which are taken, else gray.
fn own_color(choice: PaletteChoice, name: &str, taken: &[Color]) -> Color {
    let colors = own_colors(choice);
    let first = place(name, colors.len());
    let mut places = (0..colors.len()).map(|step| colors[(first + step) % colors.len()]);
    places.find(|color| is_apart(*color, taken)).unwrap_or(REST)
}

/// A name's own place among so many (FNV-1a).
fn place(name: &str, count: usize) -> usize {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    usize::try_from(hash % count.max(1) as u64).unwrap_or(0)
}
