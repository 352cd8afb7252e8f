//! Tests of `partition_rows`.

use super::*;

#[test]
fn what_is_written_is_read() {
    let mut rows = ModelRows::default();
    let (name, none) = (rows.names.number(0, Some("rank 1")), rows.names.number(0, None));
    let kind = rows.labels[0].number(0, Some("State"));
    let label = rows.labels[1].number(kind, Some("run"));
    rows.containers.push(TreeRow { preorder: 1, id: 7, parent: Some(3), depth: 2, name });
    rows.containers.push(TreeRow { preorder: 0, id: 3, parent: None, depth: 1, name: none });
    rows.cells.push(CellRow { container: 7, slice: 4, label, rho: 0.1 });
    rows.times.insert(4, [0.5, 0.75]);
    let mut again = ModelRows::default();
    again.names.number(0, Some("another"));
    again.labels[0].number(0, None);
    again.read(&rows.write()).expect("rows");
    again.read(&ModelRows::default().write()).expect("no rows");
    assert_eq!((again.containers.len(), again.cells.len(), &again.times), (2, 1, &rows.times));
    assert_eq!(again.containers.iter().map(|row| again.name(row)).collect::<Vec<_>>(), [Some("rank 1"), None]);
    assert_eq!(again.label(again.cells[0].label), [Some("State"), Some("run")]);
    assert_eq!(ModelRows::default().read(&rows.write()[..30]), None);
}
