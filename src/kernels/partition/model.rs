//! The microscopic model: what every leaf does in every slice.

use super::tree::PartitionTree;

/// Proportions of every state, by leaf and slice.
#[derive(Debug, Clone)]
pub struct Model {
    tree: PartitionTree,
    slices: usize,
    states: usize,
    /// `[leaf][state][slice]`
    rho: Vec<f64>,
}

impl Model {
    /// A model in which nobody does anything yet.
    pub fn new(tree: PartitionTree, slices: usize, states: usize) -> Model {
        let rho = vec![0.0; tree.leaves() * states * slices];
        Model { tree, slices, states, rho }
    }

    /// The tree of containers.
    pub fn tree(&self) -> &PartitionTree {
        &self.tree
    }

    /// How many slices there are.
    pub fn slices(&self) -> usize {
        self.slices
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Adds to the proportion of a slice that a leaf spends in a state; gives the sum.
    pub fn add(&mut self, leaf: usize, slice: usize, state: usize, rho: f64) -> f64 {
        let sum = &mut self.rho[(leaf * self.states + state) * self.slices + slice];
        *sum += rho;
        *sum
    }

    /// The same model before anything was added.
    pub fn emptied(mut self) -> Model {
        self.rho.fill(0.0);
        self
    }

    /// The proportions of a leaf: `[state][slice]`.
    pub fn leaf(&self, leaf: usize) -> &[f64] {
        let size = self.states * self.slices;
        &self.rho[leaf * size..(leaf + 1) * size]
    }

    /// The proportion of a state in a node during an interval, both ends included: equation 1.
    pub fn proportion(&self, node: usize, first: usize, last: usize, state: usize) -> f64 {
        let node = self.tree.nodes()[node];
        let mut sum = 0.0;
        for leaf in node.first_leaf..node.first_leaf + node.leaves {
            let slices = &self.leaf(leaf)[state * self.slices..][first..=last];
            sum += self.tree.nodes()[leaf].resources as f64 * slices.iter().sum::<f64>();
        }
        sum / (node.resources as f64 * (last - first + 1) as f64)
    }

    /// Bytes that a model of that size and its partition need at their largest.
    pub fn bytes_needed(tree: &PartitionTree, slices: usize, states: usize) -> u128 {
        let (nodes, leaves) = (tree.nodes().len() as u128, tree.leaves() as u128);
        let (slices, states) = (slices as u128, states as u128);
        let cells = slices * (slices + 1) / 2;
        let prefixes = (slices + 1) * (states + 2);
        8 * (leaves * states * slices + nodes * (2 * cells + prefixes))
    }

    /// The model in which all slices are one: every leaf with its means over time.
    pub fn without_time(&self) -> Model {
        let mut model = Model::new(self.tree.clone(), 1, self.states);
        let series = self.rho.chunks_exact(self.slices.max(1));
        for (mean, slices) in model.rho.iter_mut().zip(series) {
            *mean = slices.iter().sum::<f64>() / self.slices as f64;
        }
        model
    }

    /// The model in which all leaves are one resource: the root with its means over the resources.
    pub fn without_space(&self) -> Model {
        let mut model = Model::new(self.tree.root_alone(), self.slices, self.states);
        let resources = self.tree.nodes()[self.tree.root()].resources as f64;
        for leaf in 0..self.tree.leaves() {
            let weight = self.tree.nodes()[leaf].resources as f64 / resources;
            for (mean, rho) in model.rho.iter_mut().zip(self.leaf(leaf)) {
                *mean += weight * rho;
            }
        }
        model
    }
}
