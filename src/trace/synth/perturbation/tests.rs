//! Tests of `perturbation`.

use super::*;

fn text(processes: u32, disturbed: u32, seed: u64) -> String {
    let mut bytes = Vec::new();
    perturbation(&PerturbationOptions { processes, disturbed, seed }, &mut bytes).expect("memory takes all");
    String::from_utf8(bytes).expect("text")
}

#[test]
fn as_many_are_disturbed_as_asked_for() {
    for (processes, disturbed) in [(64, 26), (64, 0), (64, 64), (7, 3), (1, 1)] {
        let options = PerturbationOptions { processes, disturbed, seed: 1 };
        assert_eq!((0..processes).filter(|process| options.is_disturbed(*process)).count(), disturbed as usize);
    }
}

#[test]
fn a_seed_decides_the_bytes() {
    assert_eq!(text(9, 2, 3), text(9, 2, 3));
    assert_ne!(text(9, 2, 3), text(9, 2, 4));
    for (processes, disturbed) in [(0, 0), (3, 4)] {
        let options = PerturbationOptions { processes, disturbed, seed: 1 };
        assert!(perturbation(&options, &mut Vec::new()).is_err());
    }
}

/// The checksum that `tests/oracles/synth_perturbation.py 64 26 1` prints: a second, independent program.
#[test]
fn another_program_writes_the_same_bytes() {
    let checksum = text(64, 26, 1)
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    assert_eq!(format!("{checksum:016x}"), "b05bc0904b1c0319");
}
