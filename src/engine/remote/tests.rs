//! Tests of `remote`.

use super::*;

#[test]
fn only_urls_of_object_storage_are_remote() {
    assert_eq!(url_of(Path::new("s3://bucket/runs")), Some("s3://bucket/runs"));
    assert_eq!(url_of(Path::new("s3/bucket")), None);
    assert_eq!(url_of(Path::new("file:///tmp/x")), None);
    assert_eq!(url_of(Path::new("runs")), None);
}

#[test]
fn a_bucket_is_opened_once() {
    let stores = EnvironmentStores::default();
    let url = Url::parse("s3://bucket/").expect("a URL");
    let first = stores.get_store(&url).expect("a store");
    assert!(Arc::ptr_eq(&first, &stores.get_store(&url).expect("a store")));
    assert!(stores.get_store(&Url::parse("ftp://host/").expect("a URL")).is_err());
}
