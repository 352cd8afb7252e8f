//! A function of the catalogs as DataFusion runs it: row by row, over values.

#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};

use super::inventory::Inventory;
use super::relations::Relation;
use super::value::{CatalogType, CatalogValue};
use crate::pg::session_user::SessionUser;

/// What a function may look into.
pub(super) struct CatalogCallContext<'a> {
    pub(super) inventory: &'a Inventory,
    pub(super) client: &'a SessionUser,
    /// The schema of unqualified names.
    pub(super) schema: &'a str,
}

impl CatalogCallContext<'_> {
    /// The relation that a text or a number means.
    pub(super) fn relation(&self, value: &CatalogValue) -> Option<&Relation> {
        if let Some(number) = value.number() {
            return self.inventory.relation_numbered(number);
        }
        let parts = identifiers(&value.text()?);
        match parts.as_slice() {
            [name] => {
                let found = self.inventory.relation(self.schema, name);
                found.or_else(|| self.inventory.relation("pg_catalog", name))
            }
            [schema, name] | [_, schema, name] => self.inventory.relation(schema, name),
            _ => None,
        }
    }

    /// Whether a relation is found without the name of its schema.
    pub(super) fn sees(&self, relation: &Relation) -> bool {
        relation.schema_name == self.schema || relation.schema_name == "pg_catalog"
    }
}

/// One function: its name, the type of its result, and what it does.
pub(super) struct FunctionEntry {
    pub(super) name: &'static str,
    pub(super) returns: CatalogType,
    pub(super) run: fn(&CatalogCallContext<'_>, &[CatalogValue]) -> Result<CatalogValue>,
}

/// A function for one session.
pub(super) struct CatalogFunction {
    entry: &'static FunctionEntry,
    inventory: Arc<Inventory>,
    client: Arc<SessionUser>,
    signature: Signature,
}

impl CatalogFunction {
    pub(super) fn new(
        entry: &'static FunctionEntry,
        inventory: Arc<Inventory>,
        client: Arc<SessionUser>,
    ) -> CatalogFunction {
        let any = vec![TypeSignature::Nullary, TypeSignature::VariadicAny];
        CatalogFunction { entry, inventory, client, signature: Signature::one_of(any, Volatility::Stable) }
    }
}

impl ScalarUDFImpl for CatalogFunction {
    fn name(&self) -> &str {
        self.entry.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.entry.returns.data_type())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let schema = args.config_options.catalog.default_schema.clone();
        let context = CatalogCallContext { inventory: &self.inventory, client: &self.client, schema: &schema };
        let is_constant = args.args.iter().all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let rows = if is_constant { 1 } else { args.number_rows };
        let arrays: Vec<ArrayRef> = args.args.iter().map(|argument| argument.to_array(rows)).collect::<Result<_>>()?;
        let mut values = Vec::with_capacity(rows);
        let mut arguments = Vec::with_capacity(arrays.len());
        for row in 0..rows {
            arguments.clear();
            arguments.extend(arrays.iter().map(|array| CatalogValue::at(array, row)));
            values.push((self.entry.run)(&context, &arguments)?);
        }
        let array = self.entry.returns.array(values.iter());
        match is_constant {
            true => Ok(ColumnarValue::Scalar(datafusion::common::ScalarValue::try_from_array(&array, 0)?)),
            false => Ok(ColumnarValue::Array(array)),
        }
    }
}

// Functions of one name are the same in one session.
impl PartialEq for CatalogFunction {
    fn eq(&self, other: &CatalogFunction) -> bool {
        self.entry.name == other.entry.name && Arc::ptr_eq(&self.client, &other.client)
    }
}

impl Eq for CatalogFunction {}

impl Hash for CatalogFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entry.name.hash(state);
    }
}

impl std::fmt::Debug for CatalogFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.entry.name)
    }
}

/// Splits a name at its points; what is not quoted is in lower case.
pub(super) fn identifiers(name: &str) -> Vec<String> {
    let (mut parts, mut part, mut is_quoted) = (vec![], String::new(), false);
    for letter in name.trim().chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => parts.push(std::mem::take(&mut part)),
            _ if is_quoted => part.push(letter),
            _ => part.extend(letter.to_lowercase()),
        }
    }
    parts.push(part);
    parts
}

/// A name as SQL writes it: quoted unless it is plain.
pub(in crate::pg) fn quoted(name: &str) -> String {
    let is_plain = |(place, letter): (usize, char)| {
        letter.is_ascii_lowercase() || letter == '_' || (place > 0 && letter.is_ascii_digit())
    };
    if !name.is_empty() && name.chars().enumerate().all(is_plain) {
        return name.to_string();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}
