//! The gallery, `sql/gallery`: one picture per view, drawn from the sample traces.
//!
//! Each picture is compared with its file, so that no change of a drawing goes unseen. `OCELLUS_BLESS=1` draws them anew,
//! with the page that shows them; look at them before you commit. Other tests hold for pictures of any trace.

use std::fs;
use std::path::{Path, PathBuf};

use ocellus::engine::{Engine, EngineOptions};
use ocellus::import::ImportOptions;
use ocellus::import::attach::{AttachOptions, MachineMap, attach};
use ocellus::render::pictures::{DrawOptions, DrawSource, FileFormat, PictureView, VIEW_OPTIONS, draw};
use ocellus::synth::{self, CommunicationOptions, HierarchyOptions, Pattern};
use tempfile::TempDir;

use crate::support::{block_on, checkout, empty_store, import_into, sample, threads};

/// A picture of the gallery.
struct Shown {
    name: &'static str,
    view: PictureView,
    trace: &'static str,
    network: Option<&'static str>,
    /// Another trace of the store.
    other: Option<&'static str>,
    /// Further options of the command, as they are typed.
    arguments: &'static [(&'static str, &'static str)],
    /// What it shows.
    text: &'static str,
}

const fn shown(name: &'static str, view: PictureView, trace: &'static str, text: &'static str) -> Shown {
    Shown { name, view, trace, network: None, other: None, arguments: &[("--width", "720")], text }
}

const PICTURES: [Shown; 15] = [
    shown(
        "timeline",
        PictureView::Timeline,
        "quickstart",
        "A row per container, its states stacked in each column by their time, nested ones below their outer ones, links as \
         arrows, variables as steps.",
    ),
    shown("profile", PictureView::Profile, "quickstart", "How many containers are in each state, slice by slice."),
    Shown {
        arguments: &[("--width", "720"), ("--slices", "20"), ("--p", "0.2")],
        ..shown(
            "overview",
            PictureView::Overview,
            "overview",
            "The best partition of space and time: each area in the color of its main state, the tree of containers at \
             the side. The larger p, the fewer areas.",
        )
    },
    Shown {
        other: Some("rounds_again"),
        arguments: &[("--trace", "rounds"), ("--width", "720"), ("--slices", "10")],
        ..shown(
            "difference",
            PictureView::Difference,
            "rounds",
            "Where and when two runs differ: orange where the other run is more in a state, blue where it is less.",
        )
    },
    shown(
        "treemap",
        PictureView::Treemap,
        "quickstart",
        "Time as areas: states inside their containers, containers inside those that hold them.",
    ),
    shown("pie", PictureView::Pie, "quickstart", "Time in each state, per container."),
    shown(
        "kiviat",
        PictureView::Kiviat,
        "quickstart",
        "One spoke per container, one line per state, as far out as its share of time.",
    ),
    shown(
        "matrix",
        PictureView::Matrix,
        "collectives",
        "Who sends how much to whom, messages from point to point beside collective operations.",
    ),
    shown(
        "topology",
        PictureView::Topology,
        "quickstart",
        "Who communicates with whom; the wider an edge, the more it carries.",
    ),
    Shown {
        network: Some("quickstart.dot"),
        ..shown(
            "network",
            PictureView::Topology,
            "quickstart",
            "The same view of a trace with an attached network: messages are routed over it, and the busiest connections \
             are red.",
        )
    },
    Shown {
        arguments: &[("--width", "720"), ("--phases", "27")],
        ..shown(
            "commgram",
            PictureView::Commgram,
            "pipeline",
            "How the pattern of communication changes: eight phases of a stencil and one of a swap, three times.",
        )
    },
    Shown {
        arguments: &[("--width", "720"), ("--flows", "")],
        ..shown(
            "flows",
            PictureView::Commgram,
            "binary_swap",
            "The same view with what flows in each phase: binary swap, where everyone exchanges with another partner in each \
             stage, and half as much as before.",
        )
    },
    shown(
        "variables",
        PictureView::Variables,
        "variables",
        "Variables as steps: a strip per type, a line per container.",
    ),
    shown("phase", PictureView::Phase, "variables", "Two variables against each other, from early to late."),
    shown("empty", PictureView::Matrix, "nested", "A picture of something that a trace does not have says so."),
];

