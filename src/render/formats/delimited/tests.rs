//! Tests of `delimited`.

use crate::formats::testing::{awkward, nothing, null_as, text_of};
use crate::formats::{ResultFormat, TextStyle};

#[test]
fn csv_quotes_what_needs_it_and_leaves_null_empty() {
    let batch = awkward();
    let text = text_of(ResultFormat::Csv, &TextStyle::default(), &batch.schema(), std::slice::from_ref(&batch));
    assert_eq!(
        text,
        "id,text,wide,seconds,list,state,open\n\
             1,\"a,\"\"b\"\"\n|\",日本,0.1,\"[1, NULL, 3]\",run,true\n\
             ,\"\",é,2.0,,,false\n"
    );
}

#[test]
fn null_has_the_text_that_the_user_wants() {
    let batch = awkward();
    let text = text_of(ResultFormat::Csv, &null_as("run"), &batch.schema(), std::slice::from_ref(&batch));
    assert!(text.contains(",\"run\",true\n"), "a text like the NULL is quoted: {text}");
    assert!(text.ends_with("run,\"\",é,2.0,run,run,false\n"), "{text}");
}

#[test]
fn tsv_has_tabs_and_quotes_only_what_it_must() {
    let batch = awkward();
    let text = text_of(ResultFormat::Tsv, &TextStyle::default(), &batch.schema(), std::slice::from_ref(&batch));
    assert!(text.starts_with("id\ttext\twide\t"), "{text}");
    assert!(text.contains("\t[1, NULL, 3]\t"), "a comma needs no quotes: {text}");
}

#[test]
fn an_empty_result_has_its_header() {
    assert_eq!(text_of(ResultFormat::Csv, &TextStyle::default(), &nothing(), &[]), "n,name\n");
}
