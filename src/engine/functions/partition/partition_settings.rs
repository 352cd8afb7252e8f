//! What the aggregates of partitions are told, as the constant text that they take as their first argument.
//!
//! One constant holds all settings, so that a plan that is sent elsewhere needs nothing but itself:
//! `'spatiotemporal_partition areas p=0.4 measure=mean ties=fewest threads=2 operations=1e11 slices=30 window=0..9000@1000'`.

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use datafusion::common::{Result, ScalarValue, internal_datafusion_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{Expr, lit};
use datafusion::physical_expr::expressions::Literal;

use super::partition_rows::RhoSigns;
use ocellus_kernels::partition::{PartitionMeasure, PictureHeight, Ties};

/// What is asked of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PartitionQuestion {
    /// The best partition of space and time.
    Areas,
    /// The best partition of time.
    Time,
    /// The best partition of space.
    Space,
    /// The last two, multiplied.
    Product,
    /// Which p give different partitions, down to a precision.
    Levels(f64),
    /// What a picture of a height shows, with nothing thinner than the second number.
    Visual(f64, f64),
    /// The areas of every p, or what a picture shows of them; changes are found to within a precision.
    Ranges { picture: Option<PictureHeight>, precision: f64 },
}

/// A window of time in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TickWindow {
    pub(crate) start: i64,
    pub(crate) stop: i64,
    pub(crate) per_second: i64,
}

/// All settings of one call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PartitionSettings {
    /// The SQL function, for messages.
    pub(crate) function: String,
    pub(crate) question: PartitionQuestion,
    pub(crate) p: f64,
    pub(crate) measure: PartitionMeasure,
    pub(crate) ties: Ties,
    /// Threads of the kernel.
    pub(crate) threads: usize,
    /// How many slices the model has; as many as its rows tell when absent.
    pub(crate) slices: Option<usize>,
    /// Containers below this depth are averaged into those at it.
    pub(crate) depth: Option<usize>,
    /// When the slices are, unless the rows of the model tell.
    pub(crate) window: Option<TickWindow>,
    /// Bytes that may be used.
    pub(crate) memory: Option<usize>,
    /// Operations that a search may need.
    pub(crate) operations: f64,
}

impl PartitionSettings {
    /// Which numbers the model holds.
    pub(crate) fn signs(&self) -> RhoSigns {
        match self.measure {
            PartitionMeasure::Deviation => RhoSigns::Differences,
            PartitionMeasure::Mean | PartitionMeasure::Sum => RhoSigns::Proportions,
        }
    }

    /// The argument of an aggregate.
    pub(crate) fn literal(&self) -> Expr {
        lit(ScalarValue::Utf8View(Some(self.to_string())))
    }

    /// The settings that an aggregate was given.
    pub(crate) fn of_arguments(arguments: &AccumulatorArgs<'_>) -> Result<PartitionSettings> {
        let literal = arguments.exprs.first().and_then(|argument| argument.downcast_ref::<Literal>());
        let text = literal.and_then(|literal| literal.value().try_as_str().flatten());
        text.and_then(|text| text.parse().ok())
            .ok_or_else(|| internal_datafusion_err!("{} has no settings", arguments.name))
    }
}

impl fmt::Display for PartitionSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.function)?;
        match self.question {
            PartitionQuestion::Areas => f.write_str("areas")?,
            PartitionQuestion::Time => f.write_str("time")?,
            PartitionQuestion::Space => f.write_str("space")?,
            PartitionQuestion::Product => f.write_str("product")?,
            PartitionQuestion::Levels(precision) => write!(f, "levels:{precision}")?,
            PartitionQuestion::Visual(height, least) => write!(f, "visual:{height}/{least}")?,
            PartitionQuestion::Ranges { picture: None, precision } => write!(f, "ranges:{precision}")?,
            PartitionQuestion::Ranges { picture: Some(picture), precision } => {
                write!(f, "ranges:{precision}/{}/{}", picture.height, picture.least)?;
            }
        }
        let measure = match self.measure {
            PartitionMeasure::Mean => "mean",
            PartitionMeasure::Sum => "sum",
            PartitionMeasure::Deviation => "deviation",
        };
        let ties = match self.ties {
            Ties::Order => "order",
            Ties::Fewest => "fewest",
        };
        write!(f, " p={} measure={measure} ties={ties} threads={}", self.p, self.threads)?;
        write!(f, " operations={:e}", self.operations)?;
        for (name, number) in [("slices", self.slices), ("depth", self.depth), ("memory", self.memory)] {
            if let Some(number) = number {
                write!(f, " {name}={number}")?;
            }
        }
        match self.window {
            Some(span) => write!(f, " window={}..{}@{}", span.start, span.stop, span.per_second),
            None => Ok(()),
        }
    }
}

