//! What stands at a call or at `*` and would be ignored: it is refused, since the answer would be another one.
//!
//! | written | refused because |
//! |---|---|
//! | `abs(x) OVER ()`, `abs(x) FILTER (WHERE …)` | a function of one row has neither |
//! | `count(DISTINCT *)`, `min(*)` | only `count(*)` takes all columns |
//! | `* ILIKE 'a%'` | all columns would be shown |

use datafusion::common::{DataFusionError, Result, plan_datafusion_err};
use datafusion::execution::SessionState;
use ocellus_planning::Rewriter;
use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Select, SelectItem,
    Statement as Ast,
};

/// Looks at all calls of a statement.
pub(super) fn check(ast: &mut Ast, state: &SessionState) -> Result<()> {
    let mut calls = CallChecks { state, error: None };
    ocellus_planning::rewrite(ast, &mut calls);
    calls.error.map_or(Ok(()), Err)
}

struct CallChecks<'a> {
    state: &'a SessionState,
    error: Option<DataFusionError>,
}

impl Rewriter for CallChecks<'_> {
    fn leave_select(&mut self, select: &mut Select) {
        let is_filtered = |item: &SelectItem| match item {
            SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => options.opt_ilike.is_some(),
            _ => false,
        };
        if select.projection.iter().any(is_filtered) {
            let error = plan_datafusion_err!("* ILIKE is not supported; name the columns, or write * EXCLUDE (…)");
            self.error.get_or_insert(error);
        }
    }

    fn enter_expression(&mut self, expression: &mut Expr) {
        let Expr::Function(call) = expression else { return };
        if let Some(error) = self.fault(call) {
            self.error.get_or_insert(error);
        }
    }
}

impl CallChecks<'_> {
    fn fault(&self, call: &Function) -> Option<DataFusionError> {
        let name = call.name.to_string().to_lowercase();
        if self.is_of_one_row(&name) && (call.over.is_some() || call.filter.is_some()) {
            let clause = if call.over.is_some() { "OVER" } else { "FILTER" };
            return Some(plan_datafusion_err!(
                "{name} is a function of one row and has no {clause}; only aggregate and window functions have"
            ));
        }
        let FunctionArguments::List(list) = &call.args else { return None };
        let is_star = |argument: &FunctionArg| {
            matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Wildcard | FunctionArgExpr::QualifiedWildcard(_)))
        };
        if !list.args.iter().any(is_star) {
            return None;
        }
        if list.duplicate_treatment == Some(DuplicateTreatment::Distinct) {
            return Some(plan_datafusion_err!(
                "{name}(DISTINCT *) is not supported; write SELECT count(*) FROM (SELECT DISTINCT * FROM …)"
            ));
        }
        let is_aggregate = self.state.aggregate_functions().contains_key(&name);
        (is_aggregate && name != "count").then(|| plan_datafusion_err!("{name}(*) is not supported; name a column"))
    }

    fn is_of_one_row(&self, name: &str) -> bool {
        self.state.scalar_functions().contains_key(name)
            && !self.state.aggregate_functions().contains_key(name)
            && !self.state.window_functions().contains_key(name)
    }
}
