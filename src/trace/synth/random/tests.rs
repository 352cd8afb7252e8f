//! Tests of `random`.

use super::*;

/// The reference values of splitmix64 for the seed 1234567, as its authors publish them.
#[test]
fn agrees_with_the_published_sequence() {
    let mut random = RandomSource::new(1_234_567);
    assert_eq!(random.next(), 6_457_827_717_110_365_317);
    assert_eq!(random.next(), 3_203_168_211_198_807_973);
    assert_eq!(random.next(), 9_817_491_932_198_370_423);
}

#[test]
fn stays_below_the_limit() {
    let mut random = RandomSource::new(1);
    assert!((0..1000).all(|_| random.below(7) < 7));
    assert_eq!(random.below(1), 0);
}
