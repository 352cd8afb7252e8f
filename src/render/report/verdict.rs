//! The verdict: what a reader of a report should know first, in sentences with numbers.
//!
//! ```text
//!  sql/report/verdict_NAME.sql ─► rows ─► a sentence, or that the trace, or the states it is about, do not record it
//! ```

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::pictures::source::quoted;
use crate::pictures::units::{MomentFormat, counted, percent, seconds, short};
use crate::pictures::{DrawSource, QueryRows};
use ocellus_trace::error::Result;

const TYPE: &str = include_str!("../../../sql/report/verdict_type.sql");
const EFFICIENCY: &str = include_str!("../../../sql/report/verdict_efficiency.sql");
const ACTIVITIES: &str = include_str!("../../../sql/report/verdict_activities.sql");
const WAITS: &str = include_str!("../../../sql/report/verdict_waits.sql");
const PATH: &str = include_str!("../../../sql/report/verdict_path.sql");
const CHANGES: &str = include_str!("../../../sql/report/verdict_changes.sql");

/// Parts of the critical path, waits and states of waiting that are said.
const MAX_PARTS: usize = 3;
/// When no part of the critical path has as much of it, the parts of all containers are said together.
const LEAST_PART: f64 = 0.1;
/// With as much unknown time, an efficiency is a range.
const MUCH_UNKNOWN: f64 = 0.05;
/// Changes that are said, the largest, and the least part of the time that counts as one.
const MAX_CHANGES: usize = 5;
const LEAST_CHANGE: f64 = 0.05;
/// The least part of a whole that is said.
const LEAST_SHARE: f64 = 0.001;

/// A statement of the verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VerdictStatement {
    /// What it is about.
    pub subject: &'static str,
    /// One or several sentences.
    pub text: String,
}

/// The statements about the trace, in the order of the page.
pub(super) async fn verdict(source: &DrawSource<'_>) -> Result<Vec<VerdictStatement>> {
    let types = source.query(TYPE).await?.texts("type")?;
    let moments = MomentFormat::of(source.start, source.stop);
    let (mut useful_text, mut waits, mut path, mut mix) = (None, None, None, None);
    // All statements are about the states of one type: those of two types are two views of the same time.
    if let Some((name, others)) = types.split_first() {
        let of_type = |query: &str| query.replace(":type", &quoted(name));
        let useful = source.query(&of_type(EFFICIENCY)).await?;
        let times = source.query(&of_type(ACTIVITIES)).await?;
        useful_text = efficiency(&useful, &times, &moments)?.map(|text| text + &not_counted(others));
        waits = waiting(&times, &source.query(&of_type(WAITS)).await?)?;
        path = critical_path(&source.query(&of_type(PATH)).await?)?;
        mix = changes(&source.query(&of_type(CHANGES)).await?, &useful, &moments)?;
    }
    let statements = [("Efficiency", useful_text), ("Waiting", waits), ("Critical path", path), ("Changes", mix)];
    let statement = |(subject, text): (&'static str, Option<String>)| {
        let text = text.unwrap_or_else(|| not_recorded(&types));
        VerdictStatement { subject, text }
    };
    Ok(statements.into_iter().map(statement).collect())
}

/// What has no rows. The states of other types may well record it, where the trace has any.
fn not_recorded(types: &[String]) -> String {
    match types.split_first() {
        None => "not recorded in the trace.".to_string(),
        Some((name, others)) => format!("not recorded in states of type {name}.{}", not_counted(others)),
    }
}

/// Which types of states the verdict leaves out.
fn not_counted(types: &[String]) -> String {
    if types.is_empty() {
        String::new()
    } else {
        format!(" States of other types are not counted: {}.", types.join(", "))
    }
}

/// A part of a whole; one that is next to nothing is no number with many zeros.
fn share(part: f64) -> String {
    if part > 0.0 && part < LEAST_SHARE { format!("below {}", percent(LEAST_SHARE)) } else { percent(part) }
}

/// The seconds of an activity, and how many of them in no state.
fn activity_seconds(times: &QueryRows, activity: &str) -> Result<(f64, f64)> {
    let (activities, values) = (times.texts("activity")?, times.texts("value")?);
    let (amounts, gaps) = (times.numbers("seconds")?, times.numbers("no_state_seconds")?);
    let row = (0..times.len()).find(|row| values[*row].is_empty() && activities[*row] == activity);
    Ok(row.map_or((0.0, 0.0), |row| (amounts[row], gaps[row])))
}

