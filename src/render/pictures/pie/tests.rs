//! Tests of `pie`.

use super::*;

fn texts(lengths: [&str; 2], room: f64) -> PieTexts {
    PieTexts::new(&["rank-0", "rank-10"], &lengths.map(str::to_string), room)
}

/// Names are never cut for the sake of a time.
#[test]
fn a_time_that_all_have_is_said_once() {
    let same = texts(["252 ms", "252 ms"], 60.0);
    assert_eq!(
        (same.note.as_str(), same.lines),
        (", 252 ms each", vec![vec!["rank-0".to_string()], vec!["rank-10".into()]])
    );
}

#[test]
fn times_that_differ_stand_below_names_where_a_line_is_too_short() {
    let wide = texts(["1 s", "2 s"], 200.0);
    assert_eq!((wide.most_lines(), wide.lines[1][0].as_str(), wide.note.as_str()), (1, "rank-10: 2 s", ""));
    let narrow = texts(["1 s", "2 s"], 60.0);
    assert_eq!(narrow.lines, [["rank-0".to_string(), "1 s".to_string()], ["rank-10".to_string(), "2 s".to_string()]]);
}
