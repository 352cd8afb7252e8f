//! What the functions of communication share: links become sorted messages, and rows of kernels get names and seconds.
//!
//! ```text
//!  links ─► ticks, ends, volume, texts ─► kernel: messages, sorted ─► rows with ticks and ids ─► seconds and names
//! ```

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, ScalarValue, TableReference, plan_err};
use datafusion::functions::math::expr_fn::round;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col, try_cast};

use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue, RelationParameter};
use crate::functions::plans::lineage::ticks_of;
use crate::functions::plans::table_kernel::{big_int, text};
use crate::functions::time::tick_seconds;
use ocellus_kernels::commgram::Weight;
use ocellus_kernels::commgram::communities::CommunityCut;

pub(crate) const LINKS: RelationParameter = RelationParameter {
    name: "links",
    default: Some("links"),
    doc: "Links, with source_id, target_id, start_time, end_time and, where they have one, volume.",
};

pub(crate) const PHASES: ConstantParameter = ConstantParameter {
    name: "phases",
    kind: ConstantKind::BigInt,
    default: DefaultValue::BigInt(10),
    accepts: Accepts::Between(1.0, 1e6),
    doc: "How many phases the messages are cut into; as many as there are messages, if those are fewer.",
};

pub(crate) const COMMUNITIES: ConstantParameter = ConstantParameter {
    name: "communities",
    kind: ConstantKind::BigInt,
    default: DefaultValue::Absent,
    accepts: Accepts::Between(1.0, 1e9),
    doc: "How many communities the containers of a phase are cut into; NULL for as many as give the largest modularity.",
};

pub(crate) const WEIGHT: ConstantParameter = ConstantParameter {
    name: "weight",
    kind: ConstantKind::Text,
    default: DefaultValue::Text("volume"),
    accepts: Accepts::OneOf(&["volume", "messages"]),
    doc: "What binds containers: the volume that they exchange, or the number of messages.",
};

/// The types of the columns of [`messages`]: start, end, source, target, volume.
pub(crate) const MESSAGE_COLUMNS: [DataType; 5] =
    [DataType::Int64, DataType::Int64, DataType::Int32, DataType::Int32, DataType::Float64];

/// The types of the constants of [`gram_constants`].
pub(crate) const GRAM_CONSTANTS: [DataType; 3] = [DataType::Int64, DataType::Int64, DataType::Utf8];

/// The links of a call as messages in ticks, with some further columns as text, and how many ticks make a second. Links
/// without a known end, or that end before they start, are omitted.
pub(crate) fn messages(call: &Call<'_>, links: LogicalPlan, texts: &[&str]) -> Result<(LogicalPlan, i64)> {
    let (links, rate) = timed_links(call, links, texts)?;
    Ok((LogicalPlanBuilder::from(links).filter(col("end_tick").gt_eq(col("start_tick")))?.build()?, rate))
}

/// The same, with links that end before they start.
pub(crate) fn timed_links(call: &Call<'_>, links: LogicalPlan, texts: &[&str]) -> Result<(LogicalPlan, i64)> {
    let (start, end, rate) = ticks(call, &links)?;
    let [source, target] = ["source_id", "target_id"].map(|name| required(call, &links, name));
    let volume =
        column(&links, "volume").map_or(lit(ScalarValue::Float64(None)), |volume| cast(volume, DataType::Float64));
    let mut shown = vec![
        start.alias("start_tick"),
        end.alias("end_tick"),
        cast(source?, DataType::Int32).alias("source_id"),
        cast(target?, DataType::Int32).alias("target_id"),
        volume.alias("volume"),
    ];
    for name in texts {
        let text = column(&links, name).map_or(lit(ScalarValue::Utf8View(None)), |text| cast(text, DataType::Utf8View));
        shown.push(text.alias(*name));
    }
    let known = ["start_tick", "end_tick", "source_id", "target_id"].map(|name| col(name).is_not_null());
    let is_known = known.into_iter().reduce(Expr::and).unwrap_or(lit(true));
    Ok((LogicalPlanBuilder::from(links).project(shown)?.filter(is_known)?.build()?, rate))
}

