//! Pictures and reports of a trace.

use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum;
use ocellus::catalog::did_you_mean;
use ocellus::engine::{CancelFlag, Engine};
use ocellus::error::{Error, Result};
use ocellus::output::OutputFolder;
use ocellus::render::color::PaletteChoice;
use ocellus::render::pictures::{
    DrawOptions, DrawSource, Drawing, FileFormat, PictureView, SceneBase, VIEW_OPTIONS, check_options, check_ranges,
    draw,
};
use ocellus::render::report;
use ocellus::store::Existing;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::python_error;
use crate::workers::wait_for;

/// Draws a view as the content of a file; what there is to say comes with it.
pub fn drawn<'py>(
    py: Python<'py>,
    engine: Arc<Engine>,
    view: &str,
    extension: &str,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let options = draw_options(options)?;
    let query = options.query.clone();
    let checked = view_named(view).and_then(|view| {
        check_options(view, &options)?;
        check_ranges(&options)?;
        // The format of a file of that name.
        Ok((view, FileFormat::of(Path::new(&format!("picture.{extension}")), view)?))
    });
    let (view, format) = checked.map_err(|error| python_error(py, python_spelling(error), None))?;
    let cancel = CancelFlag::default();
    let painting = async move {
        let source = DrawSource::open(&engine, &options).await.map_err(python_spelling)?;
        draw(view, format, &source).await.map_err(python_spelling)
    };
    let Drawing { content, remark } = wait_for(py, &cancel, query.as_deref(), painting)?;
    Ok((PyBytes::new(py, &content), remark))
}

/// Writes the report of a trace into a folder.
pub fn reported(py: Python<'_>, engine: Arc<Engine>, path: &Path, overwrite: bool) -> PyResult<()> {
    let existing = if overwrite { Existing::Replace } else { Existing::Refuse };
    let folder = crate::export::check_free(path, existing)
        .and_then(|()| check_replaceable(path))
        .and_then(|()| OutputFolder::create(path, existing))
        .map_err(|error| python_error(py, error, None))?;
    let inside = folder.path().to_path_buf();
    wait_for(py, &CancelFlag::default(), None, async move { report::write(&engine, &inside, |_| {}).await })?;
    py.detach(|| folder.publish()).map_err(|error| python_error(py, error, None))
}

/// Only a report is replaced by a report: a folder of anything else is somebody's work.
fn check_replaceable(path: &Path) -> Result<()> {
    let is_empty = std::fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
    let page = std::fs::read(path.join("index.html")).unwrap_or_default();
    let is_report = page.windows(report::GENERATOR.len()).any(|window| window == report::GENERATOR.as_bytes());
    if path.exists() && !is_empty && !is_report {
        return Err(Error::Usage(format!(
            "{} is not a report and is not replaced; choose another folder",
            path.display()
        )));
    }
    Ok(())
}

/// The options of pictures: name, what it does, and which views use it.
#[pyfunction]
pub fn view_options() -> Vec<(String, &'static str, String)> {
    let option =
        |option: &ocellus::render::pictures::ViewOption| (keyword(option.name), option.doc, option.views_text());
    VIEW_OPTIONS.iter().map(option).collect()
}

/// The views: name, and what it shows.
#[pyfunction]
pub fn views() -> Vec<(String, String)> {
    let view = |view: &PictureView| {
        let value = view.to_possible_value()?;
        Some((value.get_name().to_string(), value.get_help().map(ToString::to_string).unwrap_or_default()))
    };
    PictureView::value_variants().iter().filter_map(view).collect()
}

fn view_named(name: &str) -> Result<PictureView> {
    PictureView::named(name).ok_or_else(|| {
        let views = views();
        let names: Vec<&str> = views.iter().map(|(name, _)| name.as_str()).collect();
        let suggestion = did_you_mean(name, names.iter().copied());
        Error::Usage(format!("no view {name}{suggestion}; the views are {}", names.join(", ")))
    })
}

/// An option of the command line as an argument in Python.
fn keyword(option: &str) -> String {
    option.replace('-', "_")
}

/// Messages name options as arguments in Python.
fn python_spelling(error: Error) -> Error {
    let spell = |mut text: String| {
        for option in VIEW_OPTIONS {
            text = text.replace(&format!("--{}", option.name), &keyword(option.name));
        }
        text
    };
    match error {
        Error::Usage(text) => Error::Usage(spell(text)),
        Error::Query(mut query) => {
            query.message = spell(query.message);
            Error::Query(query)
        }
        other => other,
    }
}

fn draw_options(given: &Bound<'_, PyDict>) -> PyResult<DrawOptions> {
    let py = given.py();
    let mut options = DrawOptions::default();
    for (name, value) in given {
        if value.is_none() {
            continue;
        }
        let name: String = name.extract()?;
        match name.as_str() {
            "start" => options.start = value.extract()?,
            "stop" => options.stop = value.extract()?,
            "width" => options.width = value.extract()?,
            "height" => options.height = value.extract()?,
            "type" => options.type_name = value.extract()?,
            "depth" => options.depth = value.extract()?,
            "slices" => options.slices = value.extract()?,
            "p" => options.p = value.extract()?,
            "mode" => options.mode = value.extract()?,
            "palette" => options.palette = Some(choice::<PaletteChoice>(&name, &value)?),
            "phases" => options.phases = value.extract()?,
            "communities" => options.communities = value.extract()?,
            "flows" => options.flows = value.extract()?,
            "base" => options.base = Some(choice::<SceneBase>(&name, &value)?),
            "time_scale" => options.time_scale = value.extract()?,
            "query" => options.query = value.extract()?,
            _ => {
                let known: Vec<String> = VIEW_OPTIONS.iter().map(|option| keyword(option.name)).collect();
                let suggestion = did_you_mean(&name, known.iter().map(String::as_str));
                let message = format!("no option {name}{suggestion}; the options are {}", known.join(", "));
                return Err(python_error(py, Error::Usage(message), None));
            }
        }
    }
    Ok(options)
}

/// A value of a list of names.
fn choice<T: ValueEnum>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    let text: String = value.extract()?;
    T::from_str(&text, true).map_err(|_| {
        let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_string()).collect();
        let message = format!("{name} must be one of {}, got {text}", names.join(", "));
        python_error(value.py(), Error::Usage(message), None)
    })
}
