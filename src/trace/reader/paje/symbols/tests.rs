//! Tests of `symbols`.

use super::super::lexer::Lexer;
use super::*;
use std::collections::HashMap;

#[test]
fn equal_words_get_equal_symbols_across_growth_and_batches() {
    let mut symbols = Symbols::default();
    for round in 0..3 {
        symbols.clear();
        let mut batch = EventBatch::default();
        let line: String = (0..5000).map(|i| format!("w{} a-rather-long-word-{} ", i % 1700, i % 900)).collect();
        let mut lexer = Lexer::new(line.as_bytes());
        let mut expected: HashMap<&[u8], Symbol> = HashMap::new();
        loop {
            let field = lexer.next_field();
            if field.is_end() {
                break;
            }
            let word = &line.as_bytes()[field.range()];
            let (symbol, novelty) = symbols.intern(word, field.packed, &mut batch);
            assert_eq!(batch.symbol(symbol), word);
            match expected.insert(word, symbol) {
                Some(before) => assert_eq!((before, Novelty::Known), (symbol, novelty)),
                None => assert_eq!(novelty, Novelty::New),
            }
        }
        assert_eq!(batch.symbols.len(), 2600, "round {round}");
    }
}
