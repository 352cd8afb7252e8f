//! The verdict: what a reader of a report should know first, in sentences with numbers.
//!
//! ```text
//!  sql/report/verdict_NAME.sql ─► rows ─► a sentence, or that the trace does not record it
//! ```

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::pictures::source::quoted;
use crate::pictures::units::{counted, percent, seconds, short};
use crate::pictures::{DrawSource, QueryRows};
use ocellus_trace::error::Result;

const TYPE: &str = include_str!("../../../sql/report/verdict_type.sql");
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
/// The least part of the time of an activity that is said.
const LEAST_SHARE: f64 = 0.001;
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
    let useful = source.query(EFFICIENCY).await?;
    let (mut waits, mut path, mut mix) = (None, None, None);
    // All statements are about the states of one type: those of two types are two views of the same time.
    if let Some(name) = source.query(TYPE).await?.texts("type")?.first() {
        let of_type = |query: &str| query.replace(":type", &quoted(name));
        waits = waiting(&source.query(&of_type(ACTIVITIES)).await?, &source.query(&of_type(WAITS)).await?)?;
        path = critical_path(&source.query(&of_type(PATH)).await?)?;
        mix = changes(&source.query(&of_type(CHANGES)).await?, &useful)?;
    }
    let statements =
        [("Efficiency", efficiency(&useful)?), ("Waiting", waits), ("Critical path", path), ("Changes", mix)];
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

/// How much time is spent waiting, in which states, what the other time is, and who waits for whom.
fn waiting(times: &QueryRows, waits: &QueryRows) -> Result<Option<String>> {
    let (activities, values) = (times.texts("activity")?, times.texts("value")?);
    let (amounts, all) = (times.numbers("seconds")?, times.numbers("all_seconds")?);
    // Rows without a value are whole activities.
    let (sums, states): (Vec<usize>, Vec<usize>) = (0..times.len()).partition(|row| values[*row].is_empty());
    let total: f64 = sums.iter().filter(|row| activities[**row] == "waiting").map(|row| amounts[*row]).sum();
    let Some(all) = all.first().filter(|all| **all > 0.0 && total > 0.0) else {
        return Ok(None);
    };
    let shown: Vec<&str> = states.iter().take(3).map(|row| values[*row].as_str()).collect();
    let mut text = format!(
        "{} of {}, {}, are spent waiting, in {}{}.",
        seconds(total),
        seconds(*all),
        percent(total / all),
        shown.join(", "),
        if states.len() > shown.len() { " and others" } else { "" }
    );
    let others: Vec<String> = sums
        .iter()
        .filter(|row| activities[**row] != "waiting" && amounts[**row] >= LEAST_SHARE * all)
        .map(|row| format!("{} {}", activities[*row], percent(amounts[*row] / all)))
        .collect();
    if !others.is_empty() {
        text.push_str(&format!(" The other time: {}.", others.join(", ")));
    }
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

/// An activity in two periods that follow each other.
struct ShareChange<'a> {
    activity: &'a str,
    before: f64,
    after: f64,
}

/// When the mix of activities changed most, and how. Periods may hide what the efficiency of slices shows.
fn changes(rows: &QueryRows, efficiency: &QueryRows) -> Result<Option<String>> {
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
                percent(*least),
                percent(*most)
            ),
            _ => "The mix of activities stays about the same over the run.".to_string(),
        }));
    }
    let sentences: Vec<String> = largest.iter().map(|(start, changes)| change_text(*start, changes)).collect();
    let note = if count > MAX_CHANGES { format!(" These are the largest of {count} changes.") } else { String::new() };
    Ok(Some(format!("{}{note}", sentences.join(" "))))
}

/// One change: the activity that rises most and the one that falls most.
fn change_text(start: f64, changes: &[ShareChange<'_>]) -> String {
    let by_rise = |a: &&ShareChange<'_>, b: &&ShareChange<'_>| {
        (a.after - a.before).total_cmp(&(b.after - b.before)).then_with(|| b.activity.cmp(a.activity))
    };
    let said = |change: Option<&ShareChange<'_>>, verb: &str| {
        let change = change.filter(|one| (one.after - one.before).abs() >= LEAST_CHANGE / 2.0)?;
        Some(format!("{} {verb} from {} to {}", change.activity, percent(change.before), percent(change.after)))
    };
    let rise = said(changes.iter().max_by(by_rise).filter(|one| one.after > one.before), "rises");
    let fall = said(changes.iter().min_by(by_rise).filter(|one| one.after < one.before), "falls");
    let texts: Vec<String> = [rise, fall].into_iter().flatten().collect();
    format!("At {}, {}.", seconds(start), texts.join(" and "))
}
