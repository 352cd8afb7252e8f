//! The slow, obvious twin of the search, the models that it is tried on, and how random ones are made.

use proptest::prelude::*;

use super::super::*;

/// A model as a test writes it down: containers in preorder, and `rho[leaf][slice][state]`.
#[derive(Debug, Clone)]
pub(in crate::partition) struct Sample {
    pub(in crate::partition) containers: Vec<TreeContainer>,
    pub(in crate::partition) slices: usize,
    pub(in crate::partition) states: usize,
    pub(in crate::partition) rho: Vec<Vec<Vec<f64>>>,
}

impl Sample {
    pub(in crate::partition) fn model(&self) -> Model {
        let tree = PartitionTree::new(&self.containers).expect("a tree");
        assert_eq!(tree.leaves(), self.rho.len());
        let mut model = Model::new(tree, self.slices, self.states);
        for (leaf, slices) in self.rho.iter().enumerate() {
            for (slice, states) in slices.iter().enumerate() {
                for (state, rho) in states.iter().enumerate() {
                    model.add(leaf, slice, state, *rho);
                }
            }
        }
        model
    }

    /// The sample that a measure is for: around zero with deviations, which have signs.
    pub(in crate::partition) fn with_signs(mut self, measure: PartitionMeasure) -> Sample {
        if measure == PartitionMeasure::Deviation {
            self.rho.iter_mut().flatten().flatten().for_each(|rho| *rho -= 0.5);
        }
        self
    }

    pub(in crate::partition) fn measures(&self, measure: PartitionMeasure) -> Measures {
        measured(self.model(), measure)
    }

    pub(in crate::partition) fn search(&self, measure: PartitionMeasure, ties: Ties) -> PartitionSearch {
        PartitionSearch::new(self.measures(measure), ties)
    }

    /// Containers in groups of equal size below one root, without states.
    pub(in crate::partition) fn groups(groups: usize, size: usize, slices: usize, states: usize) -> Sample {
        let mut containers = vec![TreeContainer { parent: None, resources: 0 }];
        for _ in 0..groups {
            let group = containers.len();
            containers.push(TreeContainer { parent: Some(0), resources: 0 });
            containers.extend((0..size).map(|_| TreeContainer { parent: Some(group), resources: 1 }));
        }
        Sample { containers, slices, states, rho: vec![vec![vec![0.0; states]; slices]; groups * size] }
    }
}

pub(in crate::partition) fn measured(model: Model, measure: PartitionMeasure) -> Measures {
    Measures::new(model, measure, &Interrupt::default()).expect("nobody interrupts")
}

/// A node of the twin: every container is one, and a leaf for states of its own where it has children.
pub(in crate::partition) struct SlowNode {
    pub(in crate::partition) container: Option<usize>,
    pub(in crate::partition) children: Vec<SlowNode>,
    /// Leaves with the resources that each stands for.
    pub(in crate::partition) leaves: Vec<(usize, f64)>,
}

/// The twin: measures straight from equations 1 to 3, and Algorithm 1 as it is printed.
pub(in crate::partition) struct Slow<'a> {
    pub(in crate::partition) sample: &'a Sample,
    pub(in crate::partition) measure: PartitionMeasure,
    pub(in crate::partition) ties: Ties,
    pub(in crate::partition) p: f64,
}

pub(in crate::partition) fn information(rho: f64) -> f64 {
    if rho > 0.0 { rho * rho.log2() } else { 0.0 }
}

