//! Tests of `bounded_values`.

use std::collections::BTreeSet;

use arrow::array::{AsArray, Int64Array, ListArray, StringArray, StringViewArray};
use arrow::datatypes::{Field, Int64Type};
use datafusion::execution::{FunctionRegistry, SessionStateBuilder};
use ocellus_planning::QueryControl;

use super::*;

/// Functions of DataFusion that make no value much larger than their arguments: numbers, times, parts of an
/// argument, one of the arguments, or texts of a fixed length. Struct and row share the columns that they are made of.
const STEADY: &str = "abs acos acosh array_add array_any_value array_avg array_compact array_dims array_distance \
    array_distinct array_element array_empty array_except array_extract array_has array_has_all array_has_any \
    array_intersect array_length array_max array_min array_ndims array_normalize array_pop_back array_pop_front \
    array_position array_positions array_product array_remove array_remove_all array_remove_n array_reverse \
    array_scale array_slice array_sort array_subtract array_sum arrow_field arrow_metadata arrow_typeof ascii asin \
    asinh atan atan2 atanh bit_length btrim cardinality cbrt ceil character_length chr coalesce contains cos cosh \
    cosine_distance cot current_date current_time date_bin date_part date_trunc decode degrees digest ends_with \
    empty exp factorial file_row_index find_in_set flatten floor from_unixtime gcd get_field greatest initcap \
    inner_product input_file_name isnan iszero lcm least left levenshtein ln log log10 log2 lower ltrim make_date \
    make_time map_entries map_extract map_keys map_values md5 named_struct nanvl now nullif nvl nvl2 octet_length pi \
    power radians random regexp_count regexp_instr regexp_like reverse right round row rtrim sha224 sha256 sha384 \
    sha512 signum sin sinh split_part sqrt starts_with strpos struct substr substr_index tan tanh to_date to_hex \
    to_local_time to_time to_timestamp to_timestamp_micros to_timestamp_millis to_timestamp_nanos \
    to_timestamp_seconds to_unixtime trunc union_extract union_tag upper uuid version with_metadata";

fn functions() -> Vec<Arc<ScalarUDF>> {
    let state = SessionStateBuilder::new_with_default_features().build();
    state.udfs().iter().map(|name| state.udf(name).expect("a function of the list")).collect()
}

#[test]
fn every_function_is_bounded_or_known_to_be_steady() {
    let steady: BTreeSet<&str> = STEADY.split_whitespace().collect();
    let functions = functions();
    let unknown: BTreeSet<&str> = functions
        .iter()
        .map(|function| function.name())
        .filter(|name| steady.contains(name) == Growth::of(name).is_some())
        .collect();
    assert!(
        unknown.is_empty(),
        "may these make values much larger than their arguments? Then they belong to GROWING: {unknown:?}"
    );
    for function in &functions {
        let is_bounded = Growth::of(function.name()).is_some() || Work::of(function.name()).is_some();
        assert_eq!(bounded_for_registry(function).is_some(), is_bounded);
    }
}

fn call(name: &str, arguments: Vec<ColumnarValue>, rows: usize, limits: &ValueLimits) -> Result<ColumnarValue> {
    call_with(name, arguments, rows, limits, Arc::default())
}

fn call_with(
    name: &str,
    arguments: Vec<ColumnarValue>,
    rows: usize,
    limits: &ValueLimits,
    config_options: Arc<ConfigOptions>,
) -> Result<ColumnarValue> {
    invoke(&bounded(&plain(name), limits).expect("a bounded function"), arguments, rows, config_options)
}

/// A function as DataFusion has it.
fn plain(name: &str) -> Arc<ScalarUDF> {
    functions().into_iter().find(|function| function.name() == name).expect("the function")
}

fn invoke(
    function: &ScalarUDF,
    arguments: Vec<ColumnarValue>,
    rows: usize,
    config_options: Arc<ConfigOptions>,
) -> Result<ColumnarValue> {
    let fields: Vec<FieldRef> =
        arguments.iter().map(|value| Arc::new(Field::new("a", value.data_type(), true))).collect();
    let scalars: Vec<Option<&ScalarValue>> = arguments
        .iter()
        .map(|value| match value {
            ColumnarValue::Scalar(value) => Some(value),
            ColumnarValue::Array(_) => None,
        })
        .collect();
    let return_field =
        function.return_field_from_args(ReturnFieldArgs { arg_fields: &fields, scalar_arguments: &scalars })?;
    function.invoke_with_args(ScalarFunctionArgs {
        args: arguments,
        arg_fields: fields,
        number_rows: rows,
        return_field,
        config_options,
    })
}

fn text(value: &str) -> ColumnarValue {
    ColumnarValue::Scalar(ScalarValue::from(value))
}

