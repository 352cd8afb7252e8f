//! The window of an aggregate of slices, as the constant text that it takes as its first argument.
//!
//! One constant holds all settings, so that a plan that is sent elsewhere needs nothing but itself:
//! `'0..9000000000 /3 @1000000000 only 0..2 fill'`.

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field};
use datafusion::common::{Result, ScalarValue, internal_datafusion_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{Expr, lit};
use datafusion::physical_expr::expressions::Literal;

use ocellus_kernels::slices::Slicing;
use ocellus_kernels::slices::events::LastInstant;
use ocellus_kernels::slices::links::Boundary;

/// A window in slices, and what else an aggregate of slices is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SliceWindow {
    pub(crate) slicing: Slicing,
    /// Gives slices without anything too.
    pub(crate) fill: bool,
    /// Whether what happens at the very end of the window belongs to its last slice.
    pub(crate) last_instant: LastInstant,
    /// What becomes of links that cross a boundary.
    pub(crate) boundary: Boundary,
}

impl SliceWindow {
    /// A window without anything special.
    pub(crate) fn new(slicing: Slicing) -> SliceWindow {
        SliceWindow { slicing, fill: false, last_instant: LastInstant::Outside, boundary: Boundary::Inside }
    }

    /// The argument of an aggregate: one run per batch, since DataFusion makes a column of it.
    pub(crate) fn literal(&self) -> Expr {
        let field = |name: &str, kind: DataType| Arc::new(Field::new(name, kind, name == "values"));
        let (ends, values) = (field("run_ends", DataType::Int32), field("values", DataType::Utf8));
        lit(ScalarValue::RunEndEncoded(ends, values, Box::new(ScalarValue::Utf8(Some(self.to_string())))))
    }

    /// The window that an aggregate was given.
    pub(crate) fn of_arguments(arguments: &AccumulatorArgs<'_>) -> Result<SliceWindow> {
        let literal = arguments.exprs.first().and_then(|argument| argument.downcast_ref::<Literal>());
        let text = literal.and_then(|literal| literal.value().try_as_str().flatten());
        text.and_then(|text| text.parse().ok())
            .ok_or_else(|| internal_datafusion_err!("{} has no window", arguments.name))
    }
}

impl fmt::Display for SliceWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slicing = &self.slicing;
        let (first, last) = slicing.asked();
        write!(f, "{}..{} /{} @{}", slicing.start(), slicing.stop(), slicing.slices(), slicing.per_second())?;
        write!(f, " only {first}..{last}")?;
        let ends = self.last_instant == LastInstant::Within;
        for (is_set, name) in [(self.fill, "fill"), (ends, "end"), (self.boundary == Boundary::Clip, "clip")] {
            if is_set {
                write!(f, " {name}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for SliceWindow {
    type Err = ();

    fn from_str(text: &str) -> Result<SliceWindow, ()> {
        parse(text).ok_or(())
    }
}

fn parse(text: &str) -> Option<SliceWindow> {
    let mut words = text.split(' ');
    let (start, stop) = words.next()?.split_once("..")?;
    let slices = words.next()?.strip_prefix('/')?.parse().ok()?;
    let per_second = words.next()?.strip_prefix('@')?.parse().ok()?;
    let slicing = Slicing::new(start.parse().ok()?, stop.parse().ok()?, slices, per_second)?;
    let (first, last) = words.next().filter(|word| *word == "only").and(words.next())?.split_once("..")?;
    let slicing = slicing.only(first.parse().ok()?, last.parse().ok()?);
    let mut window = SliceWindow::new(slicing);
    for word in words {
        match word {
            "fill" => window.fill = true,
            "end" => window.last_instant = LastInstant::Within,
            "clip" => window.boundary = Boundary::Clip,
            _ => return None,
        }
    }
    Some(window)
}
