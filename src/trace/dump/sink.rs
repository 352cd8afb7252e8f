//! A sink of the simulator that prints rows as pj_dump does.
//!
//! ```text
//! Container, parent or 0, type, start, end, duration, name
//! State, container, type, start, end, duration, imbrication, value
//! Variable, container, type, start, end, duration, value
//! Event, container, type, time, value
//! Link, container, type, start, end, duration, value, start container, end container, key
//! ```

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use super::options::DumpOptions;
use crate::error::{Error, Result};
use crate::model::{ContainerId, EventRow, LinkRow, OwnedExtra, RowSink, StateRow, VariableRow, World};
use crate::simulator::Simulated;
use crate::time::Resolution;

/// Prints rows into a temporary file: a trace may turn out to need sorting when some are printed.
pub(super) struct DumpSink {
    out: BufWriter<File>,
    options: DumpOptions,
    resolution: Resolution,
}

fn failed(source: io::Error) -> Error {
    Error::Io { context: "cannot write the dump".to_string(), source }
}

impl DumpSink {
    pub fn create(options: DumpOptions, resolution: Resolution) -> Result<DumpSink> {
        let file = tempfile::tempfile().map_err(failed)?;
        Ok(DumpSink { out: BufWriter::with_capacity(1 << 18, file), options, resolution })
    }

    /// Prints the containers, then everything else.
    pub fn finish(self, simulated: &Simulated, out: &mut dyn Write) -> Result<()> {
        let world = &simulated.world;
        let end = simulated.span.map_or(0, |(_, last)| last);
        let row = container_row("0", "0", 0.0, self.resolution.seconds(end), "0");
        out.write_all(row.as_bytes()).map_err(failed)?;
        for (index, container) in world.containers.iter().enumerate() {
            let name = world.container_name(ContainerId(index as u32));
            let type_ = world.type_name(container.type_);
            let is_root_itself = type_ == "0" && name == "0" && container.parent.is_root();
            if is_root_itself {
                continue;
            }
            let start = self.resolution.seconds(container.start);
            let end = self.resolution.seconds(container.end.unwrap_or(end));
            let [parent, type_, name] = [world.container_name(container.parent), type_, name].map(|t| self.text(t));
            out.write_all(container_row(&parent, &type_, start, end, &name).as_bytes()).map_err(failed)?;
        }
        let mut file = self.out.into_inner().map_err(|e| failed(e.into_error()))?;
        file.rewind().map_err(failed)?;
        io::copy(&mut file, out).map_err(failed)?;
        out.flush().map_err(failed)
    }

    fn number(&self, value: f64) -> String {
        format!("{value:.*}", self.options.decimals)
    }

    fn time(&self, tick: i64) -> String {
        self.number(self.resolution.seconds(tick))
    }

    /// The difference of the two doubles, which is what pj_dump prints.
    fn duration(&self, start: i64, end: i64) -> String {
        self.number(self.resolution.seconds(end) - self.resolution.seconds(start))
    }

    fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.options.csv && text.contains([',', '"', '\n']) {
            return Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")));
        }
        Cow::Borrowed(text)
    }

    fn row(&mut self, fields: &[&str]) -> Result<()> {
        for (index, field) in fields.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            self.out
                .write_all(separator.as_bytes())
                .and_then(|()| self.out.write_all(field.as_bytes()))
                .map_err(failed)?;
        }
        self.out.write_all(b"\n").map_err(failed)
    }
}

fn container_row(parent: &str, type_: &str, start: f64, end: f64, name: &str) -> String {
    format!(
        "Container, {parent}, {type_}, {}, {}, {}, {name}\n",
        significant(start),
        significant(end),
        significant(end - start)
    )
}

/// Six significant digits without trailing zeros, as C++ streams print.
fn significant(value: f64) -> String {
    let scientific = format!("{value:.5e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| -> String {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text.to_string() }
    };
    if (-4..6).contains(&exponent) {
        return trim(&format!("{value:.*}", (5 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim(mantissa), exponent.abs())
}

impl RowSink for DumpSink {
    fn state(&mut self, world: &World, row: &StateRow, _: &[OwnedExtra]) -> Result<()> {
        let (start, end, duration) = (self.time(row.start), self.time(row.end), self.duration(row.start, row.end));
        let depth = self.number(f64::from(row.depth));
        let [container, type_, value] =
            [world.container_name(row.container), world.type_name(row.type_), world.value_name(row.value)]
                .map(|t| self.text(t));
        self.row(&["State", &container, &type_, &start, &end, &duration, &depth, &value])
    }

    fn segment(&mut self, _: &World, _: &StateRow, _: &[OwnedExtra]) -> Result<()> {
        Ok(())
    }

    fn event(&mut self, world: &World, row: &EventRow, _: &[OwnedExtra]) -> Result<()> {
        let time = self.time(row.tick);
        let [container, type_, value] =
            [world.container_name(row.container), world.type_name(row.type_), world.value_name(row.value)]
                .map(|t| self.text(t));
        self.row(&["Event", &container, &type_, &time, &value])
    }

    fn variable(&mut self, world: &World, row: &VariableRow, _: &[OwnedExtra]) -> Result<()> {
        let (start, end, duration) = (self.time(row.start), self.time(row.end), self.duration(row.start, row.end));
        let value = self.number(row.value);
        let [container, type_] =
            [world.container_name(row.container), world.type_name(row.type_)].map(|t| self.text(t));
        self.row(&["Variable", &container, &type_, &start, &end, &duration, &value])
    }

    fn link(&mut self, world: &World, row: &LinkRow<'_>, _: &[OwnedExtra]) -> Result<()> {
        let (start, end, duration) = (self.time(row.start), self.time(row.end), self.duration(row.start, row.end));
        let key = String::from_utf8_lossy(row.key);
        let [container, type_, value, source, target, key] = [
            world.container_name(row.container),
            world.type_name(row.type_),
            world.value_name(row.value),
            world.container_name(row.source),
            world.container_name(row.target),
            &key,
        ]
        .map(|t| self.text(t));
        self.row(&["Link", &container, &type_, &start, &end, &duration, &value, &source, &target, &key])
    }
}
