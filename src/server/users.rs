//! Who may connect: names with passwords, and tokens.
//!
//! Both come from files, so that no secret stands in a list of processes. A line is `name:password`
//! in one file and a token in the other; empty lines and lines that start with `#` are skipped.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use subtle::ConstantTimeEq;

use ocellus_trace::error::{Error, Result};

/// The shortest token or password that is taken.
const SHORTEST: usize = 8;

/// Those who may connect. Nobody listed: everybody may.
#[derive(Default)]
pub struct Users {
    passwords: BTreeMap<String, String>,
    tokens: Vec<String>,
}

impl Users {
    /// Reads the files that are given.
    pub fn read(users: Option<&Path>, tokens: Option<&Path>) -> Result<Users> {
        let mut read = Users::default();
        for (number, line) in users.map(secret_lines).transpose()?.unwrap_or_default() {
            let wrong = |what: &str| Error::Usage(format!("line {number} of the file of users {what}"));
            let (name, password) = line.split_once(':').ok_or_else(|| wrong("is not name:password"))?;
            if name.is_empty() || password.len() < SHORTEST {
                return Err(wrong(&format!("needs a name, and a password of at least {SHORTEST} bytes")));
            }
            read.passwords.insert(name.to_string(), password.to_string());
        }
        for (number, line) in tokens.map(secret_lines).transpose()?.unwrap_or_default() {
            if line.len() < SHORTEST {
                return Err(Error::Usage(format!("the token in line {number} has fewer than {SHORTEST} bytes")));
            }
            read.tokens.push(line);
        }
        if (users.is_some() || tokens.is_some()) && read.is_open() {
            return Err(Error::Usage("the files of users and tokens are empty: nobody could connect".to_string()));
        }
        Ok(read)
    }

    /// Whether everybody may connect.
    pub fn is_open(&self) -> bool {
        self.passwords.is_empty() && self.tokens.is_empty()
    }

    /// Whether there are users with passwords.
    pub fn has_passwords(&self) -> bool {
        !self.passwords.is_empty()
    }

    /// The password of a user, for protocols that never send it.
    pub fn password_of(&self, name: &str) -> Option<&str> {
        self.passwords.get(name).map(String::as_str)
    }

    /// Whether a name and a password are right. An unknown name takes as long as a wrong password.
    pub fn is_password(&self, name: &str, password: &str) -> bool {
        let known = self.passwords.get(name);
        let expected = known.map_or("", String::as_str);
        known.is_some() & bool::from(expected.as_bytes().ct_eq(password.as_bytes()))
    }

    /// Whether a token is right.
    pub fn is_token(&self, token: &str) -> bool {
        // All are compared, so that the time taken reveals nothing.
        self.tokens.iter().fold(false, |found, known| found | bool::from(known.as_bytes().ct_eq(token.as_bytes())))
    }
}

/// Secrets are not printed.
impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Users({} passwords, {} tokens)", self.passwords.len(), self.tokens.len())
    }
}

/// The lines of a file that say something, with their numbers.
fn secret_lines(path: &Path) -> Result<Vec<(usize, String)>> {
    let text = fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim().to_string()));
    Ok(lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect())
}
