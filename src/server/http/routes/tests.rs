//! Tests of `routes`.

use super::*;

#[test]
fn every_route_is_described_and_the_reverse() {
    let description: serde_json::Value = serde_json::from_str(include_str!("../openapi.json")).expect("JSON");
    let mut described: Vec<&str> =
        description["paths"].as_object().expect("paths").keys().map(String::as_str).collect();
    let mut routes: Vec<&str> = ROUTES.iter().map(|(path, _)| *path).collect();
    described.sort_unstable();
    routes.sort_unstable();
    assert_eq!(described, routes);
    assert_eq!(description["info"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn every_format_is_described() {
    let description: serde_json::Value = serde_json::from_str(include_str!("../openapi.json")).expect("JSON");
    let content = &description["paths"]["/sql"]["post"]["responses"]["200"]["content"];
    for name in super::super::accept::offered() {
        assert!(content.get(name).is_some(), "{name}");
    }
}
