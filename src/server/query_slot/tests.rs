//! Tests of `query_slot`: what a query that was stopped still holds.

use std::sync::Condvar;

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{ColumnarValue, Volatility, create_udf};

use super::*;
use crate::loopback::{Loopback, run};
use crate::session::ServerSession;
use crate::session_engine::Setup;
use crate::{ServerLimits, ServiceOptions};

/// A step that takes as long as somebody wants.
#[derive(Debug, Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().expect("a gate") = true;
        self.opened.notify_all();
    }

    fn wait(&self) {
        let is_open = self.is_open.lock().expect("a gate");
        drop(self.opened.wait_while(is_open, |is_open| !*is_open).expect("a gate"));
    }
}

/// A session whose function `gate()` waits, and does not hear that its query has ended.
fn session(server: &Loopback, gate: &Arc<Gate>) -> ServerSession {
    let gate = Arc::clone(gate);
    let setup: Setup = Arc::new(move |context| {
        let gate = Arc::clone(&gate);
        let wait = move |_: &[ColumnarValue]| {
            gate.wait();
            Ok(ColumnarValue::Scalar(ScalarValue::Int64(Some(1))))
        };
        context.register_udf(create_udf("gate", vec![], DataType::Int64, Volatility::Volatile, Arc::new(wait)));
        Ok(())
    });
    ServerSession::open(&server.service, None, setup).expect("a session")
}

async fn rows(session: &ServerSession, sql: &str) -> Result<usize, ServerError> {
    let batches = session.run_text(sql).await?.collect().await?;
    Ok(batches.iter().map(|batch| batch.num_rows()).sum())
}

fn one_query() -> ServiceOptions {
    let limits = ServerLimits { queries: 1, query_time: Duration::from_secs(1), ..ServerLimits::default() };
    ServiceOptions { limits, ..ServiceOptions::default() }
}

#[test]
fn what_cannot_be_stopped_keeps_its_slot_and_is_counted() {
    run(async {
        let server = Loopback::start(one_query()).await;
        let gate = Arc::new(Gate::default());
        let session = session(&server, &gate);
        let error = rows(&session, "SELECT gate()").await.expect_err("the time is up");
        assert!(error.to_string().contains("took longer"), "{error}");
        assert_eq!(server.service.metrics.running(), 1, "it still works");
        let error = rows(&session, "SELECT 1").await.expect_err("there is no slot");
        assert!(error.to_string().contains("no slot was free"), "{error}");
        gate.open();
        server.until_idle().await;
        assert_eq!(rows(&session, "SELECT 1").await.expect("a slot again"), 1);
        drop(session);
        server.stop().await;
    });
}

#[test]
fn planning_and_long_functions_stop_with_their_query() {
    run(async {
        let server = Loopback::start(one_query()).await;
        let session = session(&server, &Arc::default());
        // 10¹¹ steps, of which one row has 10⁸.
        let long = "SELECT sum(levenshtein(repeat('a', 20000 + CAST(n AS INT) % 2), repeat('b', 5000))) \
                    FROM range(0, 1000) AS r(n)";
        // A recursion without end, which waits for nobody.
        let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r";
        for sql in [long, endless] {
            assert!(rows(&session, sql).await.is_err());
            server.until_idle().await;
        }
        assert_eq!(rows(&session, "SELECT 1").await.expect("a slot"), 1);
        drop(session);
        server.stop().await;
    });
}
