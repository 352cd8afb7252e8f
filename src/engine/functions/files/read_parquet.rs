//! `read_parquet(path)`: Parquet files as a table.
//!
//! ```text
//!  path ─► files ─► their footers: one schema ─► scan
//! ```

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::logical_expr::LogicalPlan;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};

use super::named_files::{files_of, scan};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "read_parquet",
        family: "files",
        form: Form::Table,
        description: "Reads Parquet files of the user, to be joined with a trace.",
        notes: "Several files have the columns of all of them; a column that a file lacks is NULL there, and columns \
                of one name must have one type. Paths are relative to the current folder. Servers and clusters \
                refuse the function. Row order is unspecified.",
        relations: &[],
        constants: &[ConstantParameter {
            name: "path",
            kind: ConstantKind::Text,
            default: DefaultValue::Required,
            accepts: Accepts::Anything,
            doc: "A file, or several: * in the name of a file stands for anything, ? for one character.",
        }],
        columns: &[
            OutputColumn { name: "machine", kind: "TEXT", doc: "The columns of the files, such as these." },
            OutputColumn { name: "site", kind: "TEXT", doc: "" },
            OutputColumn { name: "cores", kind: "BIGINT", doc: "" },
        ],
        examples: &["SELECT machine, site, cores FROM read_parquet('traces/machines.parquet') ORDER BY machine"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let files = files_of(&call)?;
    let refusal = |reason: String| plan_datafusion_err!("{}: {reason}", call.definition.name);
    let schemas = files.iter().map(|path| schema_of(path)).collect::<std::result::Result<Vec<Schema>, String>>();
    let schema = Schema::try_merge(schemas.map_err(refusal)?).map_err(|error| refusal(error.to_string()))?;
    scan(&call, &files, Arc::new(ParquetFormat::default()), Arc::new(schema))
}

/// The columns that the footer of a file says.
fn schema_of(path: &Path) -> std::result::Result<Schema, String> {
    let file = File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
    let footer = footer.map_err(|error| format!("{} is not a Parquet file: {error}", path.display()))?;
    // Words about a file as a whole would make two files differ.
    Ok(Schema::new(footer.schema().fields().clone()))
}
