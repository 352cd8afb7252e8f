//! Keys as dense numbers: rows whose key columns are equal get the same one.
//!
//! A single key of whole numbers is looked up in a table when its values lie close together, else in
//! a hash map; every other key goes through Arrow's row format. A NULL in a key makes it
//! [`NO_KEY`], which equals nothing.

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, Int64Array, PrimitiveArray};
use arrow::compute::{cast, max, min};
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use arrow::error::ArrowError;
use arrow::row::{RowConverter, Rows, SortField};
use hashbrown::HashMap;

/// The number of a row that has no key, or one that the map does not know.
pub const NO_KEY: u32 = u32::MAX;

/// Numbers keys, in the order of their first appearance.
#[derive(Debug)]
pub struct KeyMap {
    form: KeyForm,
    count: u32,
}

#[derive(Debug)]
enum KeyForm {
    /// There are no key columns: one key for all rows.
    Single,
    Integer(IntegerMap),
    Rows(RowMap),
}

/// Numbers of keys in Arrow's row format.
#[derive(Debug)]
struct RowMap {
    converter: RowConverter,
    numbers: HashMap<Box<[u8]>, u32>,
    /// Bytes of all keys.
    bytes: usize,
}

/// Numbers of whole values.
#[derive(Debug, Default)]
struct IntegerMap {
    /// Numbers of the values from `least` on.
    table: Vec<u32>,
    least: i64,
    /// How many rows were inserted.
    rows: usize,
    /// Numbers of the values outside the table.
    others: HashMap<i64, u32>,
}

impl KeyMap {
    /// A map of keys whose columns have these types.
    pub fn new(kinds: &[DataType]) -> Result<KeyMap, ArrowError> {
        let form = match kinds {
            [] => KeyForm::Single,
            [kind] if kind.is_integer() && kind != &DataType::UInt64 => KeyForm::Integer(IntegerMap::default()),
            kinds => {
                let fields = kinds.iter().map(|kind| SortField::new(kind.clone())).collect();
                KeyForm::Rows(RowMap { converter: RowConverter::new(fields)?, numbers: HashMap::new(), bytes: 0 })
            }
        };
        Ok(KeyMap { form, count: 0 })
    }

    /// How many keys have a number.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes that the map holds, about.
    pub fn size(&self) -> usize {
        match &self.form {
            KeyForm::Single => 0,
            KeyForm::Integer(map) => 4 * map.table.capacity() + 16 * map.others.capacity(),
            KeyForm::Rows(map) => 32 * map.numbers.capacity() + map.bytes,
        }
    }

    /// Adds the numbers of rows; a new key gets the next one. `rows` counts when there are no columns.
    pub fn insert(&mut self, columns: &[ArrayRef], rows: usize, numbers: &mut Vec<u32>) -> Result<(), ArrowError> {
        let count = &mut self.count;
        let mut next = || {
            *count += 1;
            *count - 1
        };
        match &mut self.form {
            KeyForm::Single => {
                *count = u32::from(rows > 0).max(*count);
                numbers.resize(numbers.len() + rows, 0);
            }
            KeyForm::Integer(map) => {
                let values = whole_values(columns)?;
                map.widen(&values);
                let first = numbers.len();
                map.look_up(&values, numbers);
                // Those that are new.
                for (row, number) in numbers[first..].iter_mut().enumerate() {
                    if *number == NO_KEY && values.is_valid(row) {
                        *number = map.insert(values.value(row), &mut next);
                    }
                }
            }
            KeyForm::Rows(map) => {
                let keys = map.converter.convert_columns(columns)?;
                number_rows(columns, &keys, numbers, |key| map.insert(key, &mut next));
            }
        }
        Ok(())
    }

    /// Adds the numbers of rows; [`NO_KEY`] for a key that was never inserted.
    pub fn look_up(&self, columns: &[ArrayRef], rows: usize, numbers: &mut Vec<u32>) -> Result<(), ArrowError> {
        match &self.form {
            KeyForm::Single => numbers.resize(numbers.len() + rows, if self.count == 0 { NO_KEY } else { 0 }),
            KeyForm::Integer(map) => match columns.first().and_then(|column| column.as_primitive_opt::<Int32Type>()) {
                Some(values) => map.look_up(values, numbers),
                None => map.look_up(&whole_values(columns)?, numbers),
            },
            KeyForm::Rows(map) => {
                let keys = map.converter.convert_columns(columns)?;
                number_rows(columns, &keys, numbers, |key| map.numbers.get(key).copied().unwrap_or(NO_KEY));
            }
        }
        Ok(())
    }
}

