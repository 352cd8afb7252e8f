//! Tests of `received`.

use std::sync::Arc;

use arrow::array::{Int64Array, StringArray};
use arrow_flight::encode::FlightDataEncoderBuilder;

use super::*;

async fn messages() -> Vec<FlightData> {
    let texts: StringArray = ["a", "bc"].iter().copied().map(Some).collect();
    let rows = RecordBatch::try_from_iter([
        ("number", Arc::new(Int64Array::from(vec![1, 2])) as _),
        ("text", Arc::new(texts) as _),
    ])
    .expect("a batch");
    let encoded = FlightDataEncoderBuilder::new().build(futures::stream::iter([Ok(rows)]));
    encoded.try_collect().await.expect("messages")
}

#[tokio::test]
async fn whole_messages_are_taken_and_cut_ones_refused() {
    let messages = messages().await;
    assert_eq!(messages.len(), 2);
    for message in &messages {
        assert!(checked(message.clone()).is_ok());
    }
    let body = messages[1].data_body.len();
    for cut in 0..body {
        let message = FlightData { data_body: messages[1].data_body.slice(..cut), ..messages[1].clone() };
        // The last bytes may be padding that no part needs.
        if cut + 64 <= body {
            let refused = checked(message).expect_err("a part is missing");
            assert!(refused.message().contains("damaged"), "{refused}");
        }
    }
}

/// How many rows messages have.
async fn read(messages: [FlightData; 2]) -> Result<usize, Status> {
    let mut received = ReceivedRows::of(futures::stream::iter(messages.map(Ok)));
    let mut rows = 0;
    while let Some(batch) = received.next().await? {
        rows += batch.num_rows();
    }
    Ok(rows)
}

#[tokio::test]
async fn damaged_heads_do_not_end_the_task() {
    let messages: [FlightData; 2] = messages().await.try_into().expect("a schema and rows");
    assert_eq!(read(messages.clone()).await.expect("rows"), 2);
    let mut refused = 0;
    for at in 0..messages[1].data_header.len() {
        for bits in [1_u8, 0x40, 0x80, 0xff] {
            let mut damaged = messages.clone();
            let mut header = damaged[1].data_header.to_vec();
            header[at] ^= bits;
            damaged[1].data_header = header.into();
            refused += usize::from(read(damaged).await.is_err());
        }
    }
    assert!(refused > 100, "{refused} of them");
}
