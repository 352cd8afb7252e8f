//! The types of TSDL.
//!
//! ```text
//! declaration = (typealias type := names | typedef type declarator | type) ;
//! type        = integer { … } | floating_point { … } | string [{ … }] | struct [name] [{ member* }] [align(n)]
//!             | enum [name] [: type] [{ label [= n [... n]] , … }] | variant [name] [< names >] [{ member* }] | names
//! member      = type declarator (, declarator)* ;
//! declarator  = name ([ n | names ])*
//! ```
//! In: tokens. Out: field classes.
// size: the types of one grammar, which contain each other

use std::collections::BTreeMap;
use std::sync::Arc;

use super::classes::{
    BytesOrder, FieldClass, FieldLength, FieldReference, FieldScope, IntegerClass, MOST_COPIES, StructClass,
    VariantOption,
};
use super::tokens::TsdlToken;

/// How deep types may lie in each other.
const DEEPEST: usize = 48;
/// The largest alignment that makes sense, in bits.
const LARGEST_ALIGN: i128 = 1 << 16;

/// The tokens are not what they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unexpected;

/// The result of a parser.
pub(super) type ParseResult<T> = Result<T, Unexpected>;

/// Reads tokens from the front, and knows the types that were named.
pub(super) struct TsdlParser<'a> {
    tokens: &'a [TsdlToken],
    at: usize,
    order: BytesOrder,
    /// From the outermost inwards.
    scopes: Vec<BTreeMap<String, FieldClass>>,
    depth: usize,
    /// Classes that were copied so far.
    copies: usize,
}

impl<'a> TsdlParser<'a> {
    pub fn new(tokens: &'a [TsdlToken], order: BytesOrder) -> TsdlParser<'a> {
        TsdlParser { tokens, at: 0, order, scopes: vec![BTreeMap::new()], depth: 0, copies: 0 }
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub fn position(&self) -> usize {
        self.at
    }

    pub fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    pub fn peek(&self) -> Option<&'a TsdlToken> {
        self.tokens.get(self.at)
    }

    pub fn advance(&mut self, count: usize) {
        self.at += count;
    }

    pub fn open_scope(&mut self) {
        self.scopes.push(BTreeMap::new());
    }

    pub fn close_scope(&mut self) {
        self.scopes.pop();
    }

    /// The tokens here, for messages.
    pub fn shown(&self) -> String {
        let token = |token: &TsdlToken| match token {
            TsdlToken::Word(word) => word.clone(),
            TsdlToken::Number(number) => number.to_string(),
            TsdlToken::Text(text) => format!("\"{text}\""),
            TsdlToken::Mark(mark) => mark.to_string(),
        };
        let from = self.at.min(self.tokens.len());
        let shown: Vec<String> = self.tokens[from..].iter().take(6).map(token).collect();
        if shown.is_empty() { "its end".to_string() } else { crate::diagnostics::quote(shown.join(" ").as_bytes()) }
    }

    /// Whether a block of the trace starts here, and no type.
    pub fn is_block(&self) -> bool {
        let is_name = matches!(self.peek(), Some(TsdlToken::Word(word))
            if matches!(word.as_str(), "trace" | "env" | "clock" | "stream" | "event" | "callsite"));
        is_name && self.tokens.get(self.at + 1) == Some(&TsdlToken::Mark("{"))
    }

    /// Goes behind the block that starts at a position: to the next `;` outside of braces.
    pub fn skip_block(&mut self, start: usize) {
        (self.at, self.depth) = (start, 0);
        self.scopes.truncate(1);
        let mut open = 0_usize;
        while let Some(token) = self.peek() {
            self.at += 1;
            match token {
                TsdlToken::Mark("{") => open += 1,
                TsdlToken::Mark("}") => open = open.saturating_sub(1),
                TsdlToken::Mark(";") if open == 0 => return,
                _ => (),
            }
        }
    }

    pub fn take_mark(&mut self, mark: &str) -> bool {
        let is_there = matches!(self.peek(), Some(TsdlToken::Mark(found)) if *found == mark);
        self.at += usize::from(is_there);
        is_there
    }

    pub fn expect(&mut self, mark: &str) -> ParseResult<()> {
        if self.take_mark(mark) { Ok(()) } else { Err(Unexpected) }
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let is_there = matches!(self.peek(), Some(TsdlToken::Word(word)) if word == wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn word(&mut self) -> ParseResult<String> {
        match self.peek() {
            Some(TsdlToken::Word(word)) => {
                self.at += 1;
                Ok(word.clone())
            }
            _ => Err(Unexpected),
        }
    }

    /// Names with dots between them.
    pub fn names(&mut self) -> ParseResult<Vec<String>> {
        let mut names = vec![self.word()?];
        while self.take_mark(".") || self.take_mark("->") {
            names.push(self.word()?);
        }
        Ok(names)
    }

    /// A number, a text, or names.
    pub fn value(&mut self) -> ParseResult<TsdlToken> {
        let is_negative = self.take_mark("-");
        let _ = self.take_mark("+");
        match self.peek() {
            Some(TsdlToken::Number(number)) => {
                self.at += 1;
                Ok(TsdlToken::Number(if is_negative { -number } else { *number }))
            }
            Some(TsdlToken::Text(text)) => {
                self.at += 1;
                Ok(TsdlToken::Text(text.clone()))
            }
            _ => Ok(TsdlToken::Word(self.names()?.join("."))),
        }
    }

    /// A declaration, with the mark at its end.
    pub fn declaration(&mut self) -> ParseResult<()> {
        if self.take_word("typealias") {
            let class = self.type_()?;
            self.expect(":=")?;
            let name = self.spelled_type()?;
            self.define(name, class);
        } else if self.take_word("typedef") {
            let class = self.type_()?;
            for (name, class) in self.declarators(class)? {
                self.define(name, class);
            }
        } else {
            self.type_()?;
        }
        self.expect(";")
    }

    fn define(&mut self, name: String, class: FieldClass) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, class);
        }
    }