/// Start and end of the rows of a relation in ticks: those that it carries, else nanoseconds.
pub(crate) fn ticks(call: &Call<'_>, relation: &LogicalPlan) -> Result<(Expr, Expr, i64)> {
    if let (Some(start), Some(end)) = (ticks_of(relation, "start_time"), ticks_of(relation, "end_time"))
        && start.per_second == end.per_second
    {
        return Ok((Expr::Column(start.column), Expr::Column(end.column), start.per_second));
    }
    const RATE: i64 = 1_000_000_000;
    let tick = |name: &str| -> Result<Expr> {
        let seconds = cast(required(call, relation, name)?, DataType::Float64);
        Ok(try_cast(round(vec![seconds * lit(RATE as f64)]), DataType::Int64))
    };
    Ok((tick("start_time")?, tick("end_time")?, RATE))
}

pub(crate) fn column(relation: &LogicalPlan, name: &str) -> Option<Expr> {
    let (qualifier, field) = relation.schema().qualified_field_with_unqualified_name(name).ok()?;
    Some(Expr::Column(Column::new(qualifier.cloned(), field.name())))
}

pub(crate) fn required(call: &Call<'_>, relation: &LogicalPlan, name: &str) -> Result<Expr> {
    match column(relation, name) {
        Some(column) => Ok(column),
        None => {
            let names: Vec<&str> = relation.schema().fields().iter().map(|field| field.name().as_str()).collect();
            plan_err!("{}: the relation has no column {name}; it has {}", call.definition.name, names.join(", "))
        }
    }
}

/// The arguments `phases`, `communities` and `weight` of a call.
pub(crate) fn gram_constants(call: &Call<'_>) -> Vec<ScalarValue> {
    vec![
        ScalarValue::Int64(call.big_int("phases")),
        ScalarValue::Int64(call.big_int("communities")),
        ScalarValue::from(call.text("weight").unwrap_or("volume")),
    ]
}

/// The same, as the kernel takes them.
pub(crate) fn gram_settings(constants: &[ScalarValue]) -> Result<(usize, CommunityCut, Weight)> {
    let phases = big_int(constants, 0)?.unwrap_or(1) as usize;
    let cut = big_int(constants, 1)?
        .map_or(CommunityCut::LargestModularity, |count| CommunityCut::Communities(count as usize));
    let weight = if text(constants, 2)? == "messages" { Weight::Messages } else { Weight::Volume };
    Ok((phases, cut, weight))
}

/// The columns that a function documents, from the rows of its kernel: `start_time` and `end_time` from ticks, and the
/// names of containers from their ids.
pub(crate) fn shown(call: &Call<'_>, rows: LogicalPlan, rate: i64, names: &[(&str, &str)]) -> Result<LogicalPlan> {
    let mut plan = LogicalPlanBuilder::from(rows);
    for (id, name) in names {
        let containers = LogicalPlanBuilder::from(call.table("containers")?)
            .project(vec![col("container_id").alias("known_id"), col("name").alias("known_name")])?
            .alias(format!("{name}_names"))?
            .build()?;
        plan = plan.join_on(containers, JoinType::Left, [col(*id).eq(of(name, "known_id"))])?;
    }
    let column = |name: &str| match names.iter().find(|(_, known)| *known == name) {
        Some((_, name)) => of(name, "known_name").alias(*name),
        None if ["start_time", "end_time"].contains(&name) => seconds(col(name), rate).alias(name),
        None => col(name),
    };
    plan.project(call.definition.columns.iter().map(|shown| column(shown.name)).collect::<Vec<Expr>>())?.build()
}

fn of(name: &str, column: &str) -> Expr {
    Expr::Column(Column::new(Some(TableReference::bare(format!("{name}_names"))), column))
}

/// Ticks as seconds.
pub(crate) fn seconds(ticks: Expr, rate: i64) -> Expr {
    Arc::new((tick_seconds::FUNCTION.make)()).call(vec![ticks, lit(rate)])
}
