//! Tests of `color`.

use super::palette::{COLORBLIND, OCELLUS, REST};
use super::*;

#[test]
fn colors_of_traces_are_read() {
    assert_eq!(Color::parse("1.0 0 0.5"), Some(Color::new(255, 0, 128)));
    assert_eq!(Color::parse("0 1 0 1"), Some(Color::new(0, 255, 0)));
    assert_eq!(Color::parse("#0a10ff"), Some(Color::new(10, 16, 255)));
    for bad in ["", "red", "1 2 3", "0.5 0.5", "#12345", "0 0 0 0 0"] {
        assert_eq!(Color::parse(bad), None, "{bad}");
    }
}

/// The published values of OKLab for the corners of sRGB.
#[test]
fn distances_are_those_of_oklab() {
    let is_near = |one: f64, other: f64| (one - other).abs() < 1e-3;
    let black = Color::new(0, 0, 0);
    assert!(is_near(Color::WHITE.distance(black), 1.0));
    // Red is 0.628, 0.225, 0.126 and green 0.866, -0.234, 0.179.
    let apart = (0.238_f64.powi(2) + 0.459_f64.powi(2) + 0.053_f64.powi(2)).sqrt();
    assert!(is_near(Color::new(255, 0, 0).distance(Color::new(0, 255, 0)), apart));
    // WCAG: black on white has 21, yellow on white 1.07, #767676 on white 4.54.
    assert!(is_near(black.contrast_with_white(), 21.0));
    assert!((Color::new(255, 255, 0).contrast_with_white() - 1.07).abs() < 0.01);
    assert!((Color::new(0x76, 0x76, 0x76).contrast_with_white() - 4.54).abs() < 0.01);
}

/// All pairs of a palette, and each color with the gray of the rest.
fn pairs(colors: &[Color]) -> Vec<(Color, Color)> {
    let all: Vec<Color> = colors.iter().copied().chain([REST]).collect();
    all.iter().enumerate().flat_map(|(at, one)| all[..at].iter().map(|other| (*one, *other))).collect()
}

#[test]
fn colors_of_a_palette_can_be_told_apart() {
    for (one, other) in pairs(&OCELLUS).into_iter().chain(pairs(&COLORBLIND)) {
        assert!(one.distance(other) >= 0.1, "{one:?} and {other:?}: {}", one.distance(other));
    }
    for color in OCELLUS.iter().chain(&COLORBLIND) {
        assert!(color.contrast_with_white() >= 1.3, "{color:?}");
    }
}

/// What somebody sees who lacks one kind of cone: the matrices of Machado, Oliveira and Fernandes (2009), severity 1.
const PROTANOPIA: [[f64; 3]; 3] =
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
const DEUTERANOPIA: [[f64; 3]; 3] =
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];
const TRITANOPIA: [[f64; 3]; 3] =
    [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]];

fn seen(color: Color, matrix: &[[f64; 3]; 3]) -> Color {
    let light = color.linear();
    let channel = |row: &[f64; 3]| {
        let sum = row.iter().zip(light).map(|(factor, amount)| factor * amount).sum::<f64>().clamp(0.0, 1.0);
        let share = if sum <= 0.003_130_8 { 12.92 * sum } else { 1.055 * sum.powf(1.0 / 2.4) - 0.055 };
        (share * 255.0).round() as u8
    };
    Color::new(channel(&matrix[0]), channel(&matrix[1]), channel(&matrix[2]))
}

#[test]
fn the_palette_for_impaired_color_vision_keeps_its_promise() {
    for matrix in [&PROTANOPIA, &DEUTERANOPIA, &TRITANOPIA] {
        for (at, one) in COLORBLIND.iter().enumerate() {
            for other in &COLORBLIND[..at] {
                let distance = seen(*one, matrix).distance(seen(*other, matrix));
                assert!(distance >= 0.07, "{one:?} and {other:?}: {distance}");
            }
        }
    }
}

#[test]
fn values_of_a_trace_differ_until_the_palette_ends() {
    for choice in [PaletteChoice::Auto, PaletteChoice::Ocellus, PaletteChoice::Colorblind] {
        let size = Palette::size(choice);
        let names: Vec<String> = (0..=size).map(|index| format!("MPI_{index}")).collect();
        let palette = Palette::with_choice(choice, names.iter().map(|name| (name.as_str(), None)));
        let mut colors: Vec<Color> = names.iter().map(|name| palette.of(name)).collect();
        // The last of them finds no color.
        assert_eq!(colors.last(), Some(&REST));
        colors.sort_by_key(|color| (color.red, color.green, color.blue));
        colors.dedup();
        assert_eq!(colors.len(), size + 1);
    }
}

#[test]
fn the_color_of_the_trace_is_kept_where_it_can_be_told_apart() {
    let (yellow, red, nearly_red) = (Color::new(255, 255, 0), Color::new(255, 0, 0), Color::new(250, 10, 5));
    let values = [("wait", Some(yellow)), ("run", Some(red)), ("send", Some(nearly_red)), ("recv", None)];
    let palette = Palette::new(values);
    assert_eq!(palette.of("run"), red);
    // Yellow is lost on white, and the second red cannot be told from the first: both get others, and so does recv.
    let others = ["wait", "send", "recv"].map(|name| palette.of(name));
    assert!(others.iter().all(|color| OCELLUS.contains(color) && color.distance(red) >= 0.1), "{others:?}");
    assert_eq!(Palette::with_choice(PaletteChoice::Trace, values).of("wait"), yellow);
    assert_eq!(Palette::with_choice(PaletteChoice::Trace, values).of("send"), nearly_red);
    assert!(OCELLUS.contains(&Palette::with_choice(PaletteChoice::Ocellus, values).of("run")));
    assert!(COLORBLIND.contains(&Palette::with_choice(PaletteChoice::Colorblind, values).of("run")));
}

#[test]
fn what_is_gathered_is_gray() {
    assert_eq!(Palette::new([("run", None)]).of(OTHER_STATES), REST);
}

/// In an overview, violet that is half pale would be the light violet of another value, whichever comes first.
#[test]
fn a_paler_form_of_another_color_is_not_kept() {
    let (violet, light) = (Color::new(128, 0, 255), Color::new(192, 128, 255));
    let palette = Palette::new([("a", Some(light)), ("b", Some(violet)), ("c", Some(Color::new(255, 0, 0)))]);
    assert_eq!((palette.of("b"), palette.of("c")), (violet, Color::new(255, 0, 0)));
    assert!(OCELLUS.contains(&palette.of("a")), "{:?}", palette.of("a"));
    // Whoever asks for the colors of the trace has them.
    let palette = Palette::with_choice(PaletteChoice::Trace, [("a", Some(light)), ("b", Some(violet))]);
    assert_eq!(palette.of("a"), light);
}
