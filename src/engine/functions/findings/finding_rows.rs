//! Rows of the inputs become a matrix, and findings become rows.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::{Float64Type, Int8Type, Int32Type, Int64Type};
use datafusion::common::{Result, ScalarValue};

use super::finding_evidence::{evidence, picture};
use super::finding_table::source;
use crate::functions::plans::table_kernel::{big_int, double, text};
use ocellus_kernels::findings::{
    ActivityRow, BegunCell, DiagnosticRow, Finding, FindingKind, FindingSettings, LinkEndCell, LinkRole, PairRow,
    ResourceRow, RunMatrix, RunRows, StateActivity, StateCell, TraceRow, TreeContainerRow, VariableCell, WaitReason,
    WaitSumRow, find,
};

/// Runs the kernel over all inputs.
pub(crate) fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let (start, stop) = (double(constants, 0)?, double(constants, 1)?);
    let slices = big_int(constants, 2)?.unwrap_or(1) as usize;
    let kinds = text(constants, 4)?.split(',').filter_map(FindingKind::of_name).collect();
    let settings = FindingSettings { least: double(constants, 3)?, kinds };
    let prefix = text(constants, 5)?;
    let mut reader = InputReader { texts: HashMap::new(), rows: RunRows::default(), file: String::new() };
    reader.read(columns);
    let InputReader { rows, file, .. } = reader;
    let run = RunMatrix::new(rows, start, stop, slices);
    let found = find(&run, &settings);
    Ok(arrays(&run, &found, prefix, &file))
}

/// Numbers texts.
struct InputReader {
    texts: HashMap<String, u32>,
    rows: RunRows,
    /// Where the trace came from.
    file: String,
}

impl InputReader {
    fn text(&mut self, column: &ArrayRef, row: usize) -> u32 {
        let column = column.as_string_view();
        let text = if column.is_valid(row) { column.value(row) } else { "" };
        if let Some(number) = self.texts.get(text) {
            return *number;
        }
        let number = self.rows.texts.len() as u32;
        self.rows.texts.push(text.to_string());
        self.texts.insert(text.to_string(), number);
        number
    }

