//! The best partition of space and time: Dosimont et al., "A Spatiotemporal Data Aggregation Technique for
//! Performance Analysis of Large-scale Execution Traces", IEEE Cluster 2014, sections III and IV.
//!
//! ```text
//!  containers ─► Tree  ─┐
//!  proportions ─────────┴► Model ─► Measures ─► Search ─► Partition     one per p
//!                          dense    once        per p     areas         levels(): which p matter
//!                                                                       visual(): what a screen can show
//!                                                                       area_ranges(): areas of all p
//! ```
//! In: a tree of containers, and for every leaf, slice and state the proportion rho of the slice that the leaf
//! spent in the state. Out: disjoint areas, each a node of the tree during an interval of slices, that cover
//! everything and maximize `p · gain − (1 − p) · loss`.

mod area_ranges;
mod dimensions;
mod interrupt;
mod levels;
mod logarithm;
mod measures;
mod model;
mod search;
#[cfg(test)]
mod tests;
mod tree;
mod triangle;
mod visual;

pub use area_ranges::{AreaRange, PictureHeight, area_ranges};
pub use dimensions::product;
pub use interrupt::{Interrupt, Interrupted};
pub use levels::{PartitionLevel, full_aggregation, levels};
pub use measures::{Measures, PartitionMeasure, Quality, TIE};
pub use model::Model;
pub use search::{AreaPartition, PartitionArea, PartitionSearch, Ties, additions};
pub use tree::{PartitionTree, TreeContainer, TreeError, TreeNode};
pub use visual::{VisualArea, VisualMark, visual};
