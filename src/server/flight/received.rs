//! Rows as clients send them, read with care: Arrow's reader takes it for granted that a message fits itself.

#[cfg(test)]
mod tests;

use std::future::poll_fn;
use std::task::Poll;

use arrow::array::RecordBatch;
use arrow::ipc::{self, root_as_message};
use arrow_flight::FlightData;
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use futures::{Stream, StreamExt, TryStreamExt};
use ocellus_trace::panics::unless_panic;
use tonic::Status;

/// Rows that a client sends, batch by batch.
pub(super) struct ReceivedRows {
    batches: FlightRecordBatchStream,
}

impl ReceivedRows {
    pub(super) fn of(messages: impl Stream<Item = Result<FlightData, Status>> + Send + 'static) -> ReceivedRows {
        let checked = messages.map(|message| message.and_then(checked));
        let checked = checked.map_err(|refused| FlightError::Tonic(Box::new(refused)));
        ReceivedRows { batches: FlightRecordBatchStream::new_from_flight_data(checked) }
    }

    /// The next batch; an error where a message is damaged.
    pub(super) async fn next(&mut self) -> Result<Option<RecordBatch>, Status> {
        // Arrow panics on bitmaps that are too short, and so on; nothing of the batch is used afterwards.
        let unfit = || Poll::Ready(Some(Err(damaged("its columns do not fit together"))));
        let batch = poll_fn(|context| {
            let polled = unless_panic(|| self.batches.poll_next_unpin(context));
            polled.map_or_else(unfit, |batch| batch.map_err(Status::from))
        });
        batch.await.transpose()
    }
}

/// The message itself, or an error where parts of it are not there.
fn checked(message: FlightData) -> Result<FlightData, Status> {
    if message.data_header.is_empty() {
        return Ok(message);
    }
    let header = root_as_message(&message.data_header).map_err(|error| damaged(&error.to_string()))?;
    let rows = header.header_as_record_batch().or_else(|| header.header_as_dictionary_batch()?.data());
    if rows.is_some_and(|rows| !is_within(&rows, message.data_body.len())) {
        return Err(damaged("a part of it lies outside of its body"));
    }
    Ok(message)
}

/// Whether all parts lie within a body of so many bytes.
fn is_within(rows: &ipc::RecordBatch<'_>, body: usize) -> bool {
    let is_inside = |offset: i64, length: i64| {
        let end = usize::try_from(offset).ok().zip(usize::try_from(length).ok());
        end.and_then(|(offset, length)| offset.checked_add(length)).is_some_and(|end| end <= body)
    };
    rows.buffers().is_none_or(|buffers| buffers.iter().all(|buffer| is_inside(buffer.offset(), buffer.length())))
}

fn damaged(words: &str) -> Status {
    Status::invalid_argument(format!("a message with rows is damaged: {words}"))
}
