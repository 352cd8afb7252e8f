//! Tests of `output`.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::partial_name::{PARTIAL, REPLACED, create_locked, make_folder, sweep};
use super::*;
use ocellus_trace::store::Existing;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn write_folder(path: &Path, file: &str) -> OutputFolder {
    let folder = OutputFolder::create(path, Existing::Replace).expect("a folder");
    fs::write(folder.path().join(file), file).expect("written");
    folder
}

#[test]
fn a_folder_takes_the_place_of_another_and_nothing_is_left() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("wanted");
    for file in ["one", "two"] {
        write_folder(&path, file).publish().expect("published");
        assert_eq!(names(&path), [file]);
    }
    drop(write_folder(&path, "three"));
    assert_eq!((names(place.path()), names(&path)), (vec!["wanted".to_string()], vec!["two".to_string()]));
}

#[test]
fn folders_around_one_that_failed_go_with_it() {
    let place = tempfile::tempdir().expect("a folder");
    drop(write_folder(&place.path().join("a/b/c"), "x"));
    assert_eq!(names(place.path()), Vec::<String>::new());
    write_folder(&place.path().join("a/b/c"), "x").publish().expect("published");
    assert_eq!(names(&place.path().join("a/b")), ["c"]);
}

#[test]
fn what_appears_meanwhile_stays() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("x");
    let mut file = OutputFile::create(&path, Existing::Refuse).expect("a file");
    fs::write(&path, "mine").expect("written");
    assert!(file.publish().expect_err("taken").to_string().contains("--force"));
    drop(file);
    assert_eq!((names(place.path()), fs::read_to_string(&path).expect("a file")), (vec!["x".into()], "mine".into()));

    let path = place.path().join("folder");
    let folder = OutputFolder::create(&path, Existing::Refuse).expect("a folder");
    fs::create_dir(&path).expect("made");
    fs::write(path.join("letter"), "mine").expect("written");
    assert!(folder.publish().expect_err("taken").to_string().contains("--force"));
    assert_eq!(names(&path), ["letter"]);
}

/// The numbers in names of the dead may be those of programs that live: only the lock counts.
#[test]
fn only_what_nobody_holds_is_swept() {
    let place = tempfile::tempdir().expect("a folder");
    let held = write_folder(&place.path().join("x"), "file");
    let name = held.path().file_name().expect("a name").to_string_lossy().into_owned();
    for (dead, is_folder) in
        [(format!(".ocellus-{}-99999999.partial", std::process::id()), false), (".ocellus-1-0.partial".into(), true)]
    {
        match is_folder {
            true => fs::create_dir_all(place.path().join(dead).join("tables")).expect("made"),
            false => fs::write(place.path().join(dead), "half").expect("written"),
        }
    }
    let foreign = [".ocellus-notes.partial", ".ocellus-1-x.partial", "ocellus-1-0.partial", ".ocellus-1-0.partial.bak"];
    for name in foreign {
        fs::write(place.path().join(name), "kept").expect("written");
    }
    sweep(place.path());
    let mut expected: Vec<String> = foreign.iter().map(|name| name.to_string()).chain([name]).collect();
    expected.sort();
    assert_eq!(names(place.path()), expected);
}

/// Where names cannot be exchanged, a program may be killed while the old folder is aside.
#[test]
fn what_was_set_aside_comes_back_unless_the_new_one_is_there() {
    let place = tempfile::tempdir().expect("a folder");
    for is_replaced in [false, true] {
        let (aside, lock) = create_locked(place.path(), REPLACED, make_folder).expect("a folder");
        fs::create_dir(aside.join("wanted")).expect("made");
        fs::write(aside.join("wanted/old"), "").expect("written");
        let (partial, writer) = create_locked(place.path(), PARTIAL, make_folder).expect("a folder");
        fs::write(partial.join("new"), "").expect("written");
        if is_replaced {
            fs::remove_dir_all(place.path().join("wanted")).expect("removed");
            fs::rename(&partial, place.path().join("wanted")).expect("renamed");
        }
        drop((lock, writer));
        sweep(place.path());
        assert_eq!(names(place.path()), ["wanted"]);
        assert_eq!(names(&place.path().join("wanted")), [if is_replaced { "new" } else { "old" }]);
    }
}

#[cfg(unix)]
#[test]
fn links_stay_and_permissions_too() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = tempfile::tempdir().expect("a folder");
    let (link, target) = (place.path().join("link"), place.path().join("deep/target"));
    fs::create_dir(place.path().join("deep")).expect("made");
    symlink("deep/target", &link).expect("a link");
    for text in ["one", "two"] {
        let mut file = OutputFile::create(&link, Existing::Replace).expect("a file");
        file.writer().expect("a writer").write_all(text.as_bytes()).expect("written");
        file.publish().expect("published");
        assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
        assert_eq!(fs::read_to_string(&target).expect("a file"), text);
        let mode = fs::metadata(&target).expect("a file").permissions().mode() & 0o777;
        assert!(text == "one" || mode == 0o640, "{mode:o}");
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("changed");
    }
    assert_eq!(names(&place.path().join("deep")), ["target"]);
    symlink("circle", place.path().join("circle")).expect("a link");
    OutputFile::create(&place.path().join("circle"), Existing::Replace).expect_err("a circle");
}
