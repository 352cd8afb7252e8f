//! Tests of `events`.

use super::*;
use crate::reader::otf2::bytes::ByteOrder;

fn event(code: u8, body: &[u8]) -> ReadResult<Option<EventRecord>> {
    decode(code, &mut RecordBytes::new(body, ByteOrder::Little), &LocationDefinitions::default())
}

#[test]
fn records_are_read_by_their_layout() {
    assert_eq!(event(12, &[1, 7]), Ok(Some(EventRecord::Enter(7))));
    let message = MessageRecord { peer: 3, comm: 0, tag: 9, bytes: 256 };
    assert_eq!(event(15, &[1, 3, 0, 1, 9, 2, 0, 1, 1, 5]), Ok(Some(EventRecord::Send(message))));
    let values = vec![-1.0, 2.0, 0.5];
    let half = 0.5_f64.to_bits().to_le_bytes();
    let mut body = vec![1, 4, 3, 8, 0xff, 4, 1, 2, 10, 8];
    body.extend(half);
    assert_eq!(event(31, &body), Ok(Some(EventRecord::Metric { metric: 4, values })));
    let put = event(46, &[1, 1, 1, 2, 1, 64, 1, 9]);
    let Ok(Some(EventRecord::Other(layout, values))) = put else { panic!("{put:?}") };
    assert_eq!((layout.name, values), ("RmaPut", [1, 2, 64, 9, 0, 0]));
    assert_eq!(event(200, &[]), Ok(None));
    assert_eq!(event(46, &[1, 1]), Err(Malformed));
}

#[test]
fn attributes_of_every_type_are_read() {
    let body = [1, 3, 1, 0, 5, 0xfe, 1, 1, 11, 1, 6, 1, 2, 2, 1, 2];
    let read = attributes(&mut RecordBytes::new(&body, ByteOrder::Little), &LocationDefinitions::default());
    let expected =
        [(0, AttributeValue::Int(-2)), (1, AttributeValue::Id(Mapping::String, 6)), (2, AttributeValue::UInt(513))];
    let expected: Vec<Attribute> = expected.map(|(attribute, value)| Attribute { attribute, value }).into();
    assert_eq!(read, Ok(expected));
    assert_eq!(
        attributes(&mut RecordBytes::new(&[1, 1, 1, 0, 99], ByteOrder::Little), &LocationDefinitions::default()),
        Err(Malformed)
    );
}
