//! `container_name(container)`: the name of each group's container, for the plans of slices.
//!
//! Of several names the smallest counts, so that no order of rows shows. An aggregate of its own: a query
//! that does not ask for names does not read them.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, StringViewBuilder};
use arrow::compute::{not, nullif, prep_null_mask_filter};
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility,
};

/// Name of the aggregate function.
pub(crate) const CONTAINER_NAME: &str = "container_name";

/// The aggregate function.
pub(crate) fn container_name() -> AggregateUDF {
    let signature = Signature::exact(vec![DataType::Utf8View], Volatility::Immutable);
    AggregateUDF::from(ContainerName { signature })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ContainerName {
    signature: Signature,
}

impl AggregateUDFImpl for ContainerName {
    fn name(&self) -> &str {
        CONTAINER_NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[name]", arguments.name), DataType::Utf8View, true))])
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, _arguments: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(ContainerNames::default()))
    }

    fn accumulator(&self, _arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        exec_err!("container_name is for GROUP BY")
    }
}

/// The names of all groups.
#[derive(Debug, Default)]
struct ContainerNames {
    names: Vec<Option<Box<str>>>,
    bytes: usize,
}

impl ContainerNames {
    fn note(&mut self, group: usize, name: &str) {
        let known = &mut self.names[group];
        if known.as_deref().is_none_or(|known| name < known) {
            self.bytes += name.len();
            self.bytes -= known.as_deref().map_or(0, str::len);
            *known = Some(name.into());
        }
    }

    fn take(&mut self, emit_to: EmitTo) -> ArrayRef {
        let names = emit_to.take_needed(&mut self.names);
        self.bytes -= names.iter().flatten().map(|name| name.len()).sum::<usize>();
        let mut texts = StringViewBuilder::with_capacity(names.len());
        names.iter().for_each(|name| texts.append_option(name.as_deref()));
        Arc::new(texts.finish())
    }
}

impl GroupsAccumulator for ContainerNames {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.names.resize(total_num_groups, None);
        let Some(names) = values.first() else {
            return Ok(());
        };
        let names = names.as_string_view();
        // Rows of one container often follow each other. Equal views of one array are equal texts.
        let mut last = None;
        for (row, (&group, &view)) in group_indices.iter().zip(names.views()).enumerate() {
            let is_wanted = opt_filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
            if is_wanted && last != Some((group, view)) && names.is_valid(row) {
                self.note(group, names.value(row));
                last = Some((group, view));
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.update_batch(values, group_indices, None, total_num_groups)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        Ok(self.take(emit_to))
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.take(emit_to)])
    }

    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let Some(filter) = opt_filter else {
            return Ok(values.to_vec());
        };
        let left_out = if filter.null_count() > 0 { not(&prep_null_mask_filter(filter))? } else { not(filter)? };
        values.iter().map(|names| Ok(nullif(names, &left_out)?)).collect()
    }

    fn size(&self) -> usize {
        self.bytes + self.names.capacity() * size_of::<Option<Box<str>>>()
    }
}
