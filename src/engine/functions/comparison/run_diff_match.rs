//! The check of `run_diff` that containers of both traces match: fails when none do, else notes how many.

use arrow::array::AsArray;
use arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};

use super::compared_run::MatchBy;
use crate::functions::plans::query_links::NoteSink;

/// `run_diff_match(left, right, by, left containers, right containers, matched by path, by name, by position)`: true.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct RunDiffMatch {
    notes: NoteSink,
    signature: Signature,
}

impl Default for RunDiffMatch {
    fn default() -> RunDiffMatch {
        let mut kinds = vec![DataType::Utf8View; 3];
        kinds.extend(vec![DataType::Int64; 2 + MatchBy::ALL.len()]);
        // What is said and refused happens while the query runs, not before.
        RunDiffMatch { notes: NoteSink::default(), signature: Signature::exact(kinds, Volatility::Volatile) }
    }
}

/// Where the check of a plan puts its notes; `None` for other functions.
pub(crate) fn note_sink(function: &ScalarUDF) -> Option<&NoteSink> {
    function.inner().downcast_ref::<RunDiffMatch>().map(|check| &check.notes)
}

impl ScalarUDFImpl for RunDiffMatch {
    fn name(&self) -> &str {
        "run_diff_match"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [names @ .., _, _, _, _, _] = arrays.as_slice() else {
            return internal_err!("run_diff_match got {} arguments", arrays.len());
        };
        for row in 0..arguments.number_rows {
            let text = |place: usize| names[place].as_string_view().value(row);
            let count = |place: usize| arrays[3 + place].as_primitive::<Int64Type>().value(row);
            let matched = [count(2), count(3), count(4)];
            let Some(by) = MatchBy::of(text(2)) else {
                return internal_err!("run_diff_match got by {}", text(2));
            };
            if let Some(note) = verdict([text(0), text(1)], by, [count(0), count(1)], matched)? {
                self.notes.add(note);
            }
        }
        Ok(ColumnarValue::Scalar(ScalarValue::Boolean(Some(true))))
    }
}

/// What is said of a match; an error when no container matched, though there are some.
fn verdict(traces: [&str; 2], by: MatchBy, containers: [i64; 2], matched: [i64; 3]) -> Result<Option<String>> {
    let ([left, right], [in_left, in_right]) = (traces, containers);
    let found = matched[by as usize];
    if in_left + in_right == 0 {
        return Ok(None);
    }
    if found > 0 && left == right {
        return Ok(Some(format!("run_diff compares {left} with itself; name a baseline: run_diff('before')")));
    }
    if found > 0 {
        let name = by.name();
        return Ok(Some(format!(
            "run_diff matched {found} containers by {name}; {left} has {in_left} with states, {right} has {in_right}"
        )));
    }
    let others: Vec<String> = MatchBy::ALL
        .iter()
        .filter(|other| matched[**other as usize] > 0)
        .map(|other| format!("by => '{}' matches {}", other.name(), matched[*other as usize]))
        .collect();
    let advice = match others.as_slice() {
        [] => "no other way matches any either".to_string(),
        _ => others.join(", "),
    };
    exec_err!(
        "run_diff: no container of {left} ({in_left} with states) matches one of {right} ({in_right} with states) by {}; {advice}",
        by.name()
    )
}