fn number(value: i64) -> ColumnarValue {
    ColumnarValue::Scalar(ScalarValue::from(value))
}

#[test]
fn a_value_has_a_largest_size() {
    let limits = ValueLimits::new(None);
    let texts = || ColumnarValue::Array(Arc::new(StringArray::from(vec!["abcdefgh"])));
    let most = 32 << 20;
    assert!(call("repeat", vec![texts(), number(most / 8)], 1, &limits).is_ok());
    let error = call("repeat", vec![texts(), number(most / 8 + 1)], 1, &limits).expect_err("too large");
    let error = error.to_string();
    assert!(error.contains("repeat would make a value of 33554440 bytes; at most 33554432 are allowed"), "{error}");
}

#[test]
fn constants_are_smaller_and_those_of_a_statement_share_a_budget() {
    let limits = ValueLimits::new(None);
    let make = |times: i64| call("repeat", vec![text("abcdefgh"), number(times)], 1, &limits);
    let most = (4 << 20) / 8;
    let error = make(most + 1).expect_err("too large").to_string();
    assert!(error.contains("repeat would make a constant of 4194312 bytes; at most 4194304 are allowed"), "{error}");
    for _ in 0..8 {
        make(most).expect("4 MiB of 32");
    }
    assert!(make(most).is_err(), "the ninth");
}

#[test]
fn a_batch_has_a_largest_size_and_only_what_is_made_counts() {
    let limits = ValueLimits::new(Some(100_000));
    let texts = StringArray::from_iter_values((0..100).map(|_| "a".repeat(500)));
    let texts = || ColumnarValue::Array(Arc::new(texts.clone()));
    // 100 rows of 500 bytes become 100 rows of 2,000: twice the limit.
    assert!(call("repeat", vec![texts(), number(4)], 100, &limits).is_err());
    // 1,000 bytes each are as many as allowed.
    assert!(call("repeat", vec![texts(), number(2)], 100, &limits).is_ok());
    // Each b would become 50 bytes, but there is none: the bound of a batch is no error.
    let replaced = call("replace", vec![texts(), text("b"), text(&"c".repeat(50))], 100, &limits).expect("no change");
    let replaced = replaced.into_array(100).expect("rows");
    assert_eq!(RowSizes::of_array(&replaced), RowSizes::Each(vec![500; 100]));
    assert!(call("replace", vec![texts(), text("a"), text(&"c".repeat(50))], 100, &limits).is_err());
}

#[test]
fn a_value_that_would_take_too_long_is_refused() {
    let limits = ValueLimits::new(None);
    let long = |length: usize| text(&"a".repeat(length));
    let error = call("levenshtein", vec![long(100_000), long(50_000)], 1, &limits).expect_err("too long").to_string();
    assert!(error.contains("levenshtein would take about 5000000000 steps for one value"), "{error}");
    assert!(call("levenshtein", vec![long(1_000), long(2_000)], 1, &limits).is_ok());
    let pattern = text("(a{900}){900}b");
    assert!(call("regexp_like", vec![long(1_000_000), pattern], 1, &limits).is_err());
    assert!(call("regexp_like", vec![long(1_000_000), text("^a+$")], 1, &limits).is_ok());
    // 14 characters, 900 times 900.
    assert_eq!(work::pattern_weight("(a{900}){900}b"), 14 * 810_000);
    assert_eq!(work::pattern_weight("a{2,}|b{,x}{"), 24);
}

#[test]
fn calls_stop_between_their_parts_when_the_query_is_cancelled() {
    let limits = ValueLimits::new(None);
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(|row| "a".repeat(row))));
    let needle = "b".repeat(3_000_000);
    let find = |control: Option<QueryControl>| {
        let mut settings = ConfigOptions::default();
        settings.extensions.insert(control.unwrap_or_default());
        let arguments = vec![text(&needle), ColumnarValue::Array(Arc::clone(&texts))];
        call_with("strpos", arguments, 100, &limits, Arc::new(settings))
    };
    // 100 rows of 3 million steps are two parts, put together as one column.
    let places = find(None).expect("no query to cancel").into_array(100).expect("rows");
    let places = arrow::compute::cast(&places, &DataType::Int64).expect("numbers");
    // Nothing is found but the empty text.
    let expected: Int64Array = (0..100).map(|row| i64::from(row == 0)).collect();
    assert_eq!(places.as_primitive::<Int64Type>(), &expected);
    let control = QueryControl::default();
    control.cancel.cancel();
    assert!(find(Some(control)).expect_err("cancelled").to_string().contains("the query was cancelled"));
}

