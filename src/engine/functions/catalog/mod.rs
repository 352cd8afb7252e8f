//! What there is: functions about functions and tables.

pub mod ocellus_functions;
pub mod summarize;
