//! Tests of `definitions`.

use super::*;

fn read(lines: &[&str]) -> (Arc<EventDefinitions>, Vec<HeaderFault>) {
    let mut reader = HeaderReader::default();
    let mut faults = vec![];
    for line in lines {
        reader.line(line.as_bytes(), &mut faults);
    }
    (reader.definitions(&mut faults), faults)
}

#[test]
fn blocks_become_definitions() {
    let (definitions, faults) = read(&[
        "%EventDef\tPajeSetState\t10",
        "%  Time date",
        "% Type string\r",
        "%Container string",
        "  %  Value string",
        "% FileName string",
        "%EndEventDef",
    ]);
    assert!(faults.is_empty(), "{faults:?}");
    let definition = definitions.find(b"10", super::super::lexer::pack(b"10")).expect("defined");
    assert_eq!(definition.kind, Some(EventKind::SetState));
    assert_eq!(definition.missing, None);
    assert_eq!(
        definition.roles,
        [Role::Time, Role::Type, Role::Container, Role::Value, Role::Extra(0, FieldKind::Text)]
    );
    assert_eq!(definitions.extra_fields[0].column, "file_name");
}

#[test]
fn faults_are_told() {
    let codes = |lines: &[&str]| read(lines).1.into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    assert_eq!(codes(&["% Time date"]), [Code::BadDefinition]);
    assert_eq!(codes(&["%EndEventDef"]), [Code::BadDefinition]);
    assert_eq!(codes(&["%EventDef A 1"]), [Code::OpenDefinition]);
    assert_eq!(codes(&["%EventDef A"]), [Code::BadDefinition]);
    assert_eq!(codes(&["%"]), [Code::BadDefinition]);
    assert_eq!(codes(&["%EventDef A 1", "% X blob", "%EndEventDef"]), [Code::BadField]);
    assert_eq!(codes(&["%EventDef A 1", "%EndEventDef", "%EventDef B 1", "%EndEventDef"]), [Code::RedefinedEvent]);
}
