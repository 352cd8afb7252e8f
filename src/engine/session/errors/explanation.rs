//! What a user reads of an error: a message and a hint.

use crate::catalog::nearest;

/// What is wrong, and what may have been meant or can be done.
pub(super) struct Explanation {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Explanation {
    pub(super) fn plain(message: impl Into<String>) -> Explanation {
        Explanation { message: message.into(), hint: None }
    }

    pub(super) fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> Explanation {
        Explanation { message: message.into(), hint: Some(hint.into()) }
    }

    /// Suggests the nearest of the known names, if one is near.
    pub(super) fn suggesting<'a>(
        message: String,
        given: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Explanation {
        // A name that is known in another form only is no suggestion for itself.
        let others = known.into_iter().filter(|name| !name.eq_ignore_ascii_case(given));
        Explanation { message, hint: nearest(given, others).map(|name| format!("did you mean {name}?")) }
    }

    /// A message that may end with a suggestion, as those of our functions do.
    pub(super) fn split(message: String) -> Explanation {
        match message.rsplit_once("; did you mean ") {
            Some((message, suggestion)) if suggestion.ends_with('?') => {
                Explanation::with_hint(message, format!("did you mean {suggestion}"))
            }
            _ => Explanation::plain(message),
        }
    }
}