/// How much of the time is useful. With much unknown time that is only known within bounds.
fn efficiency(rows: &QueryRows, times: &QueryRows, moments: &MomentFormat) -> Result<Option<String>> {
    let efficiencies = rows.numbers("parallel_efficiency")?;
    let Some(row) = (0..rows.len()).find(|row| efficiencies[*row].is_finite()) else { return Ok(None) };
    let value = |column: &str| rows.numbers(column).map(|values| values[row]);
    let useful = efficiencies[row];
    let whole = times.numbers("all_seconds")?.first().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    let (unknown, unknown_gaps) = activity_seconds(times, "unknown")?;
    let mut text = format!(
        "{} of the time of {} ({}) is useful",
        percent(useful),
        counted(value("containers")?, "container"),
        rows.texts("type")?[row]
    );
    if unknown / whole >= MUCH_UNKNOWN {
        let parts = [("in no state", unknown_gaps), ("in states of unknown activity", unknown - unknown_gaps)];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, seconds)| *seconds >= LEAST_SHARE * whole)
            .map(|(name, seconds)| format!("{} {name}", percent(seconds / whole)))
            .collect();
        text.push_str(&format!(
            ", and {} may be: the parallel efficiency over {} is between {} and {}, where 1 is best. The rules of \
             activities say what states are",
            parts.join(" and "),
            seconds(value("run_seconds")?),
            short(useful),
            short((useful + unknown / whole).min(1.0))
        ));
        return Ok(Some(text + "."));
    }
    let length = seconds(value("run_seconds")?);
    text.push_str(&format!(": parallel efficiency {} over {length}, where 1 is best", short(useful)));
    for (column, name) in [("load_balance", "load balance"), ("communication_efficiency", "communication efficiency")] {
        let part = value(column)?;
        if part.is_finite() {
            text.push_str(&format!(", {name} {}", short(part)));
        }
    }
    let (least, most) = (value("least")?, value("most")?);
    if most > least {
        text.push_str(&format!(
            "; over time it is between {} (at {}) and {} (at {})",
            share(least),
            moments.text(value("least_start")?),
            share(most),
            moments.text(value("most_start")?)
        ));
    }
    text.push('.');
    let (computation, gaps) = activity_seconds(times, "computation")?;
    if gaps >= LEAST_CHANGE * computation && gaps > 0.0 {
        text.push_str(&format!(" {} of what is useful is time in no state.", share(gaps / computation)));
    }
    Ok(Some(text))
}

/// How much time is spent waiting, in which states, what the other time is, and who waits for whom.
fn waiting(times: &QueryRows, waits: &QueryRows) -> Result<Option<String>> {
    let (activities, values) = (times.texts("activity")?, times.texts("value")?);
    let (amounts, all) = (times.numbers("seconds")?, times.numbers("all_seconds")?);
    let gaps = times.numbers("no_state_seconds")?;
    // Rows without a value are whole activities.
    let (sums, states): (Vec<usize>, Vec<usize>) = (0..times.len()).partition(|row| values[*row].is_empty());
    let total = activity_seconds(times, "waiting")?.0;
    let Some(all) = all.first().filter(|all| **all > 0.0 && total > 0.0) else {
        return Ok(None);
    };
    let shown: Vec<&str> = states.iter().take(MAX_PARTS).map(|row| values[*row].as_str()).collect();
    let mut text = format!(
        "{} of {}, {}, are spent waiting, in {}{}.",
        seconds(total),
        seconds(*all),
        share(total / all),
        shown.join(", "),
        if states.len() > shown.len() { " and others" } else { "" }
    );
    // Time in no state that is no activity has a name of its own.
    let mut others: Vec<(&str, f64)> = vec![];
    for row in sums.into_iter().filter(|row| activities[*row] != "waiting") {
        match activities[row].as_str() {
            "unknown" => others.extend([("no state", gaps[row]), ("unknown activity", amounts[row] - gaps[row])]),
            activity => others.push((activity, amounts[row])),
        }
    }
    others.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let others = listed(others.into_iter().map(|(name, seconds)| (name, seconds / all)));
    if !others.is_empty() {
        text.push_str(&format!(" The other time: {others}."));
    }
    Ok(Some(text + &largest_waits(waits)?))
}

/// Names with their shares; those that are next to nothing are left out.
fn listed<'a>(parts: impl Iterator<Item = (&'a str, f64)>) -> String {
    let shown = parts.filter(|(_, part)| *part >= LEAST_SHARE);
    shown.map(|(name, part)| format!("{name} {}", percent(part))).collect::<Vec<_>>().join(", ")
}

