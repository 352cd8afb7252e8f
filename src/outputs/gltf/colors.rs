//! Colors of materials: those of the trace, else one of a palette that color-blind people can tell apart.

/// Red, green and blue from 0 to 1, as screens show them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Color(pub(super) [f64; 3]);

/// Material of the base, and of its lines.
pub(super) const BASE: &str = "base";
pub(super) const LINE: &str = "edge";

/// The palette of Okabe and Ito, without black.
const PALETTE: [Color; 7] = [
    Color([0.902, 0.624, 0.0]),
    Color([0.337, 0.706, 0.914]),
    Color([0.0, 0.620, 0.451]),
    Color([0.941, 0.894, 0.259]),
    Color([0.0, 0.447, 0.698]),
    Color([0.835, 0.369, 0.0]),
    Color([0.8, 0.475, 0.655]),
];

impl Color {
    /// Reads `0.2 0.7 0.3`, with or without an opacity after it.
    pub(super) fn parse(text: &str) -> Option<Color> {
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        let numbers = numbers.filter(|numbers| numbers.iter().all(|number| (0.0..=1.0).contains(number)))?;
        match numbers.as_slice() {
            [red, green, blue] | [red, green, blue, _] => Some(Color([*red, *green, *blue])),
            _ => None,
        }
    }

    /// The same color in the linear scale of glTF.
    pub(super) fn linear(self) -> [f64; 3] {
        self.0.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) })
    }
}

/// The color of a name; always the same one.
pub(super) fn color_of(name: &str) -> Color {
    match name {
        BASE => Color([0.85, 0.85, 0.85]),
        LINE => Color([0.4, 0.4, 0.4]),
        _ => {
            let hash = name.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
            });
            PALETTE[(hash % PALETTE.len() as u64) as usize]
        }
    }
}
