//! The names of the views, and the choices that only some of them have.

use clap::ValueEnum;

/// A kind of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PictureView {
    /// States, links and variables over time, a row per container
    Timeline,
    /// The best partition of space and time
    Overview,
    /// Where and when two runs differ
    Difference,
    /// Time as areas, containers inside those that hold them
    Treemap,
    /// Who communicates with whom, as a graph
    Topology,
    /// Time in each state per slice, stacked
    Profile,
    /// Who sends how much to whom
    Matrix,
    /// Variables over time, as steps
    Variables,
    /// Time in each state, per container or in all
    Pie,
    /// One spoke per container, one line per state
    Kiviat,
    /// Two variables against each other
    Phase,
    /// How the pattern of communication changes from phase to phase
    Commgram,
    /// Containers on a base, time upwards: a model in three dimensions
    Scene,
}

impl PictureView {
    /// The view of a name.
    pub fn named(name: &str) -> Option<PictureView> {
        PictureView::from_str(name, true).ok()
    }
}

/// What determines the positions of containers in a scene.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SceneBase {
    /// Containers that communicate are close to each other
    #[default]
    Communication,
    /// Containers are on the machines of the attached network
    Topology,
    /// Containers are inside the containers that hold them
    Treemap,
}

impl SceneBase {
    /// The base of a name.
    pub fn named(name: &str) -> Option<SceneBase> {
        SceneBase::from_str(name, true).ok()
    }
}
