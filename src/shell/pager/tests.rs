//! Tests of `pager`: the pager writes what it reads into a file.

use std::fs;

use super::*;

/// What the screen and what the pager got of a text on a screen of three rows.
fn shown(text: &str) -> (String, Option<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("paged");
    let pager = PagerCommand(format!("cat > '{}'", file.display()).into());
    let mut screen = vec![];
    let mut output = PagedOutput::new(pager, 3, &mut screen);
    for part in text.as_bytes().chunks(2) {
        output.write_all(part).expect("written");
    }
    output.flush().expect("flushed");
    drop(output);
    (String::from_utf8(screen).expect("text"), fs::read_to_string(&file).ok())
}

#[test]
fn what_fits_goes_to_the_screen() {
    assert_eq!(shown("one\ntwo\n"), ("one\ntwo\n".to_string(), None));
    assert_eq!(shown(""), (String::new(), None));
}

#[test]
fn what_does_not_fit_goes_to_the_pager_from_its_first_line() {
    let text = "one\ntwo\nthree\nfour\n";
    assert_eq!(shown(text), (String::new(), Some(text.to_string())));
}

#[test]
fn a_pager_that_is_left_early_ends_the_output() {
    let mut screen = vec![];
    let mut output = PagedOutput::new(PagerCommand("exit 0".into()), 1, &mut screen);
    let line = [b'x'; 1 << 16];
    let ended = (0..1000).find_map(|_| output.write_all(&line).and_then(|()| output.write_all(b"\n")).err());
    assert_eq!(ended.map(|error| error.kind()), Some(io::ErrorKind::BrokenPipe));
}

#[test]
fn programs_are_found_in_the_path() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("less"), "").expect("a file");
    assert!(is_installed("less", folder.path().as_os_str()));
    assert!(!is_installed("more", folder.path().as_os_str()));
}
