//! The files of `dist/` in the binary. A test compares this list with the folder.

/// A file of the folder.
macro_rules! file {
    ($name:literal) => {
        ($name, include_bytes!(concat!("dist/", $name)))
    };
}

/// Names and contents, in the order of the names.
pub(super) const FILES: &[(&str, &[u8])] = &[
    file!("LICENSES.txt"),
    file!("app.css"),
    file!("app.js"),
    file!("begin.js"),
    file!("editor.js"),
    file!("index.html"),
    file!("source.digest"),
];