/// An engine on the trace in a file, with a network attached.
pub(crate) fn engine_on(trace: &Path, network: Option<PathBuf>) -> (TempDir, Engine) {
    engine_on_all(&[trace.to_path_buf()], network)
}

/// An engine on the first of some traces, with a network attached to it.
pub(crate) fn engine_on_all(traces: &[PathBuf], network: Option<PathBuf>) -> (TempDir, Engine) {
    let (folder, store) = empty_store();
    let names: Vec<String> = traces.iter().map(|trace| import_into(&store, trace, &ImportOptions::default())).collect();
    let first = names.into_iter().next();
    if network.is_some() {
        let options = AttachOptions { trace: first.clone(), topology: network, hierarchy: None, map: MachineMap::Name };
        attach(&store, &options).expect("a network");
    }
    let options = EngineOptions { trace: first, ..threads(2) };
    (folder, Engine::open(store, options).expect("an engine"))
}

pub(crate) fn svg(engine: &Engine, view: PictureView, options: &DrawOptions) -> String {
    let drawing = block_on(async {
        let source = DrawSource::open(engine, options).await?;
        draw(view, FileFormat::Svg, &source).await
    });
    String::from_utf8(drawing.unwrap_or_else(|error| panic!("{view:?}: {error}")).content).expect("text")
}

fn options(arguments: &[(&str, &str)]) -> DrawOptions {
    let mut options = DrawOptions::default();
    for (name, value) in arguments {
        match *name {
            "--width" => options.width = value.parse().ok(),
            "--slices" => options.slices = value.parse().ok(),
            "--p" => options.p = value.parse().ok(),
            "--phases" => options.phases = value.parse().ok(),
            "--flows" => options.flows = true,
            // The first that is imported.
            "--trace" => {}
            _ => panic!("no option {name}"),
        }
    }
    options
}

/// The page of the gallery.
fn page() -> String {
    let mut text = String::from(
        "# Gallery\n\nGenerated from the sample traces by `OCELLUS_BLESS=1 cargo test --release --test library pictures`; do not \
         edit.\n\nEvery view of `ocellus draw`. Pictures are SVG, PNG or PDF, by the name of the file; an SVG describes what \
         the mouse points at. A scene in three dimensions, `ocellus draw TRACE scene -o scene.glb`, opens in any \
         viewer of glTF.\n",
    );
    for Shown { name, view, trace, network, other, arguments, text: what } in &PICTURES {
        let view = format!("{view:?}").to_lowercase();
        let arguments: String =
            arguments.iter().map(|(name, value)| format!(" {name} {value}").trim_end().to_string()).collect();
        let command = match (network, other) {
            (None, Some(other)) => format!(
                "ocellus import traces/{trace}.trace traces/{other}.trace --store runs\nocellus draw runs {view} -o \
                 {name}.svg{arguments}"
            ),
            (None, None) => format!("ocellus draw traces/{trace}.trace {view} -o {name}.svg{arguments}"),
            (Some(network), _) => format!(
                "ocellus import traces/{trace}.trace --store runs\nocellus attach runs --trace {trace} --topology \
                 traces/{network}\nocellus draw runs {view} -o {name}.svg{arguments}"
            ),
        };
        text.push_str(&format!("\n## {name}\n\n{what}\n\n```sh\n{command}\n```\n\n![{name}]({name}.svg)\n"));
    }
    text
}

/// Compares a file of the gallery, or writes it.
fn check(name: &str, content: &str, faults: &mut Vec<String>) {
    let path = checkout().join("sql/gallery").join(name);
    if std::env::var_os("OCELLUS_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        fs::write(&path, content).expect("a file");
    } else if fs::read_to_string(&path).ok().as_deref() != Some(content) {
        faults.push(name.to_string());
    }
}

