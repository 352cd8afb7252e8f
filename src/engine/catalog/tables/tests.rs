//! Tests of `tables`.

use super::*;

#[test]
fn odd_paths_become_urls_of_one_file() {
    let url = format!("file://{}", url_path("/tmp/a b[1]*?#%41é/states.parquet"));
    let url = ListingTableUrl::parse(url).expect("a URL");
    assert_eq!(url.prefix().as_ref(), "tmp/a b[1]*?#%41é/states.parquet");
    assert!(!url.is_collection());
}
