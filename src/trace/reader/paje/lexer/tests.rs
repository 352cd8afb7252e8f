//! Tests of `lexer`.

use super::*;

fn fields(line: &str) -> Vec<(String, FieldForm)> {
    let mut lexer = Lexer::new(line.as_bytes());
    let mut found = vec![];
    loop {
        let field = lexer.next_field();
        if field.is_end() {
            return found;
        }
        let text = &line.as_bytes()[field.range()];
        let form = if field.packed != 0 { FieldForm::Word } else { lexer.form };
        if field.packed != 0 {
            assert_eq!(field.packed, pack(text));
        }
        found.push((String::from_utf8_lossy(text).into_owned(), form));
    }
}

fn words(line: &str) -> Vec<String> {
    fields(line).into_iter().map(|(text, _)| text).collect()
}

#[test]
fn blanks_separate_words() {
    assert_eq!(words("10 0.5\tS  T1 \r\n"), ["10", "0.5", "S", "T1"]);
    assert_eq!(words("  a-long-word-of-many-bytes b\n"), ["a-long-word-of-many-bytes", "b"]);
    assert_eq!(words("\n"), Vec::<String>::new());
    assert_eq!(words(""), Vec::<String>::new());
}

#[test]
fn quotes_open_only_at_the_start_of_a_word() {
    assert_eq!(words("7 \"Thread 1\" x\"y\" \"\" \"a\"\"b\"\n"), ["7", "Thread 1", "x\"y\"", "", "a", "b"]);
    assert_eq!(fields("\"open end\r\nnext\n"), [("open end".to_string(), FieldForm::Unterminated)]);
}

#[test]
fn comments_start_after_a_blank_only() {
    assert_eq!(words("a#b c # d e\n"), ["a#b", "c"]);
    assert_eq!(words("# all\n"), Vec::<String>::new());
    assert_eq!(words("\"# in quotes\" #out\n"), ["# in quotes"]);
}

#[test]
fn control_characters_stay_in_the_word() {
    assert_eq!(
        fields("a\u{0}b c\n"),
        [("a\u{0}b".to_string(), FieldForm::Strange), ("c".to_string(), FieldForm::Word)]
    );
    assert_eq!(fields("abcdefgh\u{1}ij k\n")[0].0, "abcdefgh\u{1}ij");
}

/// The obvious twin: one byte at a time.
fn slow_fields(line: &[u8]) -> Vec<Vec<u8>> {
    let mut fields = vec![];
    let mut at = 0;
    while at < line.len() && line[at] != b'\n' {
        let byte = line[at];
        if matches!(byte, b' ' | b'\t' | b'\r') {
            at += 1;
        } else if byte == b'#' {
            break;
        } else if byte == b'"' {
            let mut field = vec![];
            at += 1;
            while at < line.len() && line[at] != b'"' && line[at] != b'\n' {
                field.push(line[at]);
                at += 1;
            }
            if at < line.len() && line[at] == b'"' {
                at += 1;
            } else if field.last() == Some(&b'\r') {
                field.pop();
            }
            fields.push(field);
        } else {
            let mut field = vec![];
            while at < line.len() && !matches!(line[at], b' ' | b'\t' | b'\r' | b'\n') {
                field.push(line[at]);
                at += 1;
            }
            fields.push(field);
        }
    }
    fields
}

proptest::proptest! {
    #[test]
    fn the_fast_lexer_equals_the_slow_one(line in "[ -#a-c0-9\t\r\u{0}\u{1}é]{0,60}") {
        let line = format!("{line}\n").into_bytes();
        let mut lexer = Lexer::new(&line);
        let mut found = vec![];
        loop {
            let field = lexer.next_field();
            if field.is_end() {
                break;
            }
            found.push(line[field.range()].to_vec());
        }
        proptest::prop_assert_eq!(found, slow_fields(&line));
    }
}
