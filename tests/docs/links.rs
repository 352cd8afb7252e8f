//! Follows every relative link of every Markdown page: the file and the heading must exist.

use super::markdown::{anchors, link_targets, pages_below, read, root, shown};

#[test]
fn every_link_leads_somewhere() {
    let mut faults = vec![];
    let mut followed = 0;
    for page in pages_below(root()) {
        let text = read(&page);
        for (line, target) in link_targets(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            followed += 1;
            let (path, anchor) = match target.split_once('#') {
                Some((path, anchor)) => (path, Some(anchor)),
                None => (target.as_str(), None),
            };
            let file = match path {
                "" => page.clone(),
                path => page.parent().unwrap_or(root()).join(path),
            };
            let place = format!("{}:{line}", shown(&page));
            if !file.exists() {
                faults.push(format!("{place}: no file {path}"));
            } else if let Some(anchor) = anchor
                && !anchors(&read(&file)).iter().any(|known| known == anchor)
            {
                faults.push(format!("{place}: {} has no heading #{anchor}", shown(&file)));
            }
        }
    }
    assert!(followed > 100, "only {followed} links were found");
    assert!(faults.is_empty(), "broken links:\n{}", faults.join("\n"));
}

/// The navigation of the site is a list of links too.
#[test]
fn the_navigation_names_every_page_of_the_guide() {
    let config = read(&root().join("mkdocs.yml"));
    let named: Vec<&str> = config
        .lines()
        .skip_while(|line| *line != "nav:")
        .filter_map(|line| line.rsplit_once(": ").map(|(_, path)| path.trim()))
        .filter(|path| path.ends_with(".md"))
        .collect();
    for path in &named {
        assert!(root().join(path).exists(), "mkdocs.yml names {path}, which does not exist");
    }
    for page in pages_below(&root().join("docs")) {
        let page = shown(&page);
        assert!(named.contains(&page.as_str()), "mkdocs.yml does not name {page}");
    }
}
