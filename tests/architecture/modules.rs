//! The module tree of a crate, read from text: which modules there are, what each imports, names and defines.
//!
//! In: files by path. Out: modules, each with its file. What is below `#[cfg(test)]` does not exist here.

use std::collections::{BTreeMap, BTreeSet};

use crate::rust_text::{code_only, tokens, without_tests};

#[cfg(test)]
mod tests;

/// Number of a module in its crate; the root is 0.
pub type ModuleId = usize;

/// A crate as a tree of modules.
#[derive(Debug)]
pub struct Crate {
    /// Path of the file that its tree starts in.
    pub root: String,
    pub modules: Vec<Module>,
}

/// A module: a file, or a part of one that stands in braces.
#[derive(Debug, Default)]
pub struct Module {
    pub file: String,
    pub parent: Option<ModuleId>,
    pub children: BTreeMap<String, ModuleId>,
    pub uses: Vec<UseItem>,
    /// Paths of two segments or more outside of `use`.
    pub paths: Vec<Vec<String>>,
    /// Single names outside of `use` that may stand for items: types and constants, and what is called.
    pub names: BTreeSet<String>,
    /// Structs, enums, traits and type aliases of the module itself.
    pub types: Vec<String>,
    /// All items of the module itself.
    pub items: BTreeSet<String>,
}

/// One path of a `use`, groups expanded.
#[derive(Debug, PartialEq, Eq)]
pub struct UseItem {
    pub path: Vec<String>,
    /// What it is called here; `None` for `*`.
    pub name: Option<String>,
    pub visibility: Visibility,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    Private,
    /// `pub` of any extent.
    Public,
}

impl Crate {
    /// Follows `mod` from the file of the root on; panics when a file is missing.
    pub fn read(texts: &BTreeMap<String, String>, root: &str) -> Crate {
        let mut tree = Crate { root: root.to_string(), modules: vec![] };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        tree.read_file(texts, root, folder, None);
        tree
    }

    /// All files of the tree.
    pub fn files(&self) -> BTreeSet<&str> {
        self.modules.iter().map(|module| module.file.as_str()).collect()
    }

    fn read_file(
        &mut self,
        texts: &BTreeMap<String, String>,
        file: &str,
        folder: &str,
        parent: Option<ModuleId>,
    ) -> ModuleId {
        let text = texts.get(file).unwrap_or_else(|| panic!("{file} does not exist"));
        let code = without_tests(&code_only(text));
        let id = self.add(file, parent);
        let mut scanner = Scanner { tree: self, texts, file, tokens: tokens(&code), at: 0 };
        scanner.module(id, folder);
        id
    }

    fn add(&mut self, file: &str, parent: Option<ModuleId>) -> ModuleId {
        self.modules.push(Module { file: file.to_string(), parent, ..Module::default() });
        self.modules.len() - 1
    }
}

/// Reads one file from its first token to its last.
struct Scanner<'a> {
    tree: &'a mut Crate,
    texts: &'a BTreeMap<String, String>,
    file: &'a str,
    tokens: Vec<&'a str>,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn token(&self, at: usize) -> &'a str {
        self.tokens.get(at).copied().unwrap_or("")
    }

    /// The token before the current one.
    fn before(&self) -> &'a str {
        self.at.checked_sub(1).map_or("", |at| self.token(at))
    }

    /// Reads a module up to the brace that closes it; `folder` holds the files of its children.
    fn module(&mut self, id: ModuleId, folder: &str) {
        let mut depth = 0_usize;
        while self.at < self.tokens.len() {
            match self.token(self.at) {
                "{" => depth += 1,
                "}" if depth == 0 => return,
                "}" => depth -= 1,
                "mod" if is_word(self.token(self.at + 1)) => {
                    self.child(id, folder);
                    continue;
                }
                "use" if self.token(self.at + 1) != "<" => {
                    let is_public = ends_with_pub(&self.tokens[..self.at]);
                    let visibility = if is_public { Visibility::Public } else { Visibility::Private };
                    self.at += 1;
                    self.use_tree(id, &[], visibility);
                    continue;
                }
                word if is_word(word) => {
                    self.word(id, depth);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// `mod name;` or `mod name { … }`.
    fn child(&mut self, id: ModuleId, folder: &str) {
        let name = self.token(self.at + 1);
        let opens = self.token(self.at + 2) == "{";
        self.at += 3;
        let below = format!("{folder}/{name}");
        let child = if opens {
            let child = self.tree.add(self.file, Some(id));
            self.module(child, &below);
            self.at += 1;
            child
        } else {
            let (beside, inside) = (format!("{below}.rs"), format!("{below}/mod.rs"));
            let file = if self.texts.contains_key(&beside) { beside } else { inside };
            self.tree.read_file(self.texts, &file, &below, Some(id))
        };
        self.tree.modules[id].children.insert(name.to_string(), child);
    }

    /// One tree of a `use`, after its prefix; ends behind it.
    fn use_tree(&mut self, id: ModuleId, prefix: &[String], visibility: Visibility) {
        let mut path = prefix.to_vec();
        loop {
            let token = self.token(self.at);
            self.at += 1;
            match token {
                "::" => {
                    // A path that starts so leaves the crate.
                    if path.is_empty() {
                        path.push(String::new());
                    }
                    continue;
                }
                "{" => {
                    while !matches!(self.token(self.at), "}" | "") {
                        self.use_tree(id, &path, visibility);
                        if self.token(self.at) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                "*" => {
                    self.tree.modules[id].uses.push(UseItem { path, name: None, visibility });
                    return;
                }
                "self" if !path.is_empty() => {}
                word if is_word(word) => path.push(word.to_string()),
                _ => return,
            }
            if self.token(self.at) != "::" {
                break;
            }
        }
        let mut name = path.last().cloned();
        if self.token(self.at) == "as" {
            name = Some(self.token(self.at + 1).to_string());
            self.at += 2;
        }
        self.tree.modules[id].uses.push(UseItem { path, name, visibility });
    }

    /// A name, a path, or the word before the name of an item.
    fn word(&mut self, id: ModuleId, depth: usize) {
        let (before, word) = (self.before(), self.token(self.at));
        let module = &mut self.tree.modules[id];
        let mut path = vec![word.to_string()];
        self.at += 1;
        while self.tokens.get(self.at) == Some(&"::") && self.tokens.get(self.at + 1).is_some_and(|next| is_word(next))
        {
            path.push(self.tokens[self.at + 1].to_string());
            self.at += 2;
        }
        let next = self.tokens.get(self.at).copied().unwrap_or("");
        if path.len() > 1 {
            module.paths.push(path);
            return;
        }
        if depth == 0 && is_word(next) && is_item_word(word) {
            module.items.insert(next.to_string());
            if matches!(word, "struct" | "enum" | "trait" | "type") {
                module.types.push(next.to_string());
            }
        }
        let is_named = word.starts_with(char::is_uppercase) || matches!(next, "(" | "!" | "::");
        if is_named && !matches!(before, "." | "fn" | "::") && !is_item_word(before) {
            module.names.insert(word.to_string());
        }
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn is_item_word(word: &str) -> bool {
    matches!(word, "struct" | "enum" | "trait" | "type" | "union" | "fn" | "const" | "static")
}

/// Whether tokens end with `pub` or `pub(…)`.
fn ends_with_pub(tokens: &[&str]) -> bool {
    match tokens {
        [.., "pub"] => true,
        [before @ .., ")"] => {
            let open = before.iter().rposition(|token| *token == "(");
            open.is_some_and(|open| open > 0 && before[open - 1] == "pub")
        }
        _ => false,
    }
}
