//! Tests of `regular_file`.

use std::io::Read;
use std::process::Command;

use super::*;

#[test]
fn regular_files_are_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a"), "text").expect("a file");
    let mut text = String::new();
    open_in(folder.path(), "a").and_then(|mut file| file.read_to_string(&mut text)).expect("a readable file");
    assert_eq!(text, "text");
    assert_eq!(metadata_in(folder.path(), "a").expect("a file").len(), 4);
    let missing = open_in(folder.path(), "b").expect_err("nothing is there");
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
}

#[cfg(unix)]
#[test]
fn pipes_links_and_folders_are_refused_and_never_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "text").expect("a file");
    fs::create_dir(at("folder")).expect("a folder");
    assert!(Command::new("mkfifo").arg(at("pipe")).status().expect("mkfifo").success());
    std::os::unix::fs::symlink(at("file"), at("link")).expect("a link");
    std::os::unix::fs::symlink(at("folder"), at("linked")).expect("a link");
    for (name, words) in [("pipe", "a pipe"), ("link", "a symbolic link"), ("folder", "a folder")] {
        let errors = [
            open_in(folder.path(), name).expect_err("refused"),
            metadata_in(folder.path(), name).expect_err("refused"),
            create_or_open(&at(name)).expect_err("refused"),
        ];
        errors.iter().for_each(|error| assert!(error.to_string().contains(words), "{error}"));
    }
    fs::write(at("folder/file"), "text").expect("a file");
    let error = open_in(&at("linked"), "file").expect_err("the folder is a link").to_string();
    assert!(error.contains("a symbolic link"), "{error}");
    create_new(&at("link")).expect("the link is replaced");
    assert_eq!(fs::read_to_string(at("file")).expect("a file"), "text", "nothing is written through a link");
}
