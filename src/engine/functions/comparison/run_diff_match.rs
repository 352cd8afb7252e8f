//! The check that containers of both traces match: fails when none do, else notes how many.

use arrow::array::AsArray;
use arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};

use super::compared_run::MatchBy;
use crate::functions::plans::query_links::NoteSink;

/// `run_diff_match(function, left, right, by, left containers, right containers, matched, matched by path, by name, by
/// position)`: true.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct RunDiffMatch {
    notes: NoteSink,
    signature: Signature,
}

impl Default for RunDiffMatch {
    fn default() -> RunDiffMatch {
        let mut kinds = vec![DataType::Utf8View; 4];
        kinds.extend(vec![DataType::Int64; 3 + MatchBy::ALL.len()]);
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
        let [names @ .., _, _, _, _, _, _] = arrays.as_slice() else {
            return internal_err!("run_diff_match got {} arguments", arrays.len());
        };
        for row in 0..arguments.number_rows {
            let text = |place: usize| names[place].as_string_view().value(row);
            let count = |place: usize| arrays[4 + place].as_primitive::<Int64Type>().value(row);
            let compared = ComparedContainers {
                left: (text(1), count(0)),
                right: (text(2), count(1)),
                by: text(3),
                matched: count(2),
                matched_by: [count(3), count(4), count(5)],
            };
            if let Some(note) = compared.verdict(text(0))? {
                self.notes.add(note);
            }
        }
        Ok(ColumnarValue::Scalar(ScalarValue::Boolean(Some(true))))
    }
}

/// How many containers of two traces match.
struct ComparedContainers<'a> {
    /// Name of the baseline, and how many of its containers have states.
    left: (&'a str, i64),
    right: (&'a str, i64),
    by: &'a str,
    matched: i64,
    /// By each way of [`MatchBy::ALL`].
    matched_by: [i64; 3],
}

impl ComparedContainers<'_> {
    /// What is said of a match; an error when no container matched, though there are some.
    fn verdict(&self, function: &str) -> Result<Option<String>> {
        let ((left, in_left), (right, in_right), by, found) = (self.left, self.right, self.by, self.matched);
        if in_left + in_right == 0 {
            return Ok(None);
        }
        if found > 0 && left == right {
            return Ok(Some(format!("{function} compares {left} with itself; name a baseline: {function}('before')")));
        }
        if found > 0 {
            return Ok(Some(format!(
                "{function} matched {found} containers by {by}; {left} has {in_left} with states, {right} has {in_right}"
            )));
        }
        let others: Vec<String> = MatchBy::ALL
            .iter()
            .zip(self.matched_by)
            .filter(|(_, matched)| *matched > 0)
            .map(|(other, matched)| format!("by => '{}' matches {matched}", other.name()))
            .collect();
        let advice = match others.as_slice() {
            [] => "no other way matches any either".to_string(),
            _ => others.join(", "),
        };
        exec_err!(
            "{function}: no container of {left} ({in_left} with states) matches one of {right} ({in_right} with states) by {by}; {advice}"
        )
    }
}
