//! How a Pajé trace names types, values and containers: by an alias, or by a name that nobody else has.

#[cfg(test)]
mod tests;

use hashbrown::{HashMap, HashSet};

/// How something is referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// What events write.
    pub text: String,
    /// Whether that is an alias, which its definition has to declare.
    pub is_alias: bool,
}

/// References that differ from each other. An alias that is the only bearer of its text is kept; without one, a name that
/// is; all others get an alias that begins with `prefix`. `0` is the root.
pub(super) fn references<'a>(
    items: impl Iterator<Item = (&'a str, Option<&'a str>)> + Clone,
    prefix: &str,
) -> Vec<Reference> {
    let mut bearers: HashMap<&str, u32> = HashMap::from([("0", 2)]);
    for (name, alias) in items.clone() {
        *bearers.entry(name).or_default() += 1;
        if let Some(alias) = alias.filter(|alias| *alias != name) {
            *bearers.entry(alias).or_default() += 1;
        }
    }
    let mut given: HashSet<String> = HashSet::new();
    let mut next = 0_u64;
    let mut reference = |(name, alias): (&str, Option<&str>)| {
        let is_alone = |text: &str| bearers.get(text) == Some(&1);
        match alias {
            Some(alias) if is_alone(alias) => return Reference { text: alias.to_string(), is_alias: true },
            None if is_alone(name) => return Reference { text: name.to_string(), is_alias: false },
            _ => (),
        }
        loop {
            let text = format!("{prefix}{next}");
            next += 1;
            if !bearers.contains_key(text.as_str()) && given.insert(text.clone()) {
                return Reference { text, is_alias: true };
            }
        }
    };
    items.map(&mut reference).collect()
}
