//! The verdict: what a reader of a report should know first, in sentences with numbers.
//!
//! ```text
//!  sql/report/verdict_NAME.sql ─► rows ─► a sentence, or that the trace does not record it
//! ```

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::pictures::units::{counted, percent, seconds, short};
use crate::pictures::{DrawSource, QueryRows};
use ocellus_trace::error::Result;

const EFFICIENCY: &str = include_str!("../../../sql/report/verdict_efficiency.sql");
const ACTIVITIES: &str = include_str!("../../../sql/report/verdict_activities.sql");
const WAITS: &str = include_str!("../../../sql/report/verdict_waits.sql");
const PATH: &str = include_str!("../../../sql/report/verdict_path.sql");
const CHANGES: &str = include_str!("../../../sql/report/verdict_changes.sql");

/// Types of states whose efficiency is said: the first, that with most useful time.
const MAX_TYPES: usize = 1;
/// Parts of the critical path that are said.
const MAX_STEPS: usize = 3;
/// Changes that are said, the largest, and the least part of the time that counts as one.
const MAX_CHANGES: usize = 5;
const LEAST_CHANGE: f64 = 0.05;
const NOT_RECORDED: &str = "not recorded in the trace";

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
    let waiting = waiting(&source.query(ACTIVITIES).await?, &source.query(WAITS).await?)?;
    let statements = [
        ("Efficiency", efficiency(&source.query(EFFICIENCY).await?)?),
        ("Waiting", waiting),
        ("Critical path", critical_path(&source.query(PATH).await?)?),
        ("Changes", changes(&source.query(CHANGES).await?)?),
    ];
    let statement = |(subject, text): (&'static str, Option<String>)| {
        let text = text.unwrap_or_else(|| format!("{NOT_RECORDED}."));
        VerdictStatement { subject, text }
    };
    Ok(statements.into_iter().map(statement).collect())
}

/// How much of the time is useful.
fn efficiency(rows: &QueryRows) -> Result<Option<String>> {
    let (types, containers) = (rows.texts("type")?, rows.numbers("containers")?);
    let (efficiencies, lengths) = (rows.numbers("parallel_efficiency")?, rows.numbers("run_seconds")?);
    let sentence = |row: usize| -> Result<String> {
        let mut text = format!(
            "{} of the time of {} ({}) is useful: parallel efficiency {} over {}, where 1 is best",
            percent(efficiencies[row]),
            counted(containers[row], "container"),
            types[row],
            short(efficiencies[row]),
            seconds(lengths[row])
        );
        for (column, name) in
            [("load_balance", "load balance"), ("communication_efficiency", "communication efficiency")]
        {
            let value = rows.numbers(column)?[row];
            if value.is_finite() {
                text.push_str(&format!(", {name} {}", short(value)));
            }
        }
        let (least, least_start) = (rows.numbers("least")?[row], rows.numbers("least_start")?[row]);
        let (most, most_start) = (rows.numbers("most")?[row], rows.numbers("most_start")?[row]);
        if most > least {
            text.push_str(&format!(
                "; over time it is between {} (at {}) and {} (at {})",
                percent(least),
                seconds(least_start),
                percent(most),
                seconds(most_start)
            ));
        }
        Ok(text + ".")
    };
    let known: Vec<usize> = (0..rows.len()).filter(|row| efficiencies[*row].is_finite()).take(MAX_TYPES).collect();
    let sentences = known.into_iter().map(sentence).collect::<Result<Vec<_>>>()?;
    Ok((!sentences.is_empty()).then(|| sentences.join(" ")))
}

/// How much time is spent waiting, in which states, and who waits for whom.
fn waiting(states: &QueryRows, waits: &QueryRows) -> Result<Option<String>> {
    let (names, amounts, all) = (states.texts("value")?, states.numbers("seconds")?, states.numbers("all_seconds")?);
    let total: f64 = amounts.iter().sum();
    let Some(all) = all.first().filter(|all| **all > 0.0 && total > 0.0) else {
        return Ok(None);
    };
    let shown: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
    let mut text = format!(
        "{} of {} in states, {}, are spent waiting, in {}{}.",
        seconds(total),
        seconds(*all),
        percent(total / all),
        shown.join(", "),
        if names.len() > shown.len() { " and others" } else { "" }
    );
    let (kinds, who, whom) = (waits.texts("kind")?, waits.texts("container")?, waits.texts("partner")?);
    let (counts, lengths) = (waits.numbers("waits")?, waits.numbers("seconds")?);
    let largest: Vec<String> = (0..waits.len())
        .map(|row| {
            let whom = if whom[row].is_empty() { String::new() } else { format!(" for {}", whom[row]) };
            format!(
                "{} waits {}{whom} ({}, {})",
                who[row],
                seconds(lengths[row]),
                kinds[row],
                counted(counts[row], "wait")
            )
        })
        .collect();
    if !largest.is_empty() {
        text.push_str(&format!(" The largest: {}.", largest.join("; ")));
    }
    Ok(Some(text))
}