#[test]
fn sums_are_taken_row_by_row() {
    let rows = row_sizes::sum(&[RowSizes::Same(1), RowSizes::Each(vec![2, 3]), RowSizes::Same(4)]);
    assert_eq!(rows, RowSizes::Each(vec![7, 8]));
    assert_eq!(row_sizes::sum(&[RowSizes::Same(u64::MAX), RowSizes::Same(1)]), RowSizes::Same(u64::MAX));
}

#[test]
fn series_are_counted_before_they_are_made() {
    let limits = ValueLimits::new(None);
    let list = call("range", vec![number(0), number(1000), number(10)], 1, &limits).expect("100 numbers");
    assert_eq!(RowSizes::of(&list), RowSizes::Same(800));
    for arguments in [
        vec![number(i64::MIN), number(i64::MAX), number(1)],
        vec![number(i64::MAX), number(i64::MIN), number(-1)],
        vec![number(0), number(1 << 40), number(1000)],
    ] {
        assert!(call("generate_series", arguments, 1, &limits).is_err());
    }
}

#[test]
fn rows_are_measured_by_their_values() {
    let array = |array: ArrayRef| RowSizes::of_array(&array);
    let long = "a".repeat(100);
    assert_eq!(array(Arc::new(StringArray::from(vec![Some("a"), None, Some(&long)]))), RowSizes::Each(vec![8, 8, 100]));
    assert_eq!(array(Arc::new(StringViewArray::from(vec![Some("a"), Some(&long)]))), RowSizes::Each(vec![8, 100]));
    assert_eq!(array(Arc::new(Int64Array::from(vec![1, 2]))), RowSizes::Same(8));
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([
        Some(vec![Some(1), None, Some(3)]),
        None,
        Some(vec![Some(4), Some(5)]),
    ]);
    assert_eq!(array(Arc::new(lists.slice(0, 3))), RowSizes::Each(vec![24, 8, 16]));
    // A slice has the sizes of its rows, not of the buffers behind it.
    assert_eq!(array(Arc::new(lists.slice(2, 1))), RowSizes::Each(vec![16]));
}

#[test]
fn patterns_that_are_kept_match_as_those_of_datafusion() {
    let texts = [None, Some(""), Some("MPI_Recv"), Some("mpi_send"), Some("a\nb"), Some("Überlauf"), Some("aaab")];
    let patterns = [None, Some(""), Some("^mpi_"), Some("recv$"), Some("a.b"), Some("über"), Some("^(a|b)+$")];
    let pairs = || texts.iter().flat_map(|text| patterns.iter().map(move |pattern| (*text, *pattern)));
    let rows = texts.len() * patterns.len();
    let viewed = |texts: Vec<Option<&str>>| ColumnarValue::Array(Arc::new(StringViewArray::from(texts)));
    let owned = |texts: Vec<Option<&str>>| ColumnarValue::Array(Arc::new(StringArray::from(texts)));
    let values =
        |given: Result<ColumnarValue>| given.and_then(|value| value.into_array(rows)).map_err(|e| e.to_string());
    // Twice: what was compiled is known then.
    for flag in [None, Some("i"), Some("s"), None, Some("i")] {
        let flags = || flag.map(text).into_iter();
        let columns: [Vec<ColumnarValue>; 3] = [
            vec![viewed(pairs().map(|pair| pair.0).collect()), viewed(pairs().map(|pair| pair.1).collect())],
            vec![owned(pairs().map(|pair| pair.0).collect()), owned(pairs().map(|pair| pair.1).collect())],
            vec![text("MPI_Recv"), owned(pairs().map(|pair| pair.1).collect())],
        ];
        for columns in columns {
            let arguments: Vec<ColumnarValue> = columns.into_iter().chain(flags()).collect();
            let expected = invoke(&plain("regexp_like"), arguments.clone(), rows, Arc::default());
            let given = call("regexp_like", arguments, rows, &ValueLimits::new(None));
            assert_eq!(values(given), values(expected), "{flag:?}");
        }
    }
}

#[test]
fn patterns_that_cannot_be_kept_are_left_to_datafusion() {
    let limits = ValueLimits::new(None);
    let column = |value: &str| ColumnarValue::Array(Arc::new(StringArray::from(vec![value])));
    let error = call("regexp_like", vec![column("a"), column("(")], 1, &limits).expect_err("no pattern").to_string();
    assert!(error.to_lowercase().contains("regular expression"), "{error}");
    // Larger than what is kept, but a pattern.
    let found = call("regexp_like", vec![column(&"a".repeat(200)), column(r"^(\w{20}){10}$")], 1, &limits);
    let found = found.and_then(|value| value.into_array(1)).expect("a match");
    assert!(found.as_boolean().value(0));
}
