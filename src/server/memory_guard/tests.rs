//! Tests of `memory_guard`: which queries are stopped, and that they are.

use arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use ocellus_planning::check_cancelled;

use super::*;
use crate::ServiceOptions;
use crate::loopback::{Loopback, run};
use crate::session::ServerSession;
use crate::session_engine::Setup;

const MIB: usize = 1 << 20;

/// Bounds of 1.5 GiB for a query and 6 GiB for all; 128 MiB are small.
fn bounds() -> MemoryBounds {
    MemoryBounds::new(&ServerLimits { query_memory: 1024 * MIB, memory: 4096 * MIB, ..ServerLimits::default() })
}

fn running(mebibytes: usize) -> Holding {
    Holding { bytes: mebibytes * MIB, stopped: None }
}

fn stopped(mebibytes: usize, milliseconds: u64) -> Holding {
    Holding { bytes: mebibytes * MIB, stopped: Some(Duration::from_millis(milliseconds)) }
}

#[test]
fn bounds_are_half_above_limits_and_a_margin_at_least() {
    let bounds = bounds();
    assert_eq!((bounds.query, bounds.all, bounds.small), (1536 * MIB, 6144 * MIB, 128 * MIB));
    let small = ServerLimits { query_memory: 64 * MIB, memory: usize::MAX, ..ServerLimits::default() };
    let small = MemoryBounds::new(&small);
    assert_eq!((small.query, small.all), (320 * MIB, usize::MAX));
}

#[test]
fn nobody_is_stopped_below_the_bounds() {
    assert_eq!(excesses(&bounds(), 6144 * MIB, &[running(1536), running(1500), running(3)]), []);
    assert_eq!(excesses(&bounds(), 0, &[]), []);
}

#[test]
fn a_query_above_its_own_bound_is_stopped_alone() {
    let found = excesses(&bounds(), 3000 * MIB, &[running(1000), running(1537), running(3)]);
    assert_eq!(found, [(1, Excess::OfQuery)]);
}

#[test]
fn of_all_the_largest_are_stopped_until_the_rest_fits() {
    // 7000 without 700 is still more than 6144, without 600 more it is not.
    let found = excesses(&bounds(), 7000 * MIB, &[running(500), running(600), running(700), running(400)]);
    assert_eq!(found, [(2, Excess::OfAll), (1, Excess::OfAll)]);
}

#[test]
fn what_was_stopped_just_now_is_expected_to_be_free() {
    assert_eq!(excesses(&bounds(), 7000 * MIB, &[running(500), stopped(900, 100)]), []);
}

#[test]
fn what_was_stopped_and_does_not_end_counts() {
    assert_eq!(excesses(&bounds(), 7000 * MIB, &[running(500), stopped(900, 251)]), [(0, Excess::OfAll)]);
}

#[test]
fn small_queries_go_on_whatever_others_hold() {
    assert_eq!(excesses(&bounds(), 9000 * MIB, &[running(128), running(1), stopped(8000, 1000)]), []);
}

#[tokio::test]
async fn a_query_that_is_stopped_hears_why() {
    let guard = MemoryGuard::new(&ServerLimits::default());
    let query = guard.admit();
    let heard = query.stop.clone();
    query.stop.stop(ServerError::too_much_memory(5 * MIB));
    query.stop.stop(ServerError::short_of_memory(6 * MIB));
    assert_eq!(heard.requested().await, ServerError::too_much_memory(5 * MIB));
    assert_eq!(guard.look(), 1);
    drop(query);
    assert_eq!(guard.look(), 0);
}

/// A function that takes memory of which no pool knows, until its query is cancelled.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Hoard {
    signature: Signature,
}

impl ScalarUDFImpl for Hoard {
    fn name(&self) -> &str {
        "hoard"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let mut blocks = vec![];
        for _ in 0..2048 {
            check_cancelled(&arguments.config_options)?;
            blocks.push(vec![1_u8; MIB]);
            std::thread::sleep(Duration::from_millis(1));
        }
        exec_err!("nobody stops it at {} MiB", blocks.len())
    }
}

#[test]
fn a_query_that_holds_what_no_pool_knows_is_stopped() {
    run(async {
        let limits = ServerLimits { query_memory: 64 * MIB, ..ServerLimits::default() };
        let server = Loopback::start(ServiceOptions { limits, ..ServiceOptions::default() }).await;
        let setup: Setup = Arc::new(|context| {
            let signature = Signature::new(TypeSignature::Nullary, Volatility::Volatile);
            context.register_udf(ScalarUDF::from(Hoard { signature }));
            Ok(())
        });
        let session = ServerSession::open(&server.service, None, setup).expect("a session");
        let asked = async |sql: &str| session.run_text(sql).await?.collect().await;
        let error = asked("SELECT hoard()").await.expect_err("it holds too much");
        assert_eq!(error.sqlstate(), "53200", "{error}");
        assert!(error.to_string().contains("much more than it may"), "{error}");
        server.until_idle().await;
        asked("SELECT 1").await.expect("others go on");
        drop(session);
        server.stop().await;
    });
}
