//! The grouping of rows by container: the rule that puts it in, and its two operators.

mod exec;
mod merge_exec;
mod rule;

pub(super) use rule::DenseGroupByRule;
