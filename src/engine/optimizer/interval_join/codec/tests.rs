//! Tests of `codec`.

use super::*;
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::physical_plan::displayable;
use datafusion::physical_plan::empty::EmptyExec;

fn input(names: [&str; 3]) -> Arc<dyn ExecutionPlan> {
    let [key, start, end] = names;
    let time = |name: &str| Field::new(name, DataType::Float64, true);
    let schema = Schema::new(vec![time(start), Field::new(key, DataType::Int32, true), time(end)]);
    Arc::new(EmptyExec::new(Arc::new(schema)))
}

fn shape(join_type: JoinType, projection: Option<Vec<usize>>) -> JoinSpec {
    let side = || SideColumns { keys: vec![1], start: 0, end: 2 };
    JoinSpec { join_type, left: side(), right: side(), projection }
}

#[test]
fn operators_come_back_as_they_were() {
    let inputs = [input(["a", "b", "c"]), input(["d", "e", "f"])];
    let index = |join_type, projection, indexed| -> Arc<dyn ExecutionPlan> {
        let (left, right) = (Arc::clone(&inputs[0]), Arc::clone(&inputs[1]));
        Arc::new(IntervalJoinExec::new(left, right, shape(join_type, projection), indexed).expect("a join"))
    };
    let sweep =
        IntervalSweepExec::new(Arc::clone(&inputs[0]), Arc::clone(&inputs[1]), shape(JoinType::Left, Some(vec![5, 0])));
    for plan in [
        index(JoinType::Inner, None, JoinSide::Left),
        index(JoinType::Inner, Some(vec![6, 1, 7]), JoinSide::Right),
        index(JoinType::LeftAnti, Some(vec![]), JoinSide::Right),
        index(JoinType::RightSemi, None, JoinSide::Left),
        Arc::new(sweep.expect("a join")),
    ] {
        let bytes = encode(plan.as_ref()).expect("no error").expect("a known operator");
        let decoded = decode(&bytes, &inputs).expect("an operator");
        let shown = |plan: &dyn ExecutionPlan| displayable(plan).indent(true).to_string();
        assert_eq!(shown(decoded.as_ref()), shown(plan.as_ref()));
        assert_eq!(decoded.schema(), plan.schema());
    }
    assert!(encode(inputs[0].as_ref()).expect("no error").is_none());
}

#[test]
fn bytes_that_do_not_fit_are_refused() {
    let inputs = [input(["a", "b", "c"]), input(["d", "e", "f"])];
    let good = r#"{"method":"sweep","kind":"Inner","left":{"keys":[1],"start":0,"end":2},"right":{"keys":[1],"start":0,"end":2},"projection":null}"#;
    assert!(decode(good.as_bytes(), &inputs).is_ok());
    assert!(decode(good.as_bytes(), &inputs[..1]).is_err());
    for (from, to) in [("sweep", "wish"), ("Inner", "Outer"), ("[1]", "[]"), ("\"end\":2", "\"end\":3"), ("{", "")] {
        assert!(decode(good.replacen(from, to, 1).as_bytes(), &inputs).is_err(), "{from} became {to}");
    }
}
