//! Tests of `frontend`.

use super::*;

fn read(kind: u8, body: &[u8]) -> Result<FrontendMessage, PgError> {
    FrontendMessage::read(kind, Bytes::copy_from_slice(body))
}

#[test]
fn messages_are_read() {
    assert_eq!(read(b'Q', b"SELECT 1\0"), Ok(FrontendMessage::Query("SELECT 1".to_string())));
    let parse = FrontendMessage::Parse { name: "a".to_string(), text: "b".to_string(), types: vec![23] };
    assert_eq!(read(b'P', b"a\0b\0\0\x01\0\0\0\x17"), Ok(parse));
    assert_eq!(read(b'D', b"Sx\0"), Ok(FrontendMessage::Describe(DescribeTarget::Statement("x".to_string()))));
    let bound = read(b'B', b"\0s\0\0\x01\0\x01\0\x02\0\0\0\x01x\xff\xff\xff\xff\0\0").expect("a message");
    let FrontendMessage::Bind(bound) = bound else { panic!("no Bind") };
    assert_eq!(bound.parameters, [Some(Bytes::from_static(b"x")), None]);
    assert_eq!(bound.parameter_format(1), ValueFormat::Binary);
    assert_eq!(bound.result_formats(2), [ValueFormat::Text, ValueFormat::Text]);
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
