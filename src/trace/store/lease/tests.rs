//! Tests of `lease`.

use super::*;

#[test]
fn a_folder_goes_when_its_last_reader_has_gone() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("t000001");
    std::fs::create_dir(&folder).expect("a folder");
    let (one, two) = (Leases::default(), Leases::default());
    one.take(&folder).expect("a lease");
    one.take(&folder).expect("the same lease");
    two.take(&folder).expect("a second lease");
    drop(one);
    remove_unless_leased(&folder);
    assert!(folder.exists());
    drop(two);
    remove_unless_leased(&folder);
    assert!(!folder.exists());
    assert!(Leases::default().take(&folder).is_err());
}