#[test]
fn the_gallery_is_current() {
    let mut faults = vec![];
    check("README.md", &page(), &mut faults);
    for picture in &PICTURES {
        let network = picture.network.map(sample);
        let traces: Vec<PathBuf> = [Some(picture.trace), picture.other]
            .into_iter()
            .flatten()
            .map(|name| sample(&format!("{name}.trace")))
            .collect();
        let (_folder, engine) = engine_on_all(&traces, network);
        check(&format!("{}.svg", picture.name), &svg(&engine, picture.view, &options(picture.arguments)), &mut faults);
    }
    let known: Vec<String> = PICTURES.iter().map(|picture| format!("{}.svg", picture.name)).collect();
    for file in fs::read_dir(checkout().join("sql/gallery")).expect("a gallery").flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".svg") && !known.contains(&name) {
            faults.push(format!("{name} is in no list"));
        }
    }
    assert!(
        faults.is_empty(),
        "drawn differently: {}; OCELLUS_BLESS=1 draws anew, look at what changes",
        faults.join(", ")
    );
}

/// What must be true of any picture: it says what it is, tells times and amounts, and is small and whole.
fn assert_sound(svg: &str, what: &str) {
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{what}");
    assert!(svg.len() < 2 << 20, "{what}: {} bytes", svg.len());
    assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("=\"-inf"), "{what}");
    assert!(svg.contains("<title>") && svg.contains("font-size=\"15\""), "{what}: no title");
}

#[test]
fn pictures_of_every_sample_are_sound() {
    let samples = fs::read_dir(checkout().join("traces")).expect("samples").flatten().map(|entry| entry.path());
    for sample in samples.filter(|path| path.extension().is_some_and(|extension| extension == "trace")) {
        let (_folders, engine) = engine_on_two(&sample);
        for picture in &PICTURES {
            let svg = svg(&engine, picture.view, &DrawOptions::default());
            assert_sound(&svg, &format!("{:?} of {}", picture.view, sample.display()));
        }
    }
}

/// An engine on a trace that lies beside a copy of it: some pictures compare two runs.
fn engine_on_two(trace: &Path) -> ([TempDir; 2], Engine) {
    let folder = tempfile::tempdir().expect("a folder");
    let again = folder.path().join("run_again.trace");
    fs::copy(trace, &again).expect("a copy");
    let (store, engine) = engine_on_all(&[trace.to_path_buf(), again], None);
    ([folder, store], engine)
}

/// Those of some options that a view uses.
fn used(view: PictureView, options: &DrawOptions) -> DrawOptions {
    let is_used = |name: &str| {
        let option = VIEW_OPTIONS.iter().find(|option| option.name == name);
        option.is_some_and(|option| option.views.contains(&view))
    };
    DrawOptions {
        slices: options.slices.filter(|_| is_used("slices")),
        p: options.p.filter(|_| is_used("p")),
        ..options.clone()
    }
}

/// Draws all views of a generated trace, with options that ask for much.
fn assert_small(write: impl FnOnce(&mut fs::File) -> ocellus::error::Result<()>, options: &DrawOptions) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.trace");
    write(&mut fs::File::create(&path).expect("a file")).expect("a trace");
    let (_folders, engine) = engine_on_two(&path);
    for picture in &PICTURES {
        let options = used(picture.view, options);
        assert_sound(&svg(&engine, picture.view, &options), &format!("{:?} {options:?}", picture.view));
    }
}

/// 3,000 containers, each twenty times in its two states.
#[test]
fn pictures_of_many_containers_stay_small() {
    let shape = HierarchyOptions { shape: vec![3, 10, 100], rounds: 20, ..HierarchyOptions::default() };
    assert_small(|out| synth::hierarchy(&shape, out), &DrawOptions::default());
}

/// No state is like its neighbours, nothing may be lost, and there are more slices than states.
#[test]
fn pictures_of_many_slices_stay_small() {
    let shape = HierarchyOptions { shape: vec![4, 25], rounds: 50, noise: 40, ..HierarchyOptions::default() };
    let options = DrawOptions { slices: Some(400), p: Some(0.0), ..DrawOptions::default() };
    assert_small(|out| synth::hierarchy(&shape, out), &options);
}

/// All of 120 leaves send to all others.
#[test]
fn pictures_of_many_links_stay_small() {
    let shape = HierarchyOptions { shape: vec![120], ..HierarchyOptions::default() };
    let all = CommunicationOptions { hierarchy: shape, pattern: Pattern::Full };
    assert_small(|out| synth::communication(&all, out), &DrawOptions::default());
}
