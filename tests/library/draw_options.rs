//! Every view with every option: the picture changes, or the option is refused.

use std::fs;

use clap::ValueEnum;
use ocellus::engine::Engine;
use ocellus::render::color::PaletteChoice;
use ocellus::render::pictures::{
    DrawOptions, DrawSource, FileFormat, PictureView, SceneBase, VIEW_OPTIONS, ViewOption, check_options, draw,
};

use crate::pictures::{engine_on, engine_on_all};
use crate::support::{block_on, checkout, sample};

/// Sets an option to something else than it is by itself.
fn set(options: &mut DrawOptions, name: &str, view: PictureView) {
    match name {
        "start" => options.start = Some(window(view).0),
        "stop" => options.stop = Some(window(view).1),
        "width" => options.width = Some(640.0),
        "height" => options.height = Some(500.0),
        "type" => {
            options.type_name =
                Some(if view == PictureView::Phase { "temperature,memory" } else { "other" }.to_string())
        }
        "depth" => options.depth = Some(0),
        "slices" => options.slices = Some(7),
        "p" => options.p = Some(1.0),
        "with" => options.with = Some("rounds".to_string()),
        "align" => options.align = Some("phases".to_string()),
        "mode" => options.mode = true,
        "palette" => options.palette = Some(PaletteChoice::Colorblind),
        "phases" => options.phases = Some(2),
        "communities" => options.communities = Some(2),
        "flows" => options.flows = true,
        "base" => options.base = Some(SceneBase::Treemap),
        "time-scale" => options.time_scale = Some(3.0),
        "query" => options.query = Some(query(view).to_string()),
        _ => panic!("a new option: {name}"),
    }
}

/// A window without some of what the view shows.
fn window(view: PictureView) -> (f64, f64) {
    match view {
        // The first of four messages ends at 3.9, the last begins at 4.5.
        PictureView::Topology | PictureView::Matrix => (4.2, 4.4),
        // Stages begin at 1, 2 and 4.
        PictureView::Commgram => (1.8, 2.8),
        _ => (2.5, 7.0),
    }
}

/// Rows that a view can draw.
fn query(view: PictureView) -> &'static str {
    match view {
        PictureView::Timeline | PictureView::Overview | PictureView::Scene => {
            "SELECT * FROM state_segments WHERE value <> 'compute'"
        }
        PictureView::Difference => {
            "SELECT *, CAST(resources AS DOUBLE) AS height FROM difference_partition('rounds', 'rounds_again', slices => 5)"
        }
        PictureView::Treemap => {
            "SELECT container_id, value, sum(duration) AS weight FROM states WHERE value <> 'compute' GROUP BY 1, 2"
        }
        PictureView::Topology => "SELECT * FROM comm_graph((SELECT * FROM links WHERE start_time > 4))",
        PictureView::Profile => {
            "SELECT slice, value, seconds FROM state_slices(state_segments, slices => 5) WHERE value <> 'compute'"
        }
        PictureView::Matrix => {
            "SELECT source_id, target_id, source, target, 1 AS messages, volume FROM links WHERE start_time > 4"
        }
        PictureView::Variables => {
            "SELECT type, container, slice_start, slice_end, mean FROM variable_slices(slices => 3)"
        }
        PictureView::Pie | PictureView::Kiviat => {
            "SELECT container_id, container, value, duration AS seconds, 0.1 AS share FROM states WHERE value <> 'compute'"
        }
        PictureView::Phase => "SELECT 1.0 AS time, 2.0 AS x, 3.0 AS y",
        PictureView::Commgram => "SELECT * FROM comm_curve(phases => 1)",
    }
}

/// A trace on which each option makes a difference.
fn engine(view: PictureView) -> (tempfile::TempDir, Engine) {
    if view == PictureView::Difference {
        return engine_on_all(&["rounds.trace", "rounds_again.trace"].map(sample), None);
    }
    let name = match view {
        PictureView::Variables | PictureView::Phase => "variables.trace",
        PictureView::Commgram => "binary_swap.trace",
        _ => "quickstart.trace",
    };
    engine_on(&sample(name), None)
}