/// What explains the waits, and the largest of them.
fn largest_waits(waits: &QueryRows) -> Result<String> {
    let (kinds, who, whom) = (waits.texts("kind")?, waits.texts("container")?, waits.texts("partner")?);
    let (counts, lengths) = (waits.numbers("waits")?, waits.numbers("seconds")?);
    let total: f64 = lengths.iter().sum();
    if total <= 0.0 {
        return Ok(String::new());
    }
    let by_kind = sums(kinds.iter().map(String::as_str).zip(lengths.iter().copied()));
    let mut text =
        format!(" By cause: {}.", listed(by_kind.into_iter().map(|(kind, seconds)| (kind, seconds / total))));
    let sentence = |row: usize| {
        let whom = if whom[row].is_empty() { String::new() } else { format!(" for {}", whom[row]) };
        let count = counted(counts[row], "wait");
        format!("{} waits {}{whom} ({}, {count})", who[row], seconds(lengths[row]), kinds[row])
    };
    let first: Vec<usize> = (0..waits.len()).take(MAX_PARTS).collect();
    let with_partner: Vec<usize> = (0..waits.len()).filter(|row| !whom[*row].is_empty()).take(MAX_PARTS).collect();
    // Waits that nothing explains name nobody: those for somebody say more.
    let (name, rows) = if with_partner.is_empty() || first.iter().any(|row| !whom[*row].is_empty()) {
        ("The largest", first)
    } else {
        ("The largest for somebody", with_partner)
    };
    let sentences: Vec<String> = rows.into_iter().map(sentence).collect();
    text.push_str(&format!(" {name}: {}.", sentences.join("; ")));
    Ok(text)
}

/// The sums of amounts by name, the largest first.
fn sums<'a>(amounts: impl Iterator<Item = (&'a str, f64)>) -> Vec<(&'a str, f64)> {
    let mut by_name: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, amount) in amounts {
        *by_name.entry(name).or_default() += amount;
    }
    let mut order: Vec<(&str, f64)> = by_name.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    order
}

/// What the chain of steps that determines the end consists of.
fn critical_path(rows: &QueryRows) -> Result<Option<String>> {
    let (kinds, lengths, shares) = (rows.texts("kind")?, rows.numbers("seconds")?, rows.numbers("share")?);
    let total: f64 = lengths.iter().sum();
    if total <= 0.0 {
        return Ok(None);
    }
    let by_kind = sums(kinds.iter().map(String::as_str).zip(shares.iter().copied()));
    let parts: Vec<String> = by_kind
        .into_iter()
        .filter(|(_, part)| *part >= LEAST_SHARE)
        .map(|(kind, part)| {
            let name = match kind {
                "unknown" => "states of unknown activity",
                "wait" => "waits that nothing explains",
                kind => kind,
            };
            format!("{} {name}", percent(part))
        })
        .collect();
    Ok(Some(format!(
        "The {} from start to end are determined by {}. The longest parts: {}.",
        seconds(total),
        parts.join(", "),
        longest_parts(rows)?.join("; ")
    )))
}

/// The longest parts of the path: of single containers, or of all together when none of them matters alone.
fn longest_parts(rows: &QueryRows) -> Result<Vec<String>> {
    let (who, whom, values) = (rows.texts("container")?, rows.texts("target")?, rows.texts("value")?);
    let (lengths, shares) = (rows.numbers("seconds")?, rows.numbers("share")?);
    let is_message = |row: usize| !whom[row].is_empty();
    let name = |row: usize| match (is_message(row), values[row].as_str()) {
        (true, "") => "messages".to_string(),
        (true, value) => format!("messages ({value})"),
        (false, "") => "no state".to_string(),
        (false, value) => value.to_string(),
    };
    let amount = |seconds_of: f64, part: f64| format!("({}, {})", seconds(seconds_of), share(part));
    if shares.first().is_some_and(|part| *part >= LEAST_PART) || rows.len() <= MAX_PARTS {
        let part = |row: usize| {
            let place = if is_message(row) {
                format!("from {} to {}", who[row], whom[row])
            } else {
                format!("of {}", who[row])
            };
            format!("{} {place} {}", name(row), amount(lengths[row], shares[row]))
        };
        return Ok((0..rows.len().min(MAX_PARTS)).map(part).collect());
    }
    let mut together: BTreeMap<String, (BTreeSet<&str>, f64, f64)> = BTreeMap::new();
    for row in 0..rows.len() {
        let part = together.entry(name(row)).or_default();
        part.0.insert(&who[row]);
        part.1 += lengths[row];
        part.2 += shares[row];
    }
    let mut order: Vec<_> = together.into_iter().filter(|(_, (_, _, part))| *part >= LEAST_SHARE).collect();
    order.sort_by(|a, b| b.1.1.total_cmp(&a.1.1).then_with(|| a.0.cmp(&b.0)));
    let part = |(name, (containers, seconds, part)): (String, (BTreeSet<&str>, f64, f64))| {
        format!("{name} of {} {}", counted(containers.len() as f64, "container"), amount(seconds, part))
    };
    Ok(order.into_iter().take(MAX_PARTS).map(part).collect())
}

