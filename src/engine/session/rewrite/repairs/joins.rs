//! `SEMI JOIN` is `LEFT SEMI JOIN`, and what the shared column of `FULL JOIN … USING (k)` is.
//!
//! Of a join that keeps rows of its right side, `k` is the value of whichever side has one: the optimizer's rule
//! `shared_columns` makes it so. It cannot tell `k` from `left.k`, so a query that names both sides is refused.

use datafusion::common::{DataFusionError, plan_datafusion_err};
use sqlparser::ast::{JoinConstraint, JoinOperator, Select, SelectItem};

/// What a query names, and which columns its joins share.
#[derive(Debug, Default)]
pub(super) struct NamedSides {
    /// The last parts of names with several.
    pub(super) qualified: Vec<String>,
    shared: Vec<String>,
    has_qualified_star: bool,
    has_natural: bool,
}

impl NamedSides {
    /// Takes what the queries within have named.
    pub(super) fn take(&mut self, inner: NamedSides) {
        self.qualified.extend(inner.qualified);
    }

    /// Spells joins as the planner knows them, and remembers those whose columns are shared.
    pub(super) fn read(&mut self, select: &mut Select) {
        for join in select.from.iter_mut().flat_map(|table| &mut table.joins) {
            let operator = &mut join.join_operator;
            if let JoinOperator::Semi(on) = operator {
                *operator = JoinOperator::LeftSemi(std::mem::replace(on, JoinConstraint::None));
            } else if let JoinOperator::Anti(on) = operator {
                *operator = JoinOperator::LeftAnti(std::mem::replace(on, JoinConstraint::None));
            }
            let (JoinOperator::Right(on) | JoinOperator::RightOuter(on) | JoinOperator::FullOuter(on)) = operator
            else {
                continue;
            };
            match on {
                JoinConstraint::Using(columns) => {
                    let names = columns.iter().filter_map(|column| column.0.last()?.as_ident());
                    self.shared.extend(names.map(|name| name.value.to_lowercase()));
                }
                JoinConstraint::Natural => self.has_natural = true,
                JoinConstraint::On(_) | JoinConstraint::None => {}
            }
        }
        let is_qualified = |item: &SelectItem| matches!(item, SelectItem::QualifiedWildcard(..));
        self.has_qualified_star |= select.projection.iter().any(is_qualified);
    }

    /// What is wrong with the query as a whole.
    pub(super) fn error(&self) -> Option<DataFusionError> {
        if self.has_natural && (self.has_qualified_star || !self.qualified.is_empty()) {
            return Some(plan_datafusion_err!(
                "NATURAL RIGHT and FULL JOIN with names of one side are not supported; write ON a.k = b.k and coalesce(a.k, b.k)"
            ));
        }
        let named = self.shared.iter().find(|name| self.has_qualified_star || self.qualified.contains(name))?;
        Some(plan_datafusion_err!(
            "{named} of one side of a RIGHT or FULL JOIN … USING ({named}) is not supported; write ON a.{named} = b.{named}, \
             and coalesce(a.{named}, b.{named}) for the column that they share"
        ))
    }
}
