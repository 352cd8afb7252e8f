//! Colors, and which color a value has.
//!
//! A value has the color that the trace gives it. Else it has one of a palette that people with
//! impaired color vision can distinguish, chosen by its name, so that it is the same in every picture;
//! two names of one trace that would meet are kept apart in the order of the alphabet.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

/// A color on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color {
    /// Red, from 0 to 255.
    pub red: u8,
    /// Green, from 0 to 255.
    pub green: u8,
    /// Blue, from 0 to 255.
    pub blue: u8,
}

impl Color {
    /// The background of every picture.
    pub const WHITE: Color = Color::new(255, 255, 255);
    /// Text and arrows.
    pub const TEXT: Color = Color::new(34, 34, 34);
    /// Axes, frames and notes.
    pub const QUIET: Color = Color::new(120, 120, 120);
    /// Lines behind the data.
    pub const GRID: Color = Color::new(225, 225, 225);
    /// Where nothing is known.
    pub const EMPTY: Color = Color::new(245, 245, 245);

    /// A color from its three channels.
    pub const fn new(red: u8, green: u8, blue: u8) -> Color {
        Color { red, green, blue }
    }

    /// Reads a color as traces write it: three or four numbers from 0 to 1, or `#rrggbb`.
    pub fn parse(text: &str) -> Option<Color> {
        if let Some(digits) = text.trim().strip_prefix('#') {
            let code = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 6)?;
            let [_, red, green, blue] = code.to_be_bytes();
            return Some(Color { red, green, blue });
        }
        let parts: Vec<f64> = text
            .split([' ', ',', '\t'])
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        let (3 | 4, true) = (parts.len(), parts.iter().all(|part| (0.0..=1.0).contains(part))) else {
            return None;
        };
        let channel = |index: usize| (parts[index] * 255.0).round() as u8;
        Some(Color { red: channel(0), green: channel(1), blue: channel(2) })
    }

    /// A color between this one (0) and another (1).
    pub fn toward(self, other: Color, share: f64) -> Color {
        let share = share.clamp(0.0, 1.0);
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Color::new(mix(self.red, other.red), mix(self.green, other.green), mix(self.blue, other.blue))
    }

    /// Whether dark text is readable on it.
    pub fn is_light(self) -> bool {
        0.299 * f64::from(self.red) + 0.587 * f64::from(self.green) + 0.114 * f64::from(self.blue) > 140.0
    }
}

/// Okabe and Ito's colors without black, and Tol's muted ones that stay apart from them.
const PALETTE: [Color; 14] = [
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
    Color::new(68, 170, 153),
    Color::new(170, 68, 153),
    Color::new(148, 112, 76),
    Color::new(140, 140, 140),
];

/// The colors of all values of a trace.
#[derive(Debug, Clone, Default)]
pub struct Palette {
    colors: BTreeMap<String, Color>,
}

impl Palette {
    /// A palette for named values; a color that the trace gives is kept.
    pub fn new<'a>(values: impl IntoIterator<Item = (&'a str, Option<Color>)>) -> Palette {
        let mut given: BTreeMap<&str, Option<Color>> = BTreeMap::new();
        for (name, color) in values {
            let entry = given.entry(name).or_default();
            *entry = entry.or(color);
        }
        let mut taken: Vec<usize> = vec![0; PALETTE.len()];
        let mut colors = BTreeMap::new();
        for (name, color) in given {
            let color = color.unwrap_or_else(|| choose(name, &mut taken));
            colors.insert(name.to_string(), color);
        }
        Palette { colors }
    }

    /// The color of a value; one that the trace does not name has the palette color of its name.
    pub fn of(&self, value: &str) -> Color {
        self.colors.get(value).copied().unwrap_or_else(|| PALETTE[place(value)])
    }
}

/// The first color from the name's own place on that is used least; used again, it is lighter.
fn choose(name: &str, taken: &mut [usize]) -> Color {
    let least = taken.iter().copied().min().unwrap_or(0);
    let places = (0..PALETTE.len()).map(|step| (place(name) + step) % PALETTE.len());
    let index = places.into_iter().find(|index| taken[*index] == least).unwrap_or(0);
    taken[index] += 1;
    PALETTE[index].toward(Color::WHITE, 1.0 - 0.7_f64.powi(i32::try_from(least.min(5)).unwrap_or(0)))
}

/// A name's own place in the palette (FNV-1a).
fn place(name: &str) -> usize {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    usize::try_from(hash % PALETTE.len() as u64).unwrap_or(0)
}
