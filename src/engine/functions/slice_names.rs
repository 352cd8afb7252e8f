//! `container_name(container)`: the name of each group's container, for the plans of slices.
//!
//! Of several names the smallest counts, so that no order of rows shows. An aggregate of its own: a query
//! that does not ask for names does not read them.

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
pub(super) const CONTAINER_NAME: &str = "container_name";

/// The aggregate function.
pub(super) fn container_name() -> AggregateUDF {
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
        Ok(Box::new(Names::default()))
    }

    fn accumulator(&self, _arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        exec_err!("container_name is for GROUP BY")
    }
}

/// The names of all groups.
#[derive(Debug, Default)]
struct Names {
    names: Vec<Option<Box<str>>>,
    bytes: usize,
}

impl Names {
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

impl GroupsAccumulator for Names {
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

#[cfg(test)]
mod tests {
    use arrow::array::StringViewArray;
    use proptest::prelude::*;

    use super::*;
    use crate::functions::accumulators::testing::Rows;

    proptest! {
        #[test]
        fn any_split_gives_the_smallest_name(
            rows in prop::collection::vec((0..4_usize, prop::option::of("[ab]{0,3}|[ab] is a long name")), 0..40),
            cuts in prop::collection::vec(0..40_usize, 0..6),
            first in 0..4_usize,
        ) {
            let names: StringViewArray = rows.iter().map(|(_, name)| name.as_deref()).collect();
            let groups = rows.iter().map(|(group, _)| *group).collect();
            let given = Rows { columns: vec![Arc::new(names)], groups, group_count: 4 };
            let smallest = |group: usize| rows.iter().filter(|row| row.0 == group).filter_map(|row| row.1.as_deref()).min();
            let expected: StringViewArray = (0..4).map(smallest).collect();
            let make = || Box::new(Names::default()) as Box<dyn GroupsAccumulator>;
            let (at_once, in_parts) = (given.at_once(&make), given.in_parts(&make, &cuts, first));
            prop_assert_eq!(at_once.as_string_view(), &expected);
            prop_assert_eq!(in_parts.as_string_view(), &expected);
        }
    }

    #[test]
    fn rows_that_a_filter_leaves_out_have_no_name() {
        let names: ArrayRef = Arc::new(StringViewArray::from(vec![Some("a"), Some("b"), Some("c"), None]));
        let filter = BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]);
        let state = Names::default().convert_to_state(&[Arc::clone(&names)], Some(&filter)).expect("a state");
        assert_eq!(state[0].as_string_view(), &StringViewArray::from(vec![Some("a"), None, None, None]));
        let mut all = Names::default();
        all.update_batch(&[names], &[0, 1, 2, 3], Some(&filter), 4).expect("rows");
        assert_eq!(all.evaluate(EmitTo::All).expect("a result").as_string_view(), state[0].as_string_view());
        assert_eq!(all.bytes, 0);
    }
}
