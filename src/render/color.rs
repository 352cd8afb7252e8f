//! Colors: as traces write them, between each other, and how well the eye tells them apart.

mod palette;
#[cfg(test)]
mod tests;

pub use palette::{OTHER_STATES, Palette, PaletteChoice};

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
    /// Values without a color of their own.
    pub const REST: Color = Color::new(190, 190, 190);

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

    /// How far two colors are from each other to the eye: their distance in the space OKLab, in which white and black are
    /// 1 apart and a difference of 0.02 can just be seen.
    pub fn distance(self, other: Color) -> f64 {
        let (one, other) = (self.oklab(), other.oklab());
        one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    /// The contrast with white: the ratio of luminances that WCAG 2 defines, from 1 to 21.
    pub fn contrast_with_white(self) -> f64 {
        let [red, green, blue] = self.linear();
        1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    }

    /// The channels as amounts of light, from 0 to 1 (sRGB).
    fn linear(self) -> [f64; 3] {
        [self.red, self.green, self.blue].map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// Lightness, green to red and blue to yellow (Björn Ottosson's OKLab).
    fn oklab(self) -> [f64; 3] {
        let [red, green, blue] = self.linear();
        let long = (0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue).cbrt();
        let medium = (0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue).cbrt();
        let short = (0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue).cbrt();
        [
            0.210_454_255_3 * long + 0.793_617_785_0 * medium - 0.004_072_046_8 * short,
            1.977_998_495_1 * long - 2.428_592_205_0 * medium + 0.450_593_709_9 * short,
            0.025_904_037_1 * long + 0.782_771_766_2 * medium - 0.808_675_766_0 * short,
        ]
    }
}
