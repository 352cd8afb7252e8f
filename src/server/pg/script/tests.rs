//! Tests of `script`.

use datafusion::common::ScalarValue;

use super::super::super::parameters::literal;
use super::*;

#[test]
fn statements_are_cut_at_semicolons() {
    let texts = |text: &str| {
        split_script(text).expect("statements").into_iter().map(|statement| statement.text).collect::<Vec<_>>()
    };
    assert_eq!(texts(" ; ;"), Vec::<String>::new());
    assert_eq!(
        texts("SELECT ';' /* ; */;\n -- ;\n SELECT $$a;b$$ ;"),
        ["SELECT ';' /* ; */".trim_end_matches(" /* ; */"), "SELECT $$a;b$$"]
    );
    assert_eq!(split_script("é; SELECT 1").expect("statements")[1].before, 3);
    assert!(split_script("SELECT 'open").is_err());
}

#[test]
fn parameters_are_replaced_outside_of_texts() {
    let template = split_script("SELECT $2, '$1', \"$1\", $1::int -- $3").expect("statements").remove(0).template();
    assert_eq!(template.count(), 2);
    let limited = split_script("SELECT $1 LIMIT $2 OFFSET $3").expect("statements").remove(0);
    assert_eq!(limited.counts(), [2, 3]);
    assert_eq!(template.with(|number| format!("<{number}>")), "SELECT  <2> , '$1', \"$1\",  <1> ::int");
}

#[test]
fn quotes_hold_any_text() {
    let hostile = "x'); DROP TABLE states; -- \\' $1 é";
    let text = format!("SELECT {}", literal(&ScalarValue::from(hostile)).expect("a literal"));
    let found = split_script(&text).expect("statements");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].tokens.len(), 2);
    assert_eq!(found[0].template().count(), 0);
}