impl Slow<'_> {
    pub(in crate::partition) fn root(&self) -> SlowNode {
        let containers = &self.sample.containers;
        let mut next_leaf = 0;
        let roots = (0..containers.len()).filter(|place| containers[*place].parent.is_none());
        let mut trees: Vec<SlowNode> = roots.map(|root| self.node(root, &mut next_leaf)).collect();
        trees.retain(|tree| !tree.leaves.is_empty());
        if trees.len() == 1 { trees.remove(0) } else { join(None, trees) }
    }

    pub(in crate::partition) fn node(&self, place: usize, next_leaf: &mut usize) -> SlowNode {
        let containers = &self.sample.containers;
        let resources = f64::from(containers[place].resources);
        let mut parts = vec![];
        if resources > 0.0 {
            parts.push(SlowNode { container: Some(place), children: vec![], leaves: vec![(*next_leaf, resources)] });
            *next_leaf += 1;
        }
        let carries = parts.len();
        for child in (0..containers.len()).filter(|child| containers[*child].parent == Some(place)) {
            parts.push(self.node(child, next_leaf));
        }
        parts.retain(|part| !part.leaves.is_empty());
        if carries == 1 && parts.len() == 1 { parts.remove(0) } else { join(Some(place), parts) }
    }

    /// Squared distances from the mean, and cells saved, in units of what a cell of the whole varies.
    pub(in crate::partition) fn deviation(&self, node: &SlowNode, first: usize, last: usize) -> Quality {
        let loss = |node: &SlowNode, first: usize, last: usize| {
            let mut cells = vec![];
            for (leaf, weight) in &node.leaves {
                cells.extend((first..=last).map(|slice| (*weight, &self.sample.rho[*leaf][slice])));
            }
            let count: f64 = cells.iter().map(|(weight, _)| weight).sum();
            let mut loss = 0.0;
            for state in 0..self.sample.states {
                let mean = cells.iter().map(|(weight, states)| weight * states[state]).sum::<f64>() / count;
                loss += cells.iter().map(|(weight, states)| weight * (states[state] - mean).powi(2)).sum::<f64>();
            }
            (loss, count - 1.0)
        };
        let (whole, most) = loss(&self.root(), 0, self.sample.slices - 1);
        let (loss, saved) = loss(node, first, last);
        Quality { gain: if most > 0.0 { whole * saved / most } else { 0.0 }, loss }
    }

    pub(in crate::partition) fn quality(&self, node: &SlowNode, first: usize, last: usize) -> Quality {
        if self.measure == PartitionMeasure::Deviation {
            return self.deviation(node, first, last);
        }
        let resources: f64 = node.leaves.iter().map(|(_, resources)| resources).sum();
        let areas = resources * (last - first + 1) as f64;
        let mut quality = Quality::default();
        for state in 0..self.sample.states {
            let cells = || {
                node.leaves.iter().flat_map(move |(leaf, weight)| {
                    (first..=last).map(move |slice| (*weight, self.sample.rho[*leaf][slice][state]))
                })
            };
            let sum: f64 = cells().map(|(weight, rho)| weight * rho).sum();
            let mean = sum / areas;
            let micro: f64 = cells().map(|(weight, rho)| weight * information(rho)).sum();
            let aggregated = match self.measure {
                PartitionMeasure::Mean => information(mean),
                PartitionMeasure::Sum => information(sum),
                PartitionMeasure::Deviation => unreachable!("has a quality of its own"),
            };
            quality.gain += aggregated - micro;
            quality.loss += cells()
                .map(|(weight, rho)| if rho > 0.0 { weight * rho * (rho / mean).log2() } else { 0.0 })
                .sum::<f64>();
        }
        quality
    }

    pub(in crate::partition) fn value(&self, quality: Quality) -> f64 {
        self.p * quality.gain - (1.0 - self.p) * quality.loss
    }

    /// The best value of an area and its parts as (container, first, last): no cut, then the cut in space, then the cuts
    /// in time, each only if it is better than those before it.
    pub(in crate::partition) fn best(
        &self,
        node: &SlowNode,
        first: usize,
        last: usize,
    ) -> (f64, Vec<(Option<usize>, usize, usize)>) {
        let mut best = (self.value(self.quality(node, first, last)), vec![(node.container, first, last)]);
        let mut other = |value: f64, parts: Vec<_>| {
            const SAME: f64 = 1e-10;
            let is_equal = (value - best.0).abs() <= SAME;
            let is_better = match self.ties {
                Ties::Fewest if is_equal => parts.len() < best.1.len(),
                _ => value > best.0 + SAME,
            };
            if is_better {
                best = (value, parts);
            }
        };
        if !node.children.is_empty() {
            let parts: Vec<_> = node.children.iter().map(|child| self.best(child, first, last)).collect();
            other(parts.iter().map(|part| part.0).sum(), parts.into_iter().flat_map(|part| part.1).collect());
        }
        for cut in first..last {
            let (before, after) = (self.best(node, first, cut), self.best(node, cut + 1, last));
            other(before.0 + after.0, [before.1, after.1].concat());
        }
        best
    }

    /// How many areas the smallest partition of that value has.
    pub(in crate::partition) fn fewest(&self, node: &SlowNode, first: usize, last: usize, value: f64) -> usize {
        let all = self.all(node, first, last);
        let best = all.iter().filter(|(quality, _)| close(self.value(*quality), value));
        best.map(|(_, areas)| *areas).min().expect("a partition")
    }

    /// The qualities of all partitions of an area and how many areas each has: every one, by every sequence of cuts.
    pub(in crate::partition) fn all(&self, node: &SlowNode, first: usize, last: usize) -> Vec<(Quality, usize)> {
        let mut all = vec![(self.quality(node, first, last), 1)];
        if !node.children.is_empty() {
            let parts = node.children.iter().map(|child| self.all(child, first, last));
            all.extend(parts.reduce(|one, other| sums(&one, &other)).unwrap_or_default());
        }
        for cut in first..last {
            all.extend(sums(&self.all(node, first, cut), &self.all(node, cut + 1, last)));
        }
        all
    }
}

