//! Tests of `views`.

use crate::functions::registry;

/// The columns that the comment on top of a query lists: `-- name  what it is`.
fn commented(sql: &str) -> Vec<&str> {
    let comment = sql.lines().map_while(|line| line.strip_prefix("--"));
    let paragraph = comment.skip_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix(' '));
    paragraph.filter_map(|line| line.split_once("  ")).map(|(name, _)| name).filter(|name| !name.is_empty()).collect()
}

#[test]
fn the_query_and_the_definition_tell_the_same_columns() {
    for view in registry::VIEWS {
        let documented: Vec<&str> = view.definition.columns.iter().map(|column| column.name).collect();
        assert_eq!(commented(view.sql), documented, "{}", view.definition.name);
    }
}
