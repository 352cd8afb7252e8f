//! Tests of `resources`.

use super::super::answer::LONGEST_ANSWER;
use super::*;

fn content(address: &str) -> Option<String> {
    match read(address)? {
        ResourceContents::TextResourceContents { text, .. } => Some(text),
        other => panic!("{other:?} is no text"),
    }
}

#[test]
fn everything_that_is_listed_can_be_read_whole() {
    let list = list();
    assert!(list.len() > 150, "{}", list.len());
    for resource in list {
        let text = content(&resource.uri).unwrap_or_else(|| panic!("{} is not there", resource.uri));
        assert!(text.len() > 20 && text.len() < LONGEST_ANSWER, "{}: {}", resource.uri, text.len());
        assert!(!text.contains("(truncated"), "{}", resource.uri);
    }
    assert!(content("ocellus://schemas/states").is_some_and(|text| text.contains("| start_time | DOUBLE |")));
    assert!(content("ocellus://functions/critical_path").is_some_and(|text| text.contains("## Arguments")));
    assert!(content("ocellus://cookbook/load_imbalance").is_some_and(|text| text.contains("SELECT")));
}

#[test]
fn nothing_else_can_be_read() {
    for address in [
        "",
        "file:///etc/passwd",
        "/etc/passwd",
        "ocellus://schemas/",
        "ocellus://schemas/../../etc/passwd",
        "ocellus://cookbook/../views/flat_profile",
        "ocellus://functions/README",
        "OCELLUS://schemas",
    ] {
        assert_eq!(content(address), None, "{address}");
    }
}
