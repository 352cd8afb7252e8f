//! Tests of `page`.

use super::*;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("page").join(name)
}

/// All files below a folder, but for `node_modules`: paths with `/`, and contents.
fn files_below(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("UTF-8");
        let path = format!("{prefix}{name}");
        if !entry.file_type().expect("a type").is_dir() {
            found.insert(path, fs::read(entry.path()).expect("readable"));
        } else if name != "node_modules" {
            files_below(&entry.path(), &format!("{path}/"), found);
        }
    }
}

#[test]
fn every_file_of_the_page_is_in_the_binary() {
    let mut there = BTreeMap::new();
    files_below(&folder("dist"), "", &mut there);
    let listed: Vec<&str> = embedded::FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, there.keys().map(String::as_str).collect::<Vec<_>>(), "list all files of dist in embedded.rs");
    assert!(listed.iter().all(|name| is_plain_name(name)));
}

#[test]
fn the_page_was_made_from_its_source() {
    let mut sources = BTreeMap::new();
    files_below(&folder("web"), "", &mut sources);
    let digest = digest(sources.iter().map(|(path, content)| (path.as_str(), content.as_slice())));
    let recorded = fs::read_to_string(folder("dist/source.digest")).expect("a digest");
    assert_eq!(recorded.trim(), digest, "web/ changed: build the page anew");
}

#[test]
fn a_digest_is_that_of_the_definition() {
    // printf 'a\0003\000xyzb/c\0000\000' | sha256sum
    let expected = "2265e70c809120a76318816f95584abff09656815ab8bd354ac2d729ee3b620f";
    assert_eq!(digest([("a", b"xyz".as_slice()), ("b/c", b"".as_slice())]), expected);
}

#[test]
fn a_folder_gives_its_own_files_only() {
    let place = tempfile::tempdir().expect("a folder");
    let inside = place.path().join("page");
    fs::create_dir(&inside).expect("a folder");
    fs::write(place.path().join("secret.js"), "secret").expect("written");
    assert!(Page::folder(&inside).is_err(), "there is no index.html");
    fs::write(inside.join(INDEX), "page").expect("written");
    fs::write(inside.join(".hidden"), "hidden").expect("written");
    let page = Page::folder(&inside).expect("a page");
    let content = |name: &str| page.with_file(name, |file| file.content.to_vec()).ok().flatten();
    assert_eq!(content(INDEX).as_deref(), Some(b"page".as_slice()));
    for name in ["../secret.js", "..", ".hidden", "", "no.js", "/etc/passwd", "a/../index.html", "index.html\0"] {
        assert_eq!(content(name), None, "{name}");
    }
}

#[test]
fn compressed_files_hold_the_same() {
    let page = Page::embedded();
    let (content, compressed) = page
        .with_file(INDEX, |file| (file.content.clone(), file.compressed().expect("compressed")))
        .expect("no folder is read")
        .expect("a page");
    let mut read = vec![];
    io::Read::read_to_end(&mut flate2::read::GzDecoder::new(compressed.as_ref()), &mut read).expect("gzip");
    assert_eq!(read, content);
    assert_eq!(page.hash().len(), HASH_DIGITS);
}
