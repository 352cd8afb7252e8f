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

#[test]
fn readers_of_one_folder_share_an_open_file() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("t000001");
    std::fs::create_dir(&folder).expect("a folder");
    let (one, two) = (lease(&folder).expect("a lease"), lease(&folder).expect("the same"));
    assert!(one.is_some() && one.as_ref().map(Arc::as_ptr) == two.as_ref().map(Arc::as_ptr));
    // Another folder in its place, such as that of a store that was made anew, needs a lease of its own.
    std::fs::rename(&folder, root.path().join("aside")).expect("a folder");
    std::fs::create_dir(&folder).expect("a folder");
    let other = lease(&folder).expect("another lease");
    assert_ne!(one.as_ref().map(Arc::as_ptr), other.as_ref().map(Arc::as_ptr));
    drop((one, two));
    remove_unless_leased(&folder);
    assert!(folder.exists());
}
