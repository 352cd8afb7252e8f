//! "Did you mean": the known name nearest to one that is not known.

#[cfg(test)]
mod tests;

/// How alike two names must be, from 0 to 1, for the one to be suggested for the other.
const ALIKE: f64 = 0.7;

/// Bytes of the longest name that is compared: the time grows with the product of two lengths.
const LONGEST: usize = 500;

/// The candidate nearest to `given`, when one is near enough; the first of equals.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.len() > LONGEST {
        return None;
    }
    let given = given.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates.into_iter().filter(|candidate| candidate.len() <= LONGEST) {
        let likeness = strsim::normalized_damerau_levenshtein(&given, &candidate.to_lowercase())
            .max(strsim::jaro_winkler(&given, &candidate.to_lowercase()) - 0.15);
        if likeness >= ALIKE && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `; did you mean X?`, or nothing.
pub fn did_you_mean<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(given, candidates) {
        Some(candidate) => format!("; did you mean {candidate}?"),
        None => String::new(),
    }
}