pub(in crate::partition) fn join(container: Option<usize>, children: Vec<SlowNode>) -> SlowNode {
    let leaves = children.iter().flat_map(|child| child.leaves.clone()).collect();
    SlowNode { container, children, leaves }
}

pub(in crate::partition) fn sums(some: &[(Quality, usize)], others: &[(Quality, usize)]) -> Vec<(Quality, usize)> {
    some.iter().flat_map(|one| others.iter().map(move |other| (one.0 + other.0, one.1 + other.1))).collect()
}

/// Trees with chains, several roots, carriers with children, and leaves that stand for several resources.
pub(in crate::partition) fn containers(most: usize) -> impl Strategy<Value = Vec<TreeContainer>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0..5_u32), 1..=most).prop_map(|choices| {
        let mut containers: Vec<TreeContainer> = vec![];
        let mut open: Vec<usize> = vec![];
        let mut root = 0;
        for (place, (depth, resources)) in choices.iter().enumerate() {
            open.truncate(depth.index(open.len() + 1));
            // Mostly one tree: a second root now and then.
            match open.is_empty() {
                true if place > 0 && *resources != 4 => open.push(root),
                true => root = place,
                false => {}
            }
            let resources = [0, 0, 1, 1, 3][*resources as usize];
            containers.push(TreeContainer { parent: open.last().copied(), resources });
            open.push(place);
        }
        if containers.iter().all(|container| container.resources == 0)
            && let Some(last) = containers.last_mut()
        {
            last.resources = 1;
        }
        containers
    })
}

/// Proportions: either anything, or few values with many ties.
pub(in crate::partition) fn proportion() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..1.0_f64, prop::sample::select(vec![0.0, 0.25, 0.5, 1.0])]
}

pub(in crate::partition) fn sample(most_containers: usize, most_slices: usize) -> impl Strategy<Value = Sample> {
    let sizes = (containers(most_containers), 1..=most_slices, 1..=3_usize, prop::bool::ANY);
    sizes.prop_flat_map(|(containers, slices, states, has_ties)| {
        let leaves = containers.iter().filter(|container| container.resources > 0).count();
        let one = if has_ties { prop::sample::select(vec![0.0, 0.5, 1.0]).boxed() } else { proportion().boxed() };
        let rho = prop::collection::vec(prop::collection::vec(prop::collection::vec(one, states), slices), leaves);
        rho.prop_map(move |rho| Sample { containers: containers.clone(), slices, states, rho })
    })
}

pub(in crate::partition) fn measure() -> impl Strategy<Value = PartitionMeasure> {
    prop::sample::select(vec![PartitionMeasure::Mean, PartitionMeasure::Sum, PartitionMeasure::Deviation])
}

pub(in crate::partition) fn ties() -> impl Strategy<Value = Ties> {
    prop::sample::select(vec![Ties::Fewest, Ties::Order])
}

pub(in crate::partition) fn ratio() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..=1.0_f64, prop::sample::select(vec![0.0, 0.5, 1.0])]
}

pub(in crate::partition) fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}
