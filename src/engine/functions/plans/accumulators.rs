//! What the accumulators of our aggregate functions share.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, ListArray, StructArray};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::common::{Result, ScalarValue, internal_err, resources_datafusion_err};
use datafusion::logical_expr::{Accumulator, EmitTo, GroupsAccumulator};

/// A column of lists, one per group, built from the end of one to the end of the next.
#[derive(Debug)]
pub(crate) struct ListEnds {
    offsets: Vec<i32>,
}

impl ListEnds {
    pub(crate) fn new() -> ListEnds {
        ListEnds { offsets: vec![0] }
    }

    /// Ends a list after so many items of all lists.
    pub(crate) fn end(&mut self, items: usize) -> Result<()> {
        let end = i32::try_from(items).map_err(|_| {
            resources_datafusion_err!("a result of more than 2147483647 rows; look at less time or fewer containers")
        })?;
        self.offsets.push(end);
        Ok(())
    }

    /// The lists, whose items are structs of those columns.
    pub(crate) fn finish(self, fields: &Fields, columns: Vec<ArrayRef>) -> Result<ArrayRef> {
        let items = StructArray::try_new(fields.clone(), columns, None)?;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        Ok(Arc::new(ListArray::try_new(item_field(fields), offsets, Arc::new(items), None)?))
    }
}

/// The type of a list of structs.
pub(crate) fn list_of(fields: &Fields) -> DataType {
    DataType::List(item_field(fields))
}

fn item_field(fields: &Fields) -> FieldRef {
    Arc::new(Field::new_list_field(DataType::Struct(fields.clone()), true))
}

/// The rows that a filter and NULL leave, each with its place.
pub(crate) fn kept_rows<'a>(
    values: &'a [ArrayRef],
    filter: Option<&'a BooleanArray>,
) -> impl Iterator<Item = usize> + 'a {
    let rows = values.first().map_or(0, |column| column.len());
    let nullable: Vec<&ArrayRef> = values.iter().filter(|column| column.null_count() > 0).collect();
    (0..rows).filter(move |row| {
        let is_filtered = filter.is_some_and(|filter| filter.is_null(*row) || !filter.value(*row));
        !is_filtered && nullable.iter().all(|column| column.is_valid(*row))
    })
}

/// A state that is one column of lists of structs.
pub(crate) struct ListState<'a> {
    lists: &'a ListArray,
    /// The items of all lists.
    pub(crate) items: &'a StructArray,
}

impl<'a> ListState<'a> {
    /// `None` for a state without columns, which holds nothing.
    pub(crate) fn of(values: &'a [ArrayRef]) -> Result<Option<ListState<'a>>> {
        let Some(column) = values.first() else {
            return Ok(None);
        };
        let lists = column.as_list_opt::<i32>();
        let items = lists.and_then(|lists| lists.values().as_struct_opt());
        match (lists, items) {
            (Some(lists), Some(items)) => Ok(Some(ListState { lists, items })),
            _ => internal_err!("a state of type {} is no list of structs", column.data_type()),
        }
    }

    /// Which items belong to a row.
    pub(crate) fn items_of(&self, row: usize) -> Range<usize> {
        let offsets = self.lists.value_offsets();
        match self.lists.is_null(row) {
            true => 0..0,
            false => offsets[row] as usize..offsets[row + 1] as usize,
        }
    }
}

/// Ways to feed an accumulator that must all give the same.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Rows of some groups.
    pub(crate) struct GroupedRows {
        pub(crate) columns: Vec<ArrayRef>,
        pub(crate) groups: Vec<usize>,
        pub(crate) group_count: usize,
    }

    impl GroupedRows {
        fn slice(&self, start: usize, end: usize) -> (Vec<ArrayRef>, &[usize]) {
            let columns = self.columns.iter().map(|column| column.slice(start, end - start)).collect();
            (columns, &self.groups[start..end])
        }

        /// All rows in one batch, and all groups out at once.
        pub(crate) fn at_once(&self, make: &dyn Fn() -> Box<dyn GroupsAccumulator>) -> ArrayRef {
            let mut all = make();
            all.update_batch(&self.columns, &self.groups, None, self.group_count).expect("rows");
            all.evaluate(EmitTo::All).expect("a result")
        }

        /// Cut into batches for three workers, of which one hands its rows on as they are; merged, and out in
        /// two steps.
        pub(crate) fn in_parts(
            &self,
            make: &dyn Fn() -> Box<dyn GroupsAccumulator>,
            cuts: &[usize],
            first: usize,
        ) -> ArrayRef {
            let mut bounds: Vec<usize> = cuts.iter().map(|cut| cut % (self.groups.len() + 1)).collect();
            bounds.extend([0, self.groups.len()]);
            bounds.sort_unstable();
            let mut workers = [make(), make()];
            let mut last = make();
            let every_group: Vec<usize> = (0..self.group_count).collect();
            for (number, pair) in bounds.windows(2).enumerate() {
                let (columns, groups) = self.slice(pair[0], pair[1]);
                match workers.get_mut(number % 3) {
                    Some(worker) => worker.update_batch(&columns, groups, None, self.group_count).expect("rows"),
                    None => {
                        let state = last.convert_to_state(&columns, None).expect("a state");
                        last.merge_batch(&state, groups, self.group_count).expect("a merge");
                    }
                }
            }
            for mut worker in workers {
                worker.merge_batch(&[], &[], self.group_count).expect("no rows");
                let state = worker.state(EmitTo::All).expect("a state");
                last.merge_batch(&state, &every_group, self.group_count).expect("a merge");
            }
            let first = last.evaluate(EmitTo::First(first.min(self.group_count))).expect("a result");
            let rest = last.evaluate(EmitTo::All).expect("a result");
            arrow::compute::concat(&[&first, &rest]).expect("one type")
        }
    }
}

/// One group of an accumulator of groups, for queries without GROUP BY.
#[derive(Debug)]
pub(crate) struct Ungrouped<G>(pub(crate) G);

impl<G: GroupsAccumulator + std::fmt::Debug + Sync> Accumulator for Ungrouped<G> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let rows = values.first().map_or(0, |column| column.len());
        self.0.update_batch(values, &vec![0; rows], None, 1)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let rows = states.first().map_or(0, |column| column.len());
        self.0.merge_batch(states, &vec![0; rows], 1)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.touch()?;
        let columns = self.0.state(EmitTo::All)?;
        columns.iter().map(|column| ScalarValue::try_from_array(column, 0)).collect()
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.touch()?;
        ScalarValue::try_from_array(&self.0.evaluate(EmitTo::All)?, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.0.size()
    }
}

impl<G: GroupsAccumulator> Ungrouped<G> {
    /// Makes sure that the one group is there, even when no row was: a state without columns adds none.
    fn touch(&mut self) -> Result<()> {
        self.0.merge_batch(&[], &[], 1)
    }
}