impl RowMap {
    fn insert(&mut self, key: &[u8], next: impl FnOnce() -> u32) -> u32 {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        self.bytes += key.len();
        *self.numbers.entry(key.into()).or_insert_with(next)
    }
}

impl IntegerMap {
    /// How many values the table may cover beyond four per row.
    const SMALL: usize = 1 << 16;

    /// Lets the table cover more values, if all lie close together for the number of rows so far.
    fn widen(&mut self, values: &Int64Array) {
        self.rows = self.rows.saturating_add(values.len());
        let (Some(mut least), Some(mut most)) = (min(values), max(values)) else {
            return;
        };
        let is_first = self.table.is_empty();
        if !is_first {
            least = least.min(self.least);
            most = most.max(self.least + (self.table.len() - 1) as i64);
        }
        let width = most.checked_sub(least).and_then(|distance| usize::try_from(distance).ok());
        let limit = Self::SMALL.saturating_add(self.rows.saturating_mul(4));
        let Some(width) = width.filter(|width| *width < limit).map(|width| width + 1) else {
            return;
        };
        if width == self.table.len() {
            return;
        }
        // Twice as wide at least, so that a table grows few times.
        let mut table = vec![NO_KEY; width.max((2 * self.table.len()).min(limit))];
        let shift = if is_first { 0 } else { usize::try_from(self.least - least).unwrap_or(0) };
        table[shift..shift + self.table.len()].copy_from_slice(&self.table);
        (self.table, self.least) = (table, least);
        for (value, number) in std::mem::take(&mut self.others) {
            *self.slot(value) = number;
        }
    }

    /// Where the number of a value is kept.
    fn slot(&mut self, value: i64) -> &mut u32 {
        match self.place(value) {
            Some(place) => &mut self.table[place],
            None => self.others.entry(value).or_insert(NO_KEY),
        }
    }

    fn place(&self, value: i64) -> Option<usize> {
        let place = usize::try_from(value.checked_sub(self.least)?).ok()?;
        (place < self.table.len()).then_some(place)
    }

    fn insert(&mut self, value: i64, mut next: impl FnMut() -> u32) -> u32 {
        let slot = self.slot(value);
        if *slot == NO_KEY {
            *slot = next();
        }
        *slot
    }

    fn look_up<T: ArrowPrimitiveType<Native: Into<i64>>>(&self, values: &PrimitiveArray<T>, numbers: &mut Vec<u32>) {
        let first = numbers.len();
        // A value before the table wraps to a place far behind it.
        let in_table = |value: &T::Native| {
            let place = Into::<i64>::into(*value).wrapping_sub(self.least).cast_unsigned();
            self.table.get(place as usize).copied().unwrap_or(NO_KEY)
        };
        numbers.extend(values.values().iter().map(in_table));
        for (row, number) in numbers[first..].iter_mut().enumerate() {
            if *number == NO_KEY && !self.others.is_empty() {
                *number = self.others.get(&values.value(row).into()).copied().unwrap_or(NO_KEY);
            }
        }
        if let Some(nulls) = values.nulls() {
            for row in (0..values.len()).filter(|row| nulls.is_null(*row)) {
                numbers[first + row] = NO_KEY;
            }
        }
    }
}

/// The values of the one column.
fn whole_values(columns: &[ArrayRef]) -> Result<Int64Array, ArrowError> {
    let column =
        columns.first().ok_or_else(|| ArrowError::InvalidArgumentError("a key without columns".to_string()))?;
    Ok(cast(column, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
}

/// Numbers the rows whose key has no NULL.
fn number_rows(columns: &[ArrayRef], keys: &Rows, numbers: &mut Vec<u32>, mut number: impl FnMut(&[u8]) -> u32) {
    let mut last: Option<(usize, u32)> = None;
    for row in 0..keys.num_rows() {
        if columns.iter().any(|column| column.is_null(row)) {
            numbers.push(NO_KEY);
            continue;
        }
        // Rows of one container often come together.
        let key = keys.row(row);
        let number = match last {
            Some((before, number)) if keys.row(before) == key => number,
            _ => number(key.data()),
        };
        last = Some((row, number));
        numbers.push(number);
    }
}
