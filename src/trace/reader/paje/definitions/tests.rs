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

/// Columns are what storing and planning cost: their number does not grow with that of the fields.
#[test]
fn extra_columns_are_bounded() {
    for count in [40_000, 80_000] {
        let mut lines = ["%EventDef PajeSetState 10", "% Time date", "% Type string", "% Container string"]
            .map(str::to_string)
            .to_vec();
        lines.extend((0..count).map(|number| format!("% E{number} int")));
        lines.extend(["% Value string", "%EndEventDef"].map(str::to_string));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (definitions, faults) = read(&lines);
        assert_eq!(definitions.extra_fields.len(), MOST_EXTRA_COLUMNS);
        let definition = definitions.find(b"10", super::super::lexer::pack(b"10")).expect("defined");
        assert_eq!((definition.roles.len(), definition.roles.last()), (count + 4, Some(&Role::Value)));
        assert_eq!(definition.roles.iter().filter(|role| **role == Role::Ignored).count(), count - MOST_EXTRA_COLUMNS);
        let [(Code::TooManyFields, message)] = faults.as_slice() else { panic!("{faults:?}") };
        assert!(message.starts_with(&format!("{} extra fields", count - MOST_EXTRA_COLUMNS)), "{message}");
    }
    // A field of two definitions is one column.
    let block = |id: &str| ["%EventDef PajeSetState ".to_string() + id, "% Extra int".into(), "%EndEventDef".into()];
    let lines = [block("1"), block("2")].concat();
    let (definitions, _) = read(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(definitions.extra_fields.len(), 1);
}
