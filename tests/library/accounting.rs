//! Every event line is in a table or in the diagnostics: counted against the rows of the store.
//!
//! The ids of the events are words, so that no flipped bit turns one event into another: each accepted
//! `event` and `state` line is one row, each link two lines, and what is left must have been lost.

use std::fs;

use ocellus::diagnostics::Code;
use ocellus::import::{ImportOptions, TraceSource, import};

use crate::support::empty_store;

const HEADER: &str = "\
%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEventType 3
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 4
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 5
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState state
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeNewEvent event
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeStartLink first
% Time date
% Type string
% Container string
% Value string
% StartContainer string
% Key string
%EndEventDef
%EventDef PajeEndLink second
% Time date
% Type string
% Container string
% Value string
% EndContainer string
% Key string
%EndEventDef
";
const STRUCTURE: [&str; 6] =
    ["1 P 0 Process", "2 S P State", "3 E P Event", "4 L 0 P P Link", "5 -9999999 a P 0 one", "5 -9999999 b P 0 two"];

fn body() -> String {
    (0..60)
        .flat_map(|i| {
            let (here, there) = if i % 2 == 0 { ("a", "b") } else { ("b", "a") };
            [
                format!("state {i}.25 S {here} run{}", i % 3),
                format!("event {i}.5 E {here} tick"),
                format!("first {i}.5 L 0 mail {here} k{i}"),
                format!("second {i}.75 L 0 mail {there} k{i}"),
            ]
        })
        .map(|line| line + "\n")
        .collect()
}

/// xorshift: the same flips in every run.
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize
}

#[test]
fn accepted_lines_are_rows_and_the_others_are_diagnostics() {
    let (folder, store) = empty_store();
    let trace = folder.path().join("x.trace");
    let mut lossy = 0;
    for seed in 0..80_u64 {
        let mut state = seed * 7919 + 1;
        let mut body = body().into_bytes();
        for _ in 0..seed % 20 {
            let place = next(&mut state) % body.len();
            body[place] ^= 1 << (next(&mut state) % 8);
        }
        let text = [HEADER.as_bytes(), STRUCTURE.join("\n").as_bytes(), b"\n", &body].concat();
        fs::write(&trace, text).expect("a trace");
        let options = ImportOptions { name: Some(format!("t{seed}")), ..ImportOptions::default() };
        let summary = import(&TraceSource::Path(trace.clone()), &store, &options).expect("an import");
        let found = &summary.trace;
        let headers: u64 =
            summary.diagnostics.iter().filter(|d| d.code == Code::BadDefinition).map(|d| d.occurrences).sum();
        let lost = found.count("lost_lines") - headers;
        let rows = found.rows("states") + found.rows("events") + 2 * found.rows("links");
        assert_eq!(STRUCTURE.len() as u64 + rows + lost, found.count("event_lines"), "seed {seed}");
        if seed % 20 == 0 {
            assert_eq!((lost, rows), (0, 240), "seed {seed}");
        }
        lossy += u64::from(lost > 0);
    }
    assert!(lossy > 40, "the flips must hurt: {lossy}");
}