/// An activity in two periods that follow each other.
struct ShareChange<'a> {
    activity: &'a str,
    before: f64,
    after: f64,
}

/// When the mix of activities changed most, and how. Periods may hide what the efficiency of slices shows.
fn changes(rows: &QueryRows, efficiency: &QueryRows, moments: &MomentFormat) -> Result<Option<String>> {
    let (periods, starts) = (rows.numbers("period")?, rows.numbers("start_time")?);
    let activities = rows.texts("activity")?;
    let (before, after) = (rows.numbers("share_before")?, rows.numbers("share")?);
    if rows.is_empty() {
        return Ok(None);
    }
    let mut by_period: BTreeMap<i64, (f64, Vec<ShareChange<'_>>)> = BTreeMap::new();
    for row in (0..rows.len()).filter(|row| before[*row].is_finite()) {
        let period = by_period.entry(periods[row] as i64).or_insert((starts[row], vec![]));
        period.1.push(ShareChange { activity: &activities[row], before: before[row], after: after[row] });
    }
    // A change is as large as the largest rise or fall of one activity.
    let size =
        |changes: &[ShareChange<'_>]| changes.iter().map(|one| (one.after - one.before).abs()).fold(0.0, f64::max);
    let mut largest: Vec<(f64, &[ShareChange<'_>])> =
        by_period.values().map(|(start, changes)| (*start, changes.as_slice())).collect();
    largest.retain(|(_, changes)| size(changes) >= LEAST_CHANGE);
    let count = largest.len();
    largest.sort_by(|a, b| size(b.1).total_cmp(&size(a.1)).then(a.0.total_cmp(&b.0)));
    largest.truncate(MAX_CHANGES);
    largest.sort_by(|a, b| a.0.total_cmp(&b.0));
    if largest.is_empty() {
        let (least, most) = (efficiency.numbers("least")?, efficiency.numbers("most")?);
        return Ok(Some(match least.first().zip(most.first()) {
            Some((least, most)) if most - least > LEAST_CHANGE => format!(
                "No change lasts, but the efficiency goes from {} to {} for short times.",
                share(*least),
                share(*most)
            ),
            _ => "The mix of activities stays about the same over the run.".to_string(),
        }));
    }
    let sentences: Vec<String> =
        largest.iter().map(|(start, changes)| change_text(&moments.text(*start), changes)).collect();
    let note = if count > MAX_CHANGES { format!(" These are the largest of {count} changes.") } else { String::new() };
    Ok(Some(format!("{}{note}", sentences.join(" "))))
}

/// One change: the activity that rises most and the one that falls most.
fn change_text(start: &str, changes: &[ShareChange<'_>]) -> String {
    let by_rise = |a: &&ShareChange<'_>, b: &&ShareChange<'_>| {
        (a.after - a.before).total_cmp(&(b.after - b.before)).then_with(|| b.activity.cmp(a.activity))
    };
    let said = |change: Option<&ShareChange<'_>>, verb: &str| {
        let change = change.filter(|one| (one.after - one.before).abs() >= LEAST_CHANGE / 2.0)?;
        let name = if change.activity == "unknown" { "time of unknown activity" } else { change.activity };
        Some(format!("{name} {verb} from {} to {}", share(change.before), share(change.after)))
    };
    let rise = said(changes.iter().max_by(by_rise).filter(|one| one.after > one.before), "rises");
    let fall = said(changes.iter().min_by(by_rise).filter(|one| one.after < one.before), "falls");
    let texts: Vec<String> = [rise, fall].into_iter().flatten().collect();
    format!("At {start}, {}.", texts.join(" and "))
}
