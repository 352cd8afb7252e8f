//! Files of the user beside the store, as tables.

mod named_files;
pub mod read_csv;
pub mod read_parquet;
