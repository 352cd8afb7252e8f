//! The quick parser against the one that understands everything.

use std::fmt::Debug;

use super::super::definitions::{EventDefinitions, HeaderReader};
use super::super::parser;
use super::super::plan::Plans;
use super::super::symbols::Symbols;
use super::*;
use crate::model::{EventBatch, EventKind};

const HEADER: &str = "\
%EventDef PajePushState 1\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef
%EventDef PajePopState 2\n% Time date\n% Container string\n% Type string\n% Line int\n%EndEventDef
%EventDef PajeSetVariable 3\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef
%EventDef PajeStartLink 4\n% Time date\n% Type string\n% Container string\n% Value string
% StartContainer string\n% Key string\n% Size int\n%EndEventDef
%EventDef PajeEndLink 1234567\n% Time date\n% Type string\n% Container string\n% Value string
% Key string\n% EndContainer string\n%EndEventDef\n";

fn definitions() -> EventDefinitions {
    let mut reader = HeaderReader::default();
    let mut faults = vec![];
    HEADER.lines().for_each(|line| reader.line(line.as_bytes(), &mut faults));
    EventDefinitions::clone(&reader.definitions(&mut faults))
}

fn without_plans(definitions: &EventDefinitions) -> EventDefinitions {
    let mut plain = definitions.clone();
    plain.plans = Plans::default();
    plain
}

/// Everything that a batch holds, with words and not their numbers.
fn content_of(text: &[u8], definitions: &EventDefinitions) -> impl Debug + PartialEq + use<> {
    let (mut symbols, mut batch) = (Symbols::default(), EventBatch::default());
    parser::parse(text, 0, definitions, Clock::default(), &mut symbols, &mut batch);
    let word = |symbol: Symbol| (symbol.is_some(), batch.symbol(symbol).to_vec());
    let event = |event: &Event| {
        let is_link = matches!(event.kind, EventKind::StartLink | EventKind::EndLink);
        let payload = if is_link { batch.bytes(event.key()).to_vec() } else { event.payload.to_le_bytes().to_vec() };
        let words = [event.type_, event.container, event.value, event.other].map(word);
        (event.kind, event.tick, words, payload, batch.extras(event).to_vec(), event.line, event.byte)
    };
    let events: Vec<_> = batch.events.iter().map(event).collect();
    (events, batch.faults.clone(), batch.lines, batch.event_lines, batch.rounded)
}

#[test]
fn usual_lines_need_nobody_else() {
    let definitions = definitions();
    let text = b"1 0.5 S T1 run\n2 12.123456789 T1 S 17\r\n3 3 V T1 -2.5\n\
        4 0.25 L 0 msg T1 a-rather-long-key-of-31-bytes-x 1000\n1234567 1 L 0 msg k a-long-container-name\n# the end\n";
    let (mut symbols, mut batch) = (Symbols::default(), EventBatch::default());
    parser::parse(text, 0, &definitions, Clock::default(), &mut symbols, &mut batch);
    assert_eq!((batch.events.len(), batch.faults.len(), batch.lines), (5, 0, 6));
    let plain = without_plans(&definitions);
    assert_eq!(format!("{:?}", content_of(text, &definitions)), format!("{:?}", content_of(text, &plain)));
    let rest = LineRest(b"2 12.123456789 T1 S\n        ");
    assert!(rest.id().is_some_and(|(id, rest)| {
        id == u64::from(b'2')
            && rest.time(9).is_some_and(|(tick, rest)| {
                tick == 12_123_456_789 && rest.word(0).is_some_and(|(word, _)| word.0 == 0x3154)
            })
    }));
}

proptest::proptest! {
    /// The twin is the parser without plans.
    #[test]
    fn the_quick_parser_equals_the_slow_one(
        lines in proptest::collection::vec(
            ("(1|2|3|4|1234567|12345678|#1|7)", "[0-9]{1,11}(\\.[0-9]{0,11})?|-1|1e2",
             proptest::collection::vec("[a-c]{1,3}|[a-z]{6,9}|[0-9]{1,9}|-?[0-9]{1,4}\\.[0-9]|\"a b\"|#|x\"|é{1,9}|[!-~]{1,18}|\u{1}|NA", 1..8),
             "( |  |\t)", "(\n|\n|\n|\r\n| \n|\n\n)"),
            0..30),
    ) {
        let mut text = String::new();
        for (id, time, words, odd, end) in lines {
            let blank = |place: usize| if place % 7 == 3 { odd.as_str() } else { " " };
            text.push_str(&format!("{id} {time}"));
            for (place, word) in words.iter().enumerate() {
                text.push_str(blank(place + words.len()));
                text.push_str(word);
            }
            text.push_str(&end);
        }
        let definitions = definitions();
        let plain = without_plans(&definitions);
        proptest::prop_assert_eq!(content_of(text.as_bytes(), &definitions), content_of(text.as_bytes(), &plain));
    }
}
