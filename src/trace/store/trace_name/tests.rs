//! Tests of `trace_name`.

use super::*;

#[test]
fn names_of_traces_fit_sql() {
    for good in ["lu", "lu_s_16", "_x"] {
        assert!(check_trace_name(good).is_ok(), "{good}");
    }
    for bad in ["", "LU", "1a", "a-b", "all_traces", "a.b", "é"] {
        assert!(check_trace_name(bad).is_err(), "{bad}");
    }
    assert_eq!(trace_name_of(Path::new("/x/LU.S-16.trace.gz")), "lu_s_16");
    assert_eq!(trace_name_of(Path::new("16.paje")), "t_16");
    assert_eq!(trace_name_of(Path::new("public.trace")), "public_1");
    assert_eq!(trace_name_of(Path::new("-")), "t__");
}

#[test]
fn folders_of_traces_are_t_and_digits() {
    for good in ["t000001", "t1", "t18446744073709551615"] {
        assert!(is_trace_folder(good), "{good}");
    }
    for bad in ["", "t", "t1a", "T1", "../t1", "t1/", "/t1", "t1\0", "t٣", "t000000000000000000001", "t*", "t 1"] {
        assert!(!is_trace_folder(bad), "{bad:?}");
    }
    assert!(is_trace_folder(&trace_folder(u64::MAX)));
}
