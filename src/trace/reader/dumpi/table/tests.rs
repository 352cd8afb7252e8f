//! Tests of `table`.

use super::*;

#[test]
fn the_table_is_whole() {
    assert_eq!(layouts().len(), 290);
    for (line, layout) in CALLS.lines().zip(layouts()) {
        assert_eq!(line.split_ascii_whitespace().count(), layout.fields.len() + 1, "{line}");
    }
    for (name, number) in
        [("MPI_Send", 0), ("MPI_Wait", 13), ("MPI_Barrier", 52), ("MPI_Init", 124), ("MPI_File_sync", 281)]
    {
        assert_eq!(Function::of_name(name), Some(Function(number)));
        assert_eq!(Function(number).name(), name);
    }
    assert_eq!(Function::EXIT.name(), "MPI_Function_exit");
}
