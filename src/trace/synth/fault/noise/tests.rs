//! Tests of `noise`.

use super::*;

#[test]
fn the_exponential_is_that_of_floating_point() {
    for tenth in -30..=30 {
        let exponent = f64::from(tenth) / 10.0;
        let ours = exponential((exponent * ONE as f64) as i128) as f64 / ONE as f64;
        assert!((ours / exponent.exp() - 1.0).abs() < 1e-7, "{exponent}: {ours}");
    }
}

/// Of 20,000 logarithms the mean is 0 and the deviation that which was asked for, to three times their own deviations.
#[test]
fn factors_are_log_normal() {
    let field = NoiseField::new(5, 100_000);
    let logarithms: Vec<f64> =
        (0..20_000).map(|place| (field.disturb(1_000_000_000, [place, 1, 2]) as f64 / 1e9).ln()).collect();
    let count = logarithms.len() as f64;
    let mean = logarithms.iter().sum::<f64>() / count;
    let deviation = (logarithms.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count).sqrt();
    assert!(mean.abs() < 3.0 * 0.1 / count.sqrt(), "{mean}");
    assert!((deviation - 0.1).abs() < 3.0 * 0.1 / (2.0 * count).sqrt(), "{deviation}");
}

#[test]
fn a_place_has_its_noise() {
    let field = NoiseField::new(5, 50_000);
    assert_eq!(field.disturb(1000, [1, 2, 3]), field.disturb(1000, [1, 2, 3]));
    assert_eq!(NoiseField::new(5, 0).disturb(1000, [1, 2, 3]), 1000);
    let places = [[1, 2, 3], [3, 2, 1], [1, 3, 2], [2, 2, 3]];
    let lengths: std::collections::BTreeSet<u64> =
        places.into_iter().map(|place| field.disturb(1_000_000_000, place)).collect();
    assert_eq!(lengths.len(), places.len());
}
