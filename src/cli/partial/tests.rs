//! Tests of `partial`.

use super::*;

#[test]
fn a_folder_takes_the_place_of_another_and_nothing_is_left() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("wanted");
    for text in ["one", "two"] {
        let partial = partial_folder(&path).expect("a folder");
        fs::write(partial.path().join(text), text).expect("written");
        publish_folder(partial, &path).expect("published");
        let names: Vec<_> =
            fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
        assert_eq!(names, [text]);
    }
    drop(partial_folder(&path).expect("a folder"));
    assert_eq!(fs::read_dir(place.path()).expect("a folder").count(), 1);
}
