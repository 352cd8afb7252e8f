//! Tests of `frontend`.

use super::*;

fn read(kind: u8, body: &[u8]) -> Result<PgWireFrontendMessage, PgError> {
    super::read(kind, Bytes::copy_from_slice(body))
}

#[test]
fn messages_are_read() {
    let query = read(b'Q', b"SELECT 1\0").expect("a message");
    assert!(matches!(query, PgWireFrontendMessage::Query(query) if query.query == "SELECT 1"));
    let parse = Parse::new(Some("a".to_string()), "b".to_string(), vec![23]);
    let read_parse = read(b'P', b"a\0b\0\0\x01\0\0\0\x17").expect("a message");
    assert!(matches!(read_parse, PgWireFrontendMessage::Parse(read) if read == parse));
    let describe = read(b'D', b"Sx\0").expect("a message");
    let expected = Describe::new(b'S', Some("x".to_string()));
    assert!(matches!(describe, PgWireFrontendMessage::Describe(describe) if describe == expected));
    let bound = read(b'B', b"\0s\0\0\x01\0\x01\0\x02\0\0\0\x01x\xff\xff\xff\xff\0\0").expect("a message");
    let PgWireFrontendMessage::Bind(bound) = bound else { panic!("no Bind") };
    assert_eq!(bound.parameters, [Some(Bytes::from_static(b"x")), None]);
    assert_eq!(format_of(&bound.parameter_format_codes, 1), FieldFormat::Binary);
    assert_eq!(format_of(&bound.result_column_format_codes, 1), FieldFormat::Text);
    assert_eq!(format_of(&[0, 1], 1), FieldFormat::Binary);
    assert_eq!(format_of(&[1, 1], 2), FieldFormat::Text);
}

#[test]
fn lengths_that_lie_are_refused() {
    let wrong: [(u8, &[u8]); 8] = [
        (b'Q', b"no zero"),
        (b'Q', b"a\0b"),
        (b'Q', b"\xff\0"),
        (b'P', b"a\0b\0\xff\xff\0\0"),
        (b'B', b"\0\0\0\0\0\x01\x7f\xff\xff\xff\0\0"),
        (b'B', b"\0\0\0\0\0\x01\xff\xff\xff\xf0\0\0"),
        (b'E', b"\0\0"),
        (b'~', b""),
    ];
    for (kind, body) in wrong {
        assert!(read(kind, body).is_err(), "{kind} {body:?}");
    }
}