    /// A type that has a name; `None` also for one that would lie too deep here, or of which there are too many.
    fn known(&mut self, name: &str) -> Option<FieldClass> {
        let class = self.scopes.iter().rev().find_map(|scope| scope.get(name))?;
        let (count, height) = class.extent();
        self.copies += count;
        (self.copies <= MOST_COPIES && self.depth + height <= DEEPEST).then(|| class.clone())
    }

    /// The name of a type: one or several words.
    fn spelled_type(&mut self) -> ParseResult<String> {
        let mut words = vec![self.word()?];
        while let Ok(word) = self.word() {
            words.push(word);
        }
        while self.take_mark("*") {
            words.push("*".to_string());
        }
        Ok(words.join(" "))
    }

    /// A type; named ones are known from then on.
    pub fn type_(&mut self) -> ParseResult<FieldClass> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Unexpected);
        }
        while self.take_word("const") || self.take_word("volatile") {}
        let class = if self.take_word("integer") {
            self.integer()
        } else if self.take_word("floating_point") {
            self.floating_point()
        } else if self.take_word("string") {
            if self.take_mark("{") {
                self.rewind(self.at - 1);
                self.attributes()?;
            }
            Ok(FieldClass::Text)
        } else if self.take_word("struct") {
            self.structure()
        } else if self.take_word("enum") {
            self.enumeration()
        } else if self.take_word("variant") {
            self.variant()
        } else {
            self.named_type()
        };
        self.depth -= 1;
        class
    }

    /// The type that the longest row of words here names; a word behind it may be the name of a field.
    fn named_type(&mut self) -> ParseResult<FieldClass> {
        let is_word = |token: &&TsdlToken| matches!(token, TsdlToken::Word(_));
        let count = self.tokens[self.at.min(self.tokens.len())..].iter().take_while(is_word).take(8).count();
        for len in (1..=count).rev() {
            let start = self.at;
            let mut words = vec![];
            for _ in 0..len {
                words.push(self.word()?);
            }
            if let Some(class) = self.known(&words.join(" ")) {
                return Ok(class);
            }
            self.rewind(start);
        }
        Err(Unexpected)
    }

    /// Entries `name = value ;` in braces.
    fn attributes(&mut self) -> ParseResult<Vec<(String, TsdlToken)>> {
        self.expect("{")?;
        let mut attributes = vec![];
        while !self.take_mark("}") {
            if self.take_mark(";") {
                continue;
            }
            let name = self.names()?.join(".");
            self.expect("=")?;
            attributes.push((name, self.value()?));
            self.expect(";")?;
        }
        Ok(attributes)
    }

    fn integer(&mut self) -> ParseResult<FieldClass> {
        let mut integer = IntegerClass {
            bits: 0,
            align: 0,
            order: self.order,
            is_reversed: false,
            is_signed: false,
            is_text: false,
            is_hex: false,
            is_boolean: false,
            has_clock: false,
            labels: None,
            role: None,
            slot: None,
        };
        for (name, value) in self.attributes()? {
            match (name.as_str(), &value) {
                ("size", TsdlToken::Number(bits)) if (1..=64).contains(bits) => integer.bits = *bits as u32,
                ("align", TsdlToken::Number(align)) => integer.align = alignment(*align)?,
                ("signed", TsdlToken::Number(number)) => integer.is_signed = *number != 0,
                ("signed", TsdlToken::Word(word)) => integer.is_signed = matches!(word.as_str(), "true" | "TRUE"),
                ("byte_order", TsdlToken::Word(word)) => integer.order = self.order_of(word),
                ("base", TsdlToken::Number(16)) => integer.is_hex = true,
                ("base", TsdlToken::Word(word)) => {
                    integer.is_hex = matches!(word.as_str(), "hexadecimal" | "hex" | "x" | "X" | "p");
                }
                ("encoding", TsdlToken::Word(word)) => integer.is_text = matches!(word.as_str(), "UTF8" | "ASCII"),
                ("map", TsdlToken::Word(word)) => integer.has_clock = word.starts_with("clock."),
                _ => (),
            }
        }
        if integer.bits == 0 {
            return Err(Unexpected);
        }
        if integer.align == 0 {
            integer.align = if integer.bits.is_multiple_of(8) { 8 } else { 1 };
        }
        Ok(FieldClass::Integer(integer))
    }

    fn order_of(&self, word: &str) -> BytesOrder {
        match word {
            "be" | "network" => BytesOrder::Big,
            "le" => BytesOrder::Little,
            _ => self.order,
        }
    }

    fn floating_point(&mut self) -> ParseResult<FieldClass> {
        let (mut bits, mut align, mut order) = (0, 0, self.order);
        for (name, value) in self.attributes()? {
            match (name.as_str(), &value) {
                ("exp_dig" | "mant_dig", TsdlToken::Number(digits)) => {
                    bits += u32::try_from(*digits).unwrap_or(0) % 256
                }
                ("align", TsdlToken::Number(number)) => align = alignment(*number)?,
                ("byte_order", TsdlToken::Word(word)) => order = self.order_of(word),
                _ => (),
            }
        }
        if !matches!(bits, 32 | 64) {
            return Err(Unexpected);
        }
        Ok(FieldClass::Float { bits, align: if align == 0 { 8 } else { align }, order })
    }

    fn structure(&mut self) -> ParseResult<FieldClass> {
        let name = self.word().ok().filter(|word| word != "align");
        if name.is_none() && !matches!(self.peek(), Some(TsdlToken::Mark("{"))) {
            return Err(Unexpected);
        }
        if !matches!(self.peek(), Some(TsdlToken::Mark("{"))) {
            return self.known(&format!("struct {}", name.unwrap_or_default())).ok_or(Unexpected);
        }
        let members = self.members()?;
        let mut align = 1;
        if self.take_word("align") {
            self.expect("(")?;
            let TsdlToken::Number(number) = self.value()? else { return Err(Unexpected) };
            align = alignment(number)?;
            self.expect(")")?;
        }
        let class = FieldClass::Struct(StructClass::new(members, align));
        if let Some(name) = name {
            self.define(format!("struct {name}"), class.clone());
        }
        Ok(class)
    }

    fn members(&mut self) -> ParseResult<Vec<(String, FieldClass)>> {
        self.expect("{")?;
        self.open_scope();
        let mut members = vec![];
        while !self.take_mark("}") {
            if self.take_mark(";") {
                continue;
            }
            if matches!(self.peek(), Some(TsdlToken::Word(word)) if matches!(word.as_str(), "typealias" | "typedef")) {
                self.declaration()?;
                continue;
            }
            let class = self.type_()?;
            if self.take_mark(";") {
                continue;
            }
            members.extend(self.declarators(class)?);
            self.expect(";")?;
        }
        self.close_scope();
        Ok(members)
    }

    /// Names of one type, each with the lengths of its lists.
    fn declarators(&mut self, class: FieldClass) -> ParseResult<Vec<(String, FieldClass)>> {
        let mut all = vec![];
        let (count, height) = class.extent();
        loop {
            while self.take_mark("*") {}
            let name = self.word()?;
            let mut lengths = vec![];
            while self.take_mark("[") {
                lengths.push(match self.value()? {
                    TsdlToken::Number(length) => FieldLength::Fixed(u64::try_from(length).map_err(|_| Unexpected)?),
                    TsdlToken::Word(names) => FieldLength::Of(reference(&names)),
                    _ => return Err(Unexpected),
                });
                self.expect("]")?;
            }
            self.copies += count;
            if self.copies > MOST_COPIES || self.depth + height + lengths.len() > DEEPEST {
                return Err(Unexpected);
            }
            let mut whole = class.clone();
            for length in lengths.into_iter().rev() {
                let align = whole.align();
                whole = FieldClass::Array { length, element: Box::new(whole), align };
            }
            all.push((name, whole));
            if !self.take_mark(",") {
                return Ok(all);
            }
        }
    }

    fn enumeration(&mut self) -> ParseResult<FieldClass> {
        let name = self.word().ok();
        let has_type = self.take_mark(":");
        let holder = if has_type { self.type_()? } else { self.known("int").unwrap_or(FieldClass::Text) };
        if !matches!(self.peek(), Some(TsdlToken::Mark("{"))) {
            return self.known(&format!("enum {}", name.unwrap_or_default())).ok_or(Unexpected);
        }
        self.expect("{")?;
        let (mut labels, mut next) = (vec![], 0_i128);
        while !self.take_mark("}") {
            let label = match self.peek() {
                Some(TsdlToken::Text(text)) => {
                    self.at += 1;
                    text.clone()
                }
                _ => self.word()?,
            };
            let mut range = (next, next);
            if self.take_mark("=") {
                let TsdlToken::Number(first) = self.value()? else { return Err(Unexpected) };
                range = (first, first);
                if self.take_mark("...") {
                    let TsdlToken::Number(last) = self.value()? else { return Err(Unexpected) };
                    range.1 = last;
                }
            }
            next = range.1.checked_add(1).ok_or(Unexpected)?;
            labels.push((label, vec![range]));
            if !self.take_mark(",") {
                self.expect("}")?;
                break;
            }
        }
        let FieldClass::Integer(mut integer) = holder else { return Err(Unexpected) };
        integer.labels = Some(Arc::new(labels));
        let class = FieldClass::Integer(integer);
        if let Some(name) = name {
            self.define(format!("enum {name}"), class.clone());
        }
        Ok(class)
    }

    fn variant(&mut self) -> ParseResult<FieldClass> {
        let name = self.word().ok();
        let mut selector = None;
        if self.take_mark("<") {
            selector = Some(reference(&self.names()?.join(".")));
            self.expect(">")?;
        }
        let mut class = if matches!(self.peek(), Some(TsdlToken::Mark("{"))) {
            let option = |(name, class)| VariantOption { name, ranges: vec![], class };
            let options = self.members()?.into_iter().map(option).collect();
            FieldClass::Variant { selector: FieldReference::default(), options }
        } else {
            self.known(&format!("variant {}", name.clone().unwrap_or_default())).ok_or(Unexpected)?
        };
        if let FieldClass::Variant { selector: own, .. } = &mut class
            && let Some(selector) = selector
        {
            *own = selector;
        }
        if let Some(name) = name {
            self.define(format!("variant {name}"), class.clone());
        }
        Ok(class)
    }
}

/// A reference by names with dots.
fn reference(names: &str) -> FieldReference {
    let names: Vec<String> = names.split('.').map(str::to_string).collect();
    match FieldScope::of_names(&names) {
        Some((scope, used)) => FieldReference { scope: Some(scope), names: names[used..].to_vec(), slot: None },
        None => FieldReference { scope: None, names, slot: None },
    }
}

fn alignment(number: i128) -> ParseResult<u32> {
    let is_sound = (1..=LARGEST_ALIGN).contains(&number) && number.count_ones() == 1;
    if is_sound { Ok(number as u32) } else { Err(Unexpected) }
}