    fn read(&mut self, columns: &[ArrayRef]) {
        let sources = columns[0].as_primitive::<Int8Type>();
        let [containers, partners] = [1, 2].map(|place| columns[place].as_primitive::<Int32Type>());
        let slices = columns[3].as_primitive::<Int64Type>();
        let numbers: [&Float64Array; 5] = [7, 8, 9, 10, 11].map(|place| columns[place].as_primitive::<Float64Type>());
        for row in 0..sources.len() {
            let container = containers.is_valid(row).then(|| containers.value(row));
            let partner = partners.is_valid(row).then(|| partners.value(row));
            let slice = slices.is_valid(row).then(|| slices.value(row));
            let known: [Option<f64>; 5] = numbers.map(|column| column.is_valid(row).then(|| column.value(row)));
            let number = |place: usize| known[place].filter(|number| number.is_finite()).unwrap_or(0.0);
            let cell = container.zip(slice.and_then(|slice| u32::try_from(slice).ok()));
            match sources.value(row) {
                source::CONTAINER => {
                    let Some(id) = container else { continue };
                    let (kind, name) = (self.text(&columns[4], row), self.text(&columns[6], row));
                    let (begin, end) = (number(0), number(1));
                    let preorder = slice.unwrap_or(i64::MAX);
                    self.rows.containers.push(TreeContainerRow {
                        id,
                        parent: partner,
                        preorder,
                        kind,
                        name,
                        begin,
                        end,
                    });
                }
                source::ACTIVITY => {
                    let (kind, value) = (self.text(&columns[4], row), self.text(&columns[5], row));
                    let [activity, no_state] = [0, 1].map(|place| StateActivity::of_number(known[place]));
                    self.rows.activities.push(ActivityRow { kind, value, activity, no_state });
                }
                source::STATE => {
                    let Some((container, slice)) = cell else { continue };
                    let (kind, value) = (self.text(&columns[4], row), self.text(&columns[5], row));
                    self.rows.states.push(StateCell { container, slice, kind, value, seconds: number(0) });
                }
                source::BEGUN => {
                    let Some((container, slice)) = cell else { continue };
                    let (kind, value) = (self.text(&columns[4], row), self.text(&columns[5], row));
                    let until = columns[6].is_valid(row).then(|| self.text(&columns[6], row));
                    let (states, seconds, first, last) = (number(0), number(1), number(2), number(3));
                    let cell = BegunCell { container, slice, kind, value, states, seconds, first, last, until };
                    self.rows.begun.push(cell);
                }
                source::LINK => {
                    let Some((container, slice)) = cell else { continue };
                    let roles = columns[5].as_string_view();
                    let is_origin = roles.is_valid(row) && roles.value(row) == "origin";
                    let role = if is_origin { LinkRole::Origin } else { LinkRole::Destination };
                    let (links, seconds, volume) = (number(0), number(1), number(2));
                    self.rows.links.push(LinkEndCell { container, slice, role, links, seconds, volume });
                }
                source::PAIR => {
                    let Some((source, target)) = container.zip(partner) else { continue };
                    let (links, seconds, volume) = (number(0), number(1), number(2));
                    let (reversed, shortest) = (number(3), number(4));
                    let messages = slice.unwrap_or(0) as f64;
                    let row = PairRow { source, target, links, messages, seconds, volume, reversed, shortest };
                    self.rows.pairs.push(row);
                }
                source::WAIT => {
                    let kinds = columns[6].as_string_view();
                    let kind = match kinds.is_valid(row).then(|| kinds.value(row)) {
                        Some("late sender") => WaitReason::LateSender,
                        Some("late receiver") => WaitReason::LateReceiver,
                        Some("transfer") => WaitReason::Transfer,
                        Some("collective") => WaitReason::Collective,
                        _ => WaitReason::Unexplained,
                    };
                    let slice = slice.and_then(|slice| u32::try_from(slice).ok());
                    let (waits, seconds, longest) = (number(0), number(1), number(2));
                    let (first, last) = (number(3), number(4));
                    let row = WaitSumRow { kind, container, partner, slice, waits, seconds, longest, first, last };
                    self.rows.waits.push(row);
                }
                source::VARIABLE => {
                    let Some((container, slice)) = cell else { continue };
                    let kind = self.text(&columns[4], row);
                    let (integral, maximum, covered) = (number(0), number(2), number(3));
                    self.rows.variables.push(VariableCell { container, slice, kind, integral, maximum, covered });
                }
                source::RESOURCE => {
                    let Some(container) = container else { continue };
                    let kind = self.text(&columns[4], row);
                    self.rows.resources.push(ResourceRow { container, kind, seconds: number(0) });
                }
                source::DIAGNOSTIC => {
                    let [severity, code, message] = [4, 5, 6].map(|place| self.text(&columns[place], row));
                    let occurrences = number(0);
                    self.rows.diagnostics.push(DiagnosticRow { severity, code, message, occurrences });
                }
                _ => {
                    let file = columns[6].as_string_view();
                    self.file = if file.is_valid(row) { file.value(row).to_string() } else { String::new() };
                    let (lines, lost_lines, start, end) = (number(0), number(1), number(2), number(3));
                    self.rows.trace = Some(TraceRow { lines, lost_lines, start, end });
                }
            }
        }
    }
}

fn arrays(run: &RunMatrix, found: &[Finding], prefix: &str, file: &str) -> Vec<ArrayRef> {
    let container = |finding: &Finding| finding.container.and_then(|place| run.containers.get(place));
    let doubles = |value: &dyn Fn(&Finding) -> f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values(found.iter().map(value)))
    };
    let texts = |value: &dyn Fn(usize, &Finding) -> String| -> ArrayRef {
        Arc::new(StringViewArray::from_iter_values(
            found.iter().enumerate().map(|(place, finding)| value(place, finding)),
        ))
    };
    let whole = run.resource_seconds();
    vec![
        Arc::new(Int64Array::from_iter_values(1..=found.len() as i64)),
        texts(&|_, finding| finding.kind.name().to_string()),
        texts(&|_, finding| finding.title.clone()),
        doubles(&|finding| finding.seconds / whole),
        doubles(&|finding| finding.seconds),
        Arc::new(found.iter().map(|finding| container(finding).map(|container| container.id)).collect::<Int32Array>()),
        Arc::new(
            found
                .iter()
                .map(|finding| container(finding).map(|found| found.name.as_str()))
                .collect::<StringViewArray>(),
        ),
        doubles(&|finding| finding.start),
        doubles(&|finding| finding.end),
        texts(&|_, finding| finding.involved.join(", ")),
        doubles(&|finding| finding.confidence),
        texts(&|_, finding| evidence(run, finding, prefix)),
        texts(&|place, finding| picture(finding, place + 1, file)),
    ]
}
