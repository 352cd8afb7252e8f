//! Errors about an argument of a call, which point to its place in the text.

use datafusion::common::{DataFusionError, Diagnostic, Span, plan_datafusion_err};

/// A plan error about a place in the text.
pub(crate) fn error_at(place: sqlparser::tokenizer::Span, message: String) -> DataFusionError {
    let span = Span::try_from_sqlparser_span(place);
    let diagnostic = Diagnostic::new_error(message.clone(), span);
    plan_datafusion_err!("{message}").with_diagnostic(diagnostic)
}