impl FromStr for PartitionSettings {
    type Err = ();

    fn from_str(text: &str) -> Result<PartitionSettings, ()> {
        parse(text).ok_or(())
    }
}

fn parse(text: &str) -> Option<PartitionSettings> {
    let mut words = text.split(' ');
    let mut settings = PartitionSettings {
        function: words.next()?.to_string(),
        question: question(words.next()?)?,
        p: 0.0,
        measure: PartitionMeasure::Mean,
        ties: Ties::Fewest,
        threads: 1,
        slices: None,
        depth: None,
        window: None,
        memory: None,
        operations: f64::MAX,
    };
    for word in words {
        let (name, value) = word.split_once('=')?;
        match name {
            "p" => settings.p = value.parse().ok()?,
            "measure" => settings.measure = measure(value)?,
            "ties" => settings.ties = ties(value)?,
            "threads" => settings.threads = value.parse().ok()?,
            "slices" => settings.slices = Some(value.parse().ok()?),
            "depth" => settings.depth = Some(value.parse().ok()?),
            "operations" => settings.operations = value.parse().ok()?,
            "memory" => settings.memory = Some(value.parse().ok()?),
            "window" => settings.window = Some(span(value)?),
            _ => return None,
        }
    }
    Some(settings)
}

fn question(word: &str) -> Option<PartitionQuestion> {
    let (name, numbers) = word.split_once(':').unwrap_or((word, ""));
    Some(match name {
        "areas" => PartitionQuestion::Areas,
        "time" => PartitionQuestion::Time,
        "space" => PartitionQuestion::Space,
        "product" => PartitionQuestion::Product,
        "levels" => PartitionQuestion::Levels(numbers.parse().ok()?),
        "visual" => {
            let (height, least) = numbers.split_once('/')?;
            PartitionQuestion::Visual(height.parse().ok()?, least.parse().ok()?)
        }
        "ranges" => ranges(numbers)?,
        _ => return None,
    })
}

fn ranges(numbers: &str) -> Option<PartitionQuestion> {
    let numbers = numbers.split('/').map(|number| number.parse().ok()).collect::<Option<Vec<f64>>>()?;
    match numbers.as_slice() {
        [precision] => Some(PartitionQuestion::Ranges { picture: None, precision: *precision }),
        [precision, height, least] => {
            let picture = Some(PictureHeight { height: *height, least: *least });
            Some(PartitionQuestion::Ranges { picture, precision: *precision })
        }
        _ => None,
    }
}

/// A measure by its name in SQL.
pub(crate) fn measure(name: &str) -> Option<PartitionMeasure> {
    match name {
        "mean" => Some(PartitionMeasure::Mean),
        "sum" => Some(PartitionMeasure::Sum),
        "deviation" => Some(PartitionMeasure::Deviation),
        _ => None,
    }
}

/// A way with ties by its name in SQL.
pub(crate) fn ties(name: &str) -> Option<Ties> {
    match name {
        "order" => Some(Ties::Order),
        "fewest" => Some(Ties::Fewest),
        _ => None,
    }
}

fn span(text: &str) -> Option<TickWindow> {
    let (start, rest) = text.split_once("..")?;
    let (stop, per_second) = rest.split_once('@')?;
    Some(TickWindow { start: start.parse().ok()?, stop: stop.parse().ok()?, per_second: per_second.parse().ok()? })
}
