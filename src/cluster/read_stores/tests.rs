//! Tests of `read_stores`.

use object_store::ObjectStoreExt;

use super::*;

/// Two folders with a file each, and links between them.
struct Places {
    folder: tempfile::TempDir,
}

impl Places {
    fn new() -> Places {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["inside", "outside", "inside-not"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
            std::fs::write(folder.path().join(name).join("file"), name).expect("a file");
        }
        let link = |target: &str, name: &str| {
            let target = folder.path().join(target);
            std::os::unix::fs::symlink(target, folder.path().join(name)).expect("a link");
        };
        link("outside", "inside/elsewhere");
        link("outside/file", "inside/other");
        link("inside/file", "outside/back");
        Places { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn store(&self) -> Arc<dyn ObjectStore> {
        let scope = ReadScope::of(&[self.path("inside")]).expect("a scope");
        ReadStores::new(scope).get_store(&Url::parse("file:///").expect("a URL")).expect("a store")
    }

    fn object(&self, name: &str) -> ObjectPath {
        ObjectPath::from_absolute_path(self.path(name)).expect("a path")
    }
}

#[tokio::test]
async fn only_files_below_the_folders_are_read() {
    let places = Places::new();
    let store = places.store();
    let read = async |name: &str| store.get(&places.object(name)).await?.bytes().await;
    assert_eq!(read("inside/file").await.expect("bytes").as_ref(), b"inside");
    // What a link leads to decides, not where the link is.
    assert_eq!(read("outside/back").await.expect("bytes").as_ref(), b"inside");
    for name in ["outside/file", "inside-not/file", "inside/elsewhere/file", "inside/other", "nowhere"] {
        assert!(matches!(read(name).await, Err(Error::PermissionDenied { .. })), "{name}");
        let ranges = store.get_ranges(&places.object(name), std::slice::from_ref(&(0..1))).await;
        assert!(ranges.is_err(), "{name}");
        assert!(store.head(&places.object(name)).await.is_err(), "{name}");
    }
}

#[tokio::test]
async fn nothing_is_written_or_listed() {
    let places = Places::new();
    for scope in [ReadScope::of(&[places.path("inside")]).expect("a scope"), ReadScope::Everything] {
        let store = ReadStores::new(scope).get_store(&Url::parse("file:///").expect("a URL")).expect("a store");
        let (file, other) = (places.object("inside/file"), places.object("inside/new"));
        assert!(store.put(&other, "x".into()).await.is_err());
        assert!(store.put_multipart(&other).await.is_err());
        assert!(store.copy(&file, &other).await.is_err());
        assert!(store.rename(&file, &other).await.is_err());
        assert!(store.delete(&file).await.is_err());
        assert!(store.list(None).next().await.expect("an answer").is_err());
        assert!(store.list_with_delimiter(None).await.is_err());
        assert!(places.path("inside/file").exists() && !places.path("inside/new").exists());
    }
}

#[test]
fn only_named_buckets_are_read() {
    let stores = ReadStores::new(ReadScope::of(&[PathBuf::from("s3://runs/prefix")]).expect("a scope"));
    assert!(stores.get_store(&Url::parse("s3://runs/").expect("a URL")).is_ok());
    assert!(stores.get_store(&Url::parse("s3://other/").expect("a URL")).is_err());
    assert_eq!(ReadScope::of(&[]).expect("a scope"), ReadScope::Everything);
}
