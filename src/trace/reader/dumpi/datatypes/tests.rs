//! Tests of `datatypes`.

use super::super::table::Function;
use super::*;

fn call(name: &str, numbers: &[(MpiArgument, i64)], lists: &[(MpiArgument, &[i32])]) -> MpiCall {
    let mut call = MpiCall::default();
    call.clear(Function::of_name(name).expect("a call"), 0);
    numbers.iter().for_each(|(argument, number)| call.set_number(*argument, *number));
    lists.iter().for_each(|(argument, list)| call.set_list(*argument, list.iter().copied()));
    call
}

#[test]
fn made_types_have_the_size_of_what_they_are_made_of() {
    use MpiArgument::{BlockLength, Count, Datatype, Lengths, NewType, OldType, OldTypes, Size, SubSizes};
    let mut types = Datatypes::new(&[0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 0]);
    assert_eq!((types.size(9), types.size(16), types.size(99)), (Some(4), Some(8), None));
    let made: [(MpiCall, i32, u64); 6] = [
        (call("MPI_Type_contiguous", &[(Count, 3), (OldType, 14), (NewType, 30)], &[]), 30, 24),
        (call("MPI_Type_vector", &[(Count, 2), (BlockLength, 5), (OldType, 30), (NewType, 31)], &[]), 31, 240),
        (call("MPI_Type_indexed", &[(OldType, 9), (NewType, 32)], &[(Lengths, &[1, 2, 3])]), 32, 24),
        (call("MPI_Type_struct", &[(NewType, 33)], &[(Lengths, &[2, 1]), (OldTypes, &[9, 14])]), 33, 16),
        (call("MPI_Type_create_subarray", &[(OldType, 2), (NewType, 34)], &[(SubSizes, &[3, 4])]), 34, 12),
        (call("MPI_Type_size", &[(Datatype, 35), (Size, 7)], &[]), 35, 7),
    ];
    for (call, datatype, bytes) in made {
        types.take(&call);
        assert_eq!(types.size(datatype), Some(bytes), "{}", call.function.name());
    }
    assert_eq!(types.bytes(Some(2), Some(33)), Some(32));
    assert_eq!(types.bytes(Some(-2), Some(33)), None);
}
