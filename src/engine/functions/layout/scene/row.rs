//! A row of a scene: what states, links and shapes of the base have in common.

use arrow::datatypes::DataType;
use datafusion::common::{Column, ScalarValue, TableReference};
use datafusion::logical_expr::{Expr, lit};
use datafusion::prelude::cast;

/// One row of the answer; what is not given is NULL.
#[derive(Default)]
pub(super) struct SceneRow {
    pub(super) kind: &'static str,
    pub(super) container_id: Option<Expr>,
    pub(super) name: Option<Expr>,
    pub(super) type_: Option<Expr>,
    pub(super) value: Option<Expr>,
    pub(super) color: Option<Expr>,
    pub(super) place: Option<(Expr, Expr)>,
    pub(super) heights: Option<(Expr, Expr)>,
    pub(super) extent: Option<(Expr, Expr)>,
    pub(super) end: Option<(Expr, Expr)>,
}

impl SceneRow {
    /// The columns of the answer.
    pub(super) fn columns(self) -> Vec<Expr> {
        let text = |value: Option<Expr>| match value {
            Some(value) => cast(value, DataType::Utf8View),
            None => lit(ScalarValue::Utf8View(None)),
        };
        let number = |value: Option<Expr>| value.unwrap_or(lit(ScalarValue::Float64(None)));
        let (x, z) = self.place.unzip();
        let (y0, y1) = self.heights.unwrap_or((lit(0.0), lit(0.0)));
        let (width, length) = self.extent.unzip();
        let (x2, z2) = self.end.unzip();
        vec![
            lit(ScalarValue::Utf8View(Some(self.kind.to_string()))).alias("kind"),
            self.container_id.unwrap_or(lit(ScalarValue::Int32(None))).alias("container_id"),
            text(self.name).alias("name"),
            text(self.type_).alias("type"),
            text(self.value).alias("value"),
            text(self.color).alias("color"),
            number(x).alias("x"),
            number(z).alias("z"),
            y0.alias("y0"),
            y1.alias("y1"),
            number(width).alias("width"),
            number(length).alias("length"),
            number(x2).alias("x2"),
            number(z2).alias("z2"),
        ]
    }
}

/// A column of one side of a join.
pub(super) fn of(alias: &str, name: &str) -> Expr {
    Expr::Column(Column::new(Some(TableReference::bare(alias)), name))
}
