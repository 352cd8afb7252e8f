//! Algorithm 1 as it is printed, over equations 1 to 3 as they are printed: what the kernel is compared with.
//!
//! One gain, loss, value and cut per node and interval; sums are built up from slice to slice and from child to parent.

use ocellus::kernels::partition::{Model, PartitionMeasure, TIE};

/// What becomes of an area.
const NO_CUT: i32 = -2;
const SPACE: i32 = -1;

struct Node {
    children: Vec<usize>,
    scale: f64,
    gain: Vec<f64>,
    loss: Vec<f64>,
    value: Vec<f64>,
    cut: Vec<i32>,
}

/// A tree of matrices.
pub struct Plain {
    slices: usize,
    nodes: Vec<Node>,
}

fn information(x: f64) -> f64 {
    if x > 0.0 { x * x.log2() } else { 0.0 }
}

impl Plain {
    pub fn new(model: &Model, measure: PartitionMeasure) -> Plain {
        let (slices, states, tree) = (model.slices(), model.states(), model.tree());
        let size = slices * slices;
        let mut nodes: Vec<Node> = vec![];
        let (mut sums, mut infos): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (vec![], vec![]);
        for (number, place) in tree.nodes().iter().enumerate() {
            let (mut sum, mut info) = (vec![0.0; size * states], vec![0.0; size * states]);
            for child in tree.children(number) {
                for cell in 0..size * states {
                    sum[cell] += sums[*child][cell];
                    info[cell] += infos[*child][cell];
                }
            }
            if tree.children(number).is_empty() {
                let rho = model.leaf(number);
                for i in 0..slices {
                    for state in 0..states {
                        let (mut total, mut known) = (0.0, 0.0);
                        for j in i..slices {
                            total += rho[state * slices + j];
                            known += information(rho[state * slices + j]);
                            sum[(i * slices + j) * states + state] = total;
                            info[(i * slices + j) * states + state] = known;
                        }
                    }
                }
            }
            let (mut gain, mut loss) = (vec![0.0; size], vec![0.0; size]);
            for i in 0..slices {
                for j in i..slices {
                    let areas = place.resources as f64 * (j - i + 1) as f64;
                    for state in 0..states {
                        let cell = (i * slices + j) * states + state;
                        let mean = sum[cell] / areas;
                        let proportion = if measure == PartitionMeasure::Mean { mean } else { sum[cell] };
                        gain[i * slices + j] += information(proportion) - info[cell];
                        if mean > 0.0 {
                            loss[i * slices + j] += info[cell] - sum[cell] * mean.log2();
                        }
                    }
                }
            }
            let whole = (slices - 1) * states..slices * states;
            let scale = sum[whole.clone()].iter().sum::<f64>() + info[whole].iter().sum::<f64>().abs();
            let (value, cut) = (vec![0.0; size], vec![NO_CUT; size]);
            nodes.push(Node { children: tree.children(number).to_vec(), scale, gain, loss, value, cut });
            sums.push(sum);
            infos.push(info);
        }
        Plain { slices, nodes }
    }

    /// The areas of the best partition as (node, first, last), and its gain and loss.
    pub fn partition(&mut self, p: f64) -> (Vec<(usize, usize, usize)>, f64, f64) {
        let slices = self.slices;
        for number in 0..self.nodes.len() {
            let (below, rest) = self.nodes.split_at_mut(number);
            let node = &mut rest[0];
            let same = TIE * node.scale;
            for i in (0..slices).rev() {
                for j in i..slices {
                    let cell = i * slices + j;
                    let mut best = p * node.gain[cell] - (1.0 - p) * node.loss[cell];
                    let mut cut = NO_CUT;
                    if !node.children.is_empty() {
                        let mut parts = 0.0;
                        for child in &node.children {
                            parts += below[*child].value[cell];
                        }
                        if parts > best + same {
                            (best, cut) = (parts, SPACE);
                        }
                    }
                    for last in i..j {
                        let parts = node.value[i * slices + last] + node.value[(last + 1) * slices + j];
                        if parts > best + same {
                            (best, cut) = (parts, last as i32);
                        }
                    }
                    (node.value[cell], node.cut[cell]) = (best, cut);
                }
            }
        }
        let mut areas = vec![];
        self.collect(self.nodes.len() - 1, 0, slices - 1, &mut areas);
        areas.sort_unstable();
        let total = |measure: &dyn Fn(&Node) -> &Vec<f64>| {
            areas.iter().map(|(node, i, j)| measure(&self.nodes[*node])[i * slices + j]).sum::<f64>()
        };
        let (gain, loss) = (total(&|node| &node.gain), total(&|node| &node.loss));
        (areas, gain, loss)
    }

    fn collect(&self, number: usize, i: usize, j: usize, areas: &mut Vec<(usize, usize, usize)>) {
        let node = &self.nodes[number];
        match node.cut[i * self.slices + j] {
            NO_CUT => areas.push((number, i, j)),
            SPACE => node.children.iter().for_each(|child| self.collect(*child, i, j, areas)),
            last => {
                self.collect(number, i, last as usize, areas);
                self.collect(number, last as usize + 1, j, areas);
            }
        }
    }
}
