//! Which format a client wants: the `Accept` header, after RFC 9110.
//!
//! ```text
//! Accept = [ range *( "," range ) ]      range = ( "*/*" / type "/*" / type "/" subtype ) *( ";" name "=" value )
//! ```
//! The most specific range that fits a format decides its quality; the best quality wins, and among equals
//! the format that is listed first here. No header: JSON.

#[cfg(test)]
mod tests;

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;

use ocellus_render::formats::ResultFormat;

/// What is offered, the preferred one first; a format can have several names.
const OFFERS: [(&str, ResultFormat); 8] = [
    ("application/json", ResultFormat::Json),
    ("application/x-ndjson", ResultFormat::Ndjson),
    ("application/jsonlines", ResultFormat::Ndjson),
    ("application/ndjson", ResultFormat::Ndjson),
    ("text/csv", ResultFormat::Csv),
    ("application/csv", ResultFormat::Csv),
    ("application/vnd.apache.arrow.stream", ResultFormat::Arrow),
    ("application/x-arrow-stream", ResultFormat::Arrow),
];

/// The names of media types that are offered.
pub(super) fn offered() -> impl Iterator<Item = &'static str> {
    OFFERS.iter().map(|(name, _)| *name)
}

/// The format to respond in, and the name that the client knows it by; `None` when nothing fits.
pub(super) fn choose(header: Option<&str>) -> Option<(&'static str, ResultFormat)> {
    let Some(header) = header.filter(|header| !header.trim().is_empty()) else { return Some(OFFERS[0]) };
    let ranges: Vec<MediaRange<'_>> = header.split(',').filter_map(MediaRange::parse).collect();
    let mut best: Option<(u16, (&'static str, ResultFormat))> = None;
    for offer in OFFERS {
        let fitting = ranges.iter().filter(|range| range.specificity(offer.0).is_some());
        let Some(decisive) = fitting.max_by_key(|range| range.specificity(offer.0)) else { continue };
        if decisive.quality > best.map_or(0, |(quality, _)| quality) {
            best = Some((decisive.quality, offer));
        }
    }
    best.map(|(_, offer)| offer)
}

/// Whether a client takes gzip: `Accept-Encoding` names it, or else everything, with a quality above 0.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let (mut named, mut any) = (None, None);
    for entry in values.flat_map(|value| value.split(',')) {
        let (coding, parameter) = entry.split_once(';').unwrap_or((entry, "q=1"));
        let quality = parameter.trim().strip_prefix("q=").and_then(thousandths).unwrap_or(0);
        match coding.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => named = Some(quality),
            "*" => any = Some(quality),
            _ => {}
        }
    }
    named.or(any).is_some_and(|quality| quality > 0)
}

/// One entry of the header.
struct MediaRange<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// In thousandths.
    quality: u16,
}

impl<'a> MediaRange<'a> {
    fn parse(text: &'a str) -> Option<MediaRange<'a>> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let mut quality = 1000;
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            if name.trim().eq_ignore_ascii_case("q") {
                quality = thousandths(value.trim())?;
            }
        }
        Some(MediaRange { kind, subtype, quality })
    }

    /// How closely the range describes a media type; `None` when it does not.
    fn specificity(&self, media_type: &str) -> Option<u8> {
        let (kind, subtype) = media_type.split_once('/')?;
        match (self.kind, self.subtype) {
            ("*", "*") => Some(0),
            (own, "*") if own.eq_ignore_ascii_case(kind) => Some(1),
            (own, sub) if own.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => Some(2),
            _ => None,
        }
    }
}

fn thousandths(text: &str) -> Option<u16> {
    let quality: f64 = text.parse().ok()?;
    (0.0..=1.0).contains(&quality).then(|| (quality * 1000.0).round() as u16)
}