fn content(engine: &Engine, view: PictureView, options: &DrawOptions) -> Result<Vec<u8>, String> {
    let format = if view == PictureView::Scene { FileFormat::Glb } else { FileFormat::Svg };
    let drawing = block_on(async {
        let source = DrawSource::open(engine, options).await?;
        draw(view, format, &source).await
    });
    drawing.map(|drawing| drawing.content).map_err(|error| error.to_string())
}

/// A picture without its words: a note that repeats an option is not a use of it.
fn shapes(content: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(content) {
        Ok(text) => text
            .lines()
            .filter(|line| !line.starts_with("<title>") && !line.contains("#787878"))
            .collect::<String>()
            .into(),
        Err(binary) => binary.into_bytes(),
    }
}

fn is_refused(view: PictureView, options: &DrawOptions, words: &[String]) -> Result<(), String> {
    let text = check_options(view, options).err().map(|error| error.to_string()).unwrap_or_default();
    words.iter().all(|word| text.contains(word)).then_some(()).ok_or(format!("{text:?} does not say {words:?}"))
}

#[test]
fn an_option_changes_the_picture_or_is_refused() {
    let mut faults = vec![];
    for view in PictureView::value_variants() {
        let (_folder, engine) = engine(*view);
        for query in [None, Some(query(*view).to_string())] {
            let plain = DrawOptions { query, ..DrawOptions::default() };
            let before = shapes(content(&engine, *view, &plain).unwrap_or_else(|error| panic!("{view:?}: {error}")));
            for option in VIEW_OPTIONS.iter().filter(|option| plain.query.is_none() || option.name != "query") {
                let mut options = plain.clone();
                set(&mut options, option.name, *view);
                let name = format!("--{}", option.name);
                let outcome = if !option.views.contains(view) {
                    let others = match option.views_text() {
                        text if text.starts_with("all but ") => "all other views do".to_string(),
                        text => text,
                    };
                    is_refused(*view, &options, &[name.clone(), others])
                } else if plain.query.is_some() && option.unused_with_query.contains(view) {
                    is_refused(*view, &options, &[name.clone(), "--query".to_string()])
                } else {
                    match content(&engine, *view, &options) {
                        Ok(content) if shapes(content.clone()) == before => Err("changes nothing".to_string()),
                        Ok(_) => Ok(()),
                        // A type that is not there, told by name.
                        Err(error) if option.name == "type" && error.contains("other") => Ok(()),
                        Err(error) => Err(error),
                    }
                };
                if let Err(fault) = outcome {
                    faults.push(format!(
                        "{view:?} {name}{}: {fault}",
                        if plain.query.is_some() { " --query" } else { "" }
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The table of options in the guide; `OCELLUS_BLESS=1` writes it.
#[test]
fn the_guide_has_the_table_of_options() {
    const BEGIN: &str = "| option | effect | views |\n|---|---|---|\n";
    let row = |option: &ViewOption| {
        let value = if option.value.is_empty() { String::new() } else { format!(" {}", option.value) };
        format!("| `--{}{value}` | {} | {} |\n", option.name, option.doc, option.views_text())
    };
    let table = VIEW_OPTIONS.iter().map(row).collect::<String>();
    let path = checkout().join("docs/pictures.md");
    let page = fs::read_to_string(&path).expect("a page");
    let (before, rest) = page.split_once(BEGIN).expect("the head of the table of options");
    let old: String =
        rest.lines().take_while(|line| line.starts_with("| `--")).map(|line| format!("{line}\n")).collect();
    if std::env::var_os("OCELLUS_BLESS").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{table}{}", &rest[old.len()..])).expect("a page");
    } else {
        assert_eq!(old, table, "docs/pictures.md: OCELLUS_BLESS=1 writes its table of options anew");
    }
}
