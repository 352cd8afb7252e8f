//! Tests of `table`.

use super::*;

#[test]
fn long_fractions_are_cut_and_texts_are_not() {
    assert_eq!(short("0.3333333333333333"), "0.333333");
    assert_eq!(short("12345.6789012345"), "12345.68");
    assert_eq!(short("1.5"), "1.5");
    assert_eq!(short("123456789012"), "123456789012");
    assert_eq!(short("MPI_Recv.waiting"), "MPI_Recv.waiting");
}