/// What the chain of steps that determines the end consists of.
fn critical_path(rows: &QueryRows) -> Result<Option<String>> {
    let (kinds, who, values) = (rows.texts("kind")?, rows.texts("container")?, rows.texts("value")?);
    let (lengths, shares) = (rows.numbers("seconds")?, rows.numbers("share")?);
    let total: f64 = lengths.iter().sum();
    if total <= 0.0 {
        return Ok(None);
    }
    let mut by_kind: BTreeMap<&str, f64> = BTreeMap::new();
    for (kind, share) in kinds.iter().zip(&shares) {
        *by_kind.entry(kind).or_default() += share;
    }
    let mut order: Vec<(&str, f64)> = by_kind.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let parts: Vec<String> = order.into_iter().map(|(kind, share)| format!("{} {kind}", percent(share))).collect();
    let steps: Vec<String> = (0..rows.len().min(MAX_STEPS))
        .map(|row| {
            let value = if values[row].is_empty() { "no state" } else { &values[row] };
            format!("{value} of {} ({}, {})", who[row], seconds(lengths[row]), percent(shares[row]))
        })
        .collect();
    Ok(Some(format!(
        "The {} from start to end are determined by {}. The longest parts: {}.",
        seconds(total),
        parts.join(", "),
        steps.join("; ")
    )))
}

/// A state in two periods that follow each other.
struct ShareChange<'a> {
    value: &'a str,
    before: f64,
    after: f64,
}

/// When the mix of states changed most, and how.
fn changes(rows: &QueryRows) -> Result<Option<String>> {
    let (periods, starts, values) = (rows.numbers("period")?, rows.numbers("start_time")?, rows.texts("value")?);
    let (before, after) = (rows.numbers("share_before")?, rows.numbers("share")?);
    if rows.is_empty() {
        return Ok(None);
    }
    let mut by_period: BTreeMap<i64, (f64, Vec<ShareChange<'_>>)> = BTreeMap::new();
    for row in (0..rows.len()).filter(|row| before[*row].is_finite()) {
        let period = by_period.entry(periods[row] as i64).or_insert((starts[row], vec![]));
        period.1.push(ShareChange { value: &values[row], before: before[row], after: after[row] });
    }
    // A change is as large as the largest rise or fall of one state.
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
        return Ok(Some("The mix of states stays about the same over the run.".to_string()));
    }
    let sentences: Vec<String> = largest.iter().map(|(start, changes)| change_text(*start, changes)).collect();
    let note = if count > MAX_CHANGES { format!(" These are the largest of {count} changes.") } else { String::new() };
    Ok(Some(format!("{}{note}", sentences.join(" "))))
}

/// One change: the state that rises most and the one that falls most.
fn change_text(start: f64, changes: &[ShareChange<'_>]) -> String {
    let by_rise = |a: &&ShareChange<'_>, b: &&ShareChange<'_>| {
        (a.after - a.before).total_cmp(&(b.after - b.before)).then_with(|| b.value.cmp(a.value))
    };
    let said = |change: Option<&ShareChange<'_>>, verb: &str| {
        let change = change.filter(|one| (one.after - one.before).abs() >= LEAST_CHANGE / 2.0)?;
        Some(format!("{} {verb} from {} to {}", change.value, percent(change.before), percent(change.after)))
    };
    let rise = said(changes.iter().max_by(by_rise).filter(|one| one.after > one.before), "rises");
    let fall = said(changes.iter().min_by(by_rise).filter(|one| one.after < one.before), "falls");
    let texts: Vec<String> = [rise, fall].into_iter().flatten().collect();
    format!("At {}, {}.", seconds(start), texts.join(" and "))
}
