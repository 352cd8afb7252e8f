//! Tests of `import`.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn stores_are_made_below_the_root_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().canonicalize().expect("a folder");
    for name in ["shared", "shared/old", "shared-not", "elsewhere"] {
        std::fs::create_dir(base.join(name)).expect("a folder");
    }
    symlink(base.join("elsewhere"), base.join("shared/link")).expect("a link");
    symlink(base.join("elsewhere/new"), base.join("shared/dangling")).expect("a link");
    symlink(base.join("shared/old"), base.join("elsewhere/back")).expect("a link");
    let scope = ImportScope { root: Some(base.join("shared")), ..ImportScope::default() };
    let real =
        |path: &str| scope.store(&base.join(path)).map(|real| real.strip_prefix(&base).expect("below").to_path_buf());
    for (path, expected) in [
        ("shared", "shared"),
        ("shared/old", "shared/old"),
        ("shared/new", "shared/new"),
        ("shared/old/../new", "shared/new"),
        ("elsewhere/back", "shared/old"),
        ("elsewhere/back/new", "shared/old/new"),
    ] {
        assert_eq!(real(path).as_deref(), Ok(Path::new(expected)), "{path}");
    }
    for path in [
        "shared/../elsewhere",
        "shared/../elsewhere/new",
        "shared/..",
        "shared/link",
        "shared/link/new",
        "shared/dangling",
        "shared-not",
        "shared/nowhere/../../elsewhere",
        "elsewhere",
    ] {
        assert!(real(path).is_err(), "{path}");
    }
    assert!(ImportScope::default().store(&base.join("shared/new")).is_err());
}
