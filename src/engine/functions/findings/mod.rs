//! What is wrong with a run: ranked findings, each with the query that proves it.

mod finding_evidence;
mod finding_inputs;
mod finding_replay;
mod finding_rows;
mod finding_table;
mod finding_work;
#[expect(clippy::module_inception, reason = "the file has the name of the SQL function, and so has its family")]
pub mod findings;
