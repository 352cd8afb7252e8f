//! Changes inputs: bits, bytes, ranges, numbers, words, lines, and pieces of other inputs.
//!
//! In: some inputs and a number. Out: an input that depends on nothing else.

/// No input grows beyond this.
const LONGEST: usize = 16 << 10;

/// splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64, number: u64) -> Random {
        let mut random = Random(seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
        random.bits();
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    fn one_of<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }

    /// A range of at most `longest` bytes of a text that is not empty.
    fn range(&mut self, bytes: &[u8], longest: usize) -> std::ops::Range<usize> {
        let start = self.below(bytes.len());
        start..(start + 1 + self.below(longest)).min(bytes.len())
    }
}

/// Numbers at which arithmetic breaks.
const INTEGERS: &[u64] = &[
    0,
    1,
    2,
    7,
    8,
    15,
    16,
    31,
    32,
    63,
    64,
    100,
    127,
    128,
    255,
    256,
    1000,
    4096,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];
const TEXTS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "00000000000000000000000001",
    "1e308",
    "1e309",
    "-1e308",
    "1e-400",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "2147483648",
    "4294967296",
    "9.999999999999999e17",
    "0.1e1000000",
    "1e99999999999",
    "+5",
    "1_000",
    "0x10",
    "1.",
    ".5",
    "340282366920938463463374607431768211456",
    "1E+2",
    "-",
    ".",
    "e",
    "99999999999999999999999999999999999999999.5",
];
const WORDS: &[&str] = &[
    "",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\0",
    "\u{feff}",
    "\r\n",
    "\r",
    "\n\n",
    "\t",
    "%",
    "#",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ";",
    ":",
    "=",
    "<",
    ">",
    "--",
    "->",
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
    "ä",
    "\u{1F600}",
    "\u{202e}",
    "// ",
    "/*",
    "*/",
    "- ",
    "&a",
    "*a",
    "!!int",
    "|",
    "? ",
    "../..",
    "/dev/zero",
];

/// A mutated input. The number decides everything.
pub fn mutated(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.one_of(inputs).clone();
    let rounds = 1 << random.below(4);
    for _ in 0..=random.below(rounds) {
        if bytes.is_empty() {
            bytes = random.one_of(WORDS).as_bytes().to_vec();
        }
        if !bytes.is_empty() {
            mutate_once(&mut bytes, inputs, random);
        }
        bytes.truncate(LONGEST);
    }
    bytes
}

fn mutate_once(bytes: &mut Vec<u8>, inputs: &[Vec<u8>], random: &mut Random) {
    match random.below(16) {
        0 => {
            let place = random.below(bytes.len());
            bytes[place] ^= 1 << random.below(8);
        }
        1 => {
            let place = random.below(bytes.len());
            bytes[place] = random.below(256) as u8;
        }
        2 => bytes.truncate(random.below(bytes.len())),
        3 => {
            let range = random.range(bytes, 40);
            bytes.drain(range);
        }
        4 => {
            let copy = bytes[random.range(bytes, 200)].to_vec();
            insert(bytes, &copy, random);
        }
        5 => repeat(bytes, random),
        6 => splice(bytes, inputs, random),
        7 => {
            let other = random.one_of(inputs);
            if !other.is_empty() {
                let piece = other[random.range(other, 400)].to_vec();
                insert(bytes, &piece, random);
            }
        }
        8 | 9 => integer(bytes, random),
        10 | 11 => number(bytes, random),
        12 => swap_words(bytes, random),
        13 => {
            let word = *random.one_of(WORDS);
            insert(bytes, word.as_bytes(), random);
        }
        14 => lines(bytes, random),
        _ => replace_word(bytes, random),
    }
}

fn insert(bytes: &mut Vec<u8>, piece: &[u8], random: &mut Random) {
    let place = random.below(bytes.len() + 1);
    bytes.splice(place..place, piece.iter().copied());
}

/// A piece, many times.
fn repeat(bytes: &mut Vec<u8>, random: &mut Random) {
    let range = random.range(bytes, 60);
    let piece = bytes[range.clone()].to_vec();
    let times = *random.one_of(&[2, 10, 120, 1000, 5000]);
    let times = times.min(LONGEST / piece.len());
    bytes.splice(range, piece.repeat(times));
}

/// The beginning of one and the end of another.
fn splice(bytes: &mut Vec<u8>, inputs: &[Vec<u8>], random: &mut Random) {
    let other = random.one_of(inputs);
    let (end, start) = (random.below(bytes.len()), random.below(other.len() + 1));
    bytes.truncate(end);
    bytes.extend_from_slice(&other[start..]);
}

/// A binary number of some width.
fn integer(bytes: &mut [u8], random: &mut Random) {
    let width = *random.one_of(&[1, 2, 4, 8]);
    if bytes.len() < width {
        return;
    }
    let place = random.below(bytes.len() - width + 1);
    let old = bytes[place..place + width].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let new = match random.below(3) {
        0 => *random.one_of(INTEGERS),
        1 => old.wrapping_add(1 + random.below(16) as u64),
        _ => old.wrapping_sub(1 + random.below(16) as u64),
    };
    let new = match random.below(2) {
        0 => new.to_le_bytes()[..width].to_vec(),
        _ => new.to_be_bytes()[8 - width..].to_vec(),
    };
    bytes[place..place + width].copy_from_slice(&new);
}

/// A number in the text becomes another one.
fn number(bytes: &mut Vec<u8>, random: &mut Random) {
    let is_number = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+');
    let runs = runs(bytes, is_number);
    if !runs.is_empty() {
        let run = random.one_of(&runs).clone();
        bytes.splice(run, random.one_of(TEXTS).bytes());
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-') || byte >= 0x80
}

fn swap_words(bytes: &mut Vec<u8>, random: &mut Random) {
    let words = runs(bytes, is_word);
    if words.len() < 2 {
        return;
    }
    let (first, second) = (random.below(words.len()), random.below(words.len()));
    let (first, second) = (&words[first.min(second)], &words[first.max(second)]);
    if first.end <= second.start {
        let (left, right) = (bytes[first.clone()].to_vec(), bytes[second.clone()].to_vec());
        bytes.splice(second.clone(), left);
        bytes.splice(first.clone(), right);
    }
}

fn replace_word(bytes: &mut Vec<u8>, random: &mut Random) {
    let words = runs(bytes, is_word);
    if words.is_empty() {
        return;
    }
    let place = random.one_of(&words).clone();
    let new = match random.below(3) {
        0 => random.one_of(WORDS).as_bytes().to_vec(),
        1 => random.one_of(TEXTS).as_bytes().to_vec(),
        _ => bytes[random.one_of(&words).clone()].to_vec(),
    };
    bytes.splice(place, new);
}

/// Lines change places, are doubled, or go.
fn lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let (first, second) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(3) {
        0 => lines.swap(first, second),
        1 => lines.insert(second, lines[first]),
        _ => drop(lines.remove(first)),
    }
    *bytes = lines.concat();
}

/// Where bytes of a kind stand together.
fn runs(bytes: &[u8], accepts: impl Fn(u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut runs = vec![];
    let mut start = None;
    for (place, byte) in bytes.iter().enumerate() {
        match (accepts(*byte), start) {
            (true, None) => start = Some(place),
            (false, Some(from)) => {
                runs.push(from..place);
                start = None;
            }
            _ => {}
        }
    }
    runs.extend(start.map(|from| from..bytes.len()));
    runs
}
