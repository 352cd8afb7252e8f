//! Numbers as people read them: round steps of an axis, units of time, short quantities.

#[cfg(test)]
mod tests;

/// A unit of time that suits a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeScale {
    /// Its symbol.
    pub name: &'static str,
    /// Units per second.
    pub per_second: f64,
}

impl TimeScale {
    /// The unit in which a length reads as a number between 1 and about 1000.
    pub fn of(seconds: f64) -> TimeScale {
        const SCALES: [(f64, &str, f64); 4] = [(1.0, "s", 1.0), (1e-3, "ms", 1e3), (1e-6, "µs", 1e6), (0.0, "ns", 1e9)];
        let (_, name, per_second) = SCALES.into_iter().find(|(least, ..)| seconds.abs() >= *least).unwrap_or(SCALES[0]);
        TimeScale { name, per_second }
    }
}

/// A length of time with its unit.
pub fn seconds(length: f64) -> String {
    if length == 0.0 {
        return "0 s".to_string();
    }
    let scale = TimeScale::of(length);
    format!("{} {}", short(length * scale.per_second), scale.name)
}

/// How times within a window are written: in one unit, with decimals that tell a ten-thousandth of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentFormat {
    scale: TimeScale,
    decimals: usize,
}

impl MomentFormat {
    /// The format for times of a window in seconds.
    pub fn of(start: f64, stop: f64) -> MomentFormat {
        let scale = TimeScale::of(start.abs().max(stop.abs()));
        let step = (stop - start).abs() * scale.per_second / 1e4;
        // Doubles have no more than 15 digits.
        let before_point = (start.abs().max(stop.abs()) * scale.per_second).max(1.0).log10().floor() as i64 + 1;
        let decimals = if step > 0.0 { (-step.log10() - 1e-9).ceil() as i64 } else { 3 };
        MomentFormat { scale, decimals: decimals.clamp(0, (15 - before_point).max(0)) as usize }
    }

    /// A time with its unit, without trailing zeros.
    pub fn text(&self, time: f64) -> String {
        let text = format!("{:.*}", self.decimals, time * self.scale.per_second);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        let text = if text == "-0" { "0" } else { text };
        format!("{text} {}", self.scale.name)
    }
}

/// A quantity with three digits that count, and k, M, G, T for thousands.
pub fn quantity(value: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match STEPS.iter().find(|(step, _)| value.abs() >= *step) {
        Some((step, sign)) => format!("{} {sign}", short(value / step)),
        None => short(value),
    }
}

/// What messages carry, in bytes: three digits that count, and kB, MB, GB, TB for thousands.
pub fn bytes(volume: f64) -> String {
    let text = quantity(volume);
    if volume.abs() >= 1e3 { text + "B" } else { text + " B" }
}

/// A count with its noun, which has an s unless it is one.
pub fn counted(count: f64, noun: &str) -> String {
    format!("{} {noun}{}", quantity(count), if count == 1.0 { "" } else { "s" })
}

/// A number between 0 and 1, as percent.
pub fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}

/// Three digits that count, without trailing zeros.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_string() } else { value.to_string() };
    }
    let before_point = value.abs().log10().floor() as i32 + 1;
    if !(-3..=6).contains(&before_point) {
        return format!("{value:.2e}");
    }
    let decimals = usize::try_from(3 - before_point).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// Round numbers within a range, about as many as asked for.
pub fn steps(low: f64, high: f64, about: usize) -> Vec<f64> {
    let range = high - low;
    if !(range > 0.0 && range.is_finite()) {
        return vec![low];
    }
    let rough = range / about.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|index| index as f64 * step).collect()
}

/// A step of an axis as text, with the decimals that neighbors need to differ.
pub fn label(value: f64, neighbors: &[f64]) -> String {
    let step = neighbors.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    if !(1e-9..1e12).contains(&step) || value.abs() >= 1e15 {
        return short(value);
    }
    let decimals = usize::try_from((-step.log10() - 1e-9).ceil().max(0.0) as i64).unwrap_or(0);
    format!("{value:.decimals$}")
}
