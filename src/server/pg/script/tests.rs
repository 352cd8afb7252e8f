//! Tests of `script`.

use super::*;

#[test]
fn statements_are_cut_at_semicolons() {
    let texts = |text: &str| pieces(text).expect("pieces").into_iter().map(|piece| piece.text).collect::<Vec<_>>();
    assert_eq!(texts(" ; ;"), Vec::<String>::new());
    assert_eq!(
        texts("SELECT ';' /* ; */;\n -- ;\n SELECT $$a;b$$ ;"),
        ["SELECT ';' /* ; */".trim_end_matches(" /* ; */"), "SELECT $$a;b$$"]
    );
    assert_eq!(pieces("é; SELECT 1").expect("pieces")[1].before, 3);
    assert!(pieces("SELECT 'open").is_err());
}

#[test]
fn parameters_are_replaced_outside_of_texts() {
    let template = pieces("SELECT $2, '$1', \"$1\", $1::int -- $3").expect("pieces").remove(0).template();
    assert_eq!(template.parameters(), 2);
    let limited = pieces("SELECT $1 LIMIT $2 OFFSET $3").expect("pieces").remove(0).template();
    assert_eq!([limited.count(1), limited.count(2), limited.count(3)], [None, Some(Type::INT8), Some(Type::INT8)]);
    assert_eq!(template.with(|number| format!("<{number}>")), "SELECT  <2> , '$1', \"$1\",  <1> ::int");
}

#[test]
fn quotes_hold_any_text() {
    let hostile = "x'); DROP TABLE states; -- \\' $1 é";
    let text = format!("SELECT {}", quoted(hostile));
    let found = pieces(&text).expect("pieces");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].words.len(), 2);
    assert_eq!(found[0].template().parameters(), 0);
}
