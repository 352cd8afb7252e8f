//! Collected rows become a model: leaves of the container tree, slices, states.

use std::collections::{BTreeMap, HashMap, HashSet};

use datafusion::common::{Result, exec_datafusion_err, exec_err, resources_datafusion_err};

use super::partition_rows::{CellRow, ModelRows, TreeRow};
use super::partition_settings::{PartitionQuestion, PartitionSettings, TickWindow};
use ocellus_kernels::partition::{Model, PartitionTree, TreeContainer, TreeError, additions};
use ocellus_kernels::slices::Slicing;

/// A model, and the names of what is in it.
#[derive(Debug)]
pub(crate) struct Overview {
    pub(crate) model: Model,
    pub(crate) names: ModelNames,
}

/// What the numbers of a model mean.
#[derive(Debug)]
pub(crate) struct ModelNames {
    /// The containers of the trace in preorder: the places of the tree.
    containers: Vec<TreeRow>,
    /// Their names.
    texts: Vec<Option<String>>,
    /// The value of each state.
    states: Vec<Option<String>>,
    times: SliceTimes,
    right_times: SliceTimes,
}

impl ModelNames {
    pub(crate) fn container(&self, place: Option<usize>) -> Option<&TreeRow> {
        self.containers.get(place?)
    }

    pub(crate) fn container_name(&self, place: Option<usize>) -> Option<&str> {
        self.texts.get(place?)?.as_deref()
    }

    pub(crate) fn state(&self, state: usize) -> Option<&str> {
        self.states.get(state)?.as_deref()
    }

    /// When a slice begins, in seconds; the slice after the last begins when the last one ends.
    pub(crate) fn time(&self, slice: usize) -> Option<f64> {
        self.times.boundary(slice)
    }

    /// The interval of the other run that slices are compared with, both ends included.
    pub(crate) fn right_interval(&self, first: usize, last: usize) -> [Option<f64>; 2] {
        [self.right_times.boundary(first), self.right_times.end(last)]
    }
}

/// Containers in preorder, and the leaf that each of them counts for.
struct TreePlaces {
    containers: Vec<TreeRow>,
    by_id: HashMap<i32, usize>,
    parents: Vec<Option<usize>>,
}

impl Overview {
    /// The model that rows make; `None` when there are no cells.
    pub(crate) fn new(rows: &ModelRows, settings: &PartitionSettings) -> Result<Option<Overview>> {
        let Some((places, tree)) = tree(rows, settings)? else {
            return Ok(None);
        };
        let slices = slices(rows, settings)?;
        let states = ModelStates::new(rows);
        check_operations(settings, &tree, slices, states.values.len())?;
        check_memory(settings, &tree, slices, states.values.len())?;
        let leaves = places.leaves(&tree, settings);
        let model = match fill(Model::new(tree, slices, states.values.len()), &rows.cells, &leaves, &states) {
            (model, CellRepetition::Single) => model,
            // Sums of cells must not depend on how they came.
            (model, CellRepetition::Repeated) => fill(model.emptied(), &sorted(&rows.cells), &leaves, &states).0,
        };
        let texts = places.containers.iter().map(|container| rows.name(container).map(str::to_string)).collect();
        let times = SliceTimes::new(rows, settings, slices);
        let right_times = SliceTimes { told: rows.right_times.clone(), window: None };
        let names = ModelNames { containers: places.containers, texts, states: states.values, times, right_times };
        Ok(Some(Overview { model, names }))
    }
}

/// Bytes that the partition of some rows needs; 0 when they are not complete yet, or when it will be refused for its
/// cost.
pub(crate) fn bytes_needed(rows: &ModelRows, settings: &PartitionSettings) -> usize {
    let Ok(Some((_, tree))) = tree(rows, settings) else {
        return 0;
    };
    let slices = slices(rows, settings).unwrap_or(1);
    let states = ModelStates::new(rows).values.len();
    match check_operations(settings, &tree, slices, states) {
        Ok(()) => usize::try_from(Model::bytes_needed(&tree, slices, states)).unwrap_or(usize::MAX),
        Err(_) => 0,
    }
}

/// The tree above the containers that have cells.
fn tree(rows: &ModelRows, settings: &PartitionSettings) -> Result<Option<(TreePlaces, PartitionTree)>> {
    let function = &settings.function;
    let places = TreePlaces::new(rows, function)?;
    let carriers: HashSet<i32> = rows.cells.iter().map(|cell| cell.container).collect();
    let mut resources = vec![0; places.containers.len()];
    for container in carriers {
        match places.leaf(container, settings) {
            Some(place) => resources[place] += 1,
            None => return exec_err!("{function}: the trace has no container_id {container}"),
        }
    }
    let containers: Vec<TreeContainer> = places
        .parents
        .iter()
        .zip(resources)
        .map(|(parent, resources)| TreeContainer { parent: *parent, resources })
        .collect();
    match PartitionTree::new(&containers) {
        Ok(tree) => Ok(Some((places, tree))),
        Err(TreeError::NoLeaf) => Ok(None),
        Err(TreeError::Order(place)) => {
            let id = places.containers[place].id;
            exec_err!("{function}: container {id} comes before its parent in preorder")
        }
    }
}

impl TreePlaces {
    fn new(rows: &ModelRows, function: &str) -> Result<TreePlaces> {
        let mut containers = rows.containers.clone();
        containers.sort_unstable_by_key(|container| (container.preorder, container.id));
        let by_id: HashMap<i32, usize> =
            containers.iter().enumerate().map(|(place, container)| (container.id, place)).collect();
        let parent_of = |container: &TreeRow| match container.parent {
            None => Ok(None),
            Some(id) => match by_id.get(&id) {
                Some(place) => Ok(Some(*place)),
                None => exec_err!("{function}: the parent {id} of container {} is missing", container.id),
            },
        };
        let parents = containers.iter().map(parent_of).collect::<Result<_>>()?;
        Ok(TreePlaces { containers, by_id, parents })
    }

    /// The place of the container that the cells of a container count for.
    fn leaf(&self, id: i32, settings: &PartitionSettings) -> Option<usize> {
        let mut place = *self.by_id.get(&id)?;
        let deepest = settings.depth.map_or(i64::MAX, |depth| depth as i64);
        while i64::from(self.containers[place].depth) > deepest {
            match self.parents[place] {
                Some(parent) => place = parent,
                None => break,
            }
        }
        Some(place)
    }

    /// The leaf of each container.
    fn leaves(&self, tree: &PartitionTree, settings: &PartitionSettings) -> HashMap<i32, usize> {
        let leaf = |id: i32| Some((id, tree.leaf_of(self.leaf(id, settings)?)?));
        self.containers.iter().filter_map(|container| leaf(container.id)).collect()
    }
}

/// How many slices the model has.
fn slices(rows: &ModelRows, settings: &PartitionSettings) -> Result<usize> {
    let told = rows.cells.iter().map(|cell| cell.slice as usize + 1).max().unwrap_or(1);
    match settings.slices {
        Some(slices) if told > slices => exec_err!(
            "{}: the model has a slice {}, and slices => {slices} are counted from 0",
            settings.function,
            told - 1
        ),
        slices => Ok(slices.unwrap_or(told)),
    }
}

/// The states of the model.
struct ModelStates {
    /// Their values, by type and value.
    values: Vec<Option<String>>,
    /// The state of a label.
    numbers: HashMap<u32, usize>,
}

impl ModelStates {
    fn new(rows: &ModelRows) -> ModelStates {
        let labels: HashSet<u32> = rows.cells.iter().filter(|cell| cell.rho != 0.0).map(|cell| cell.label).collect();
        let mut labels: Vec<_> = labels.into_iter().map(|label| (rows.label(label), label)).collect();
        labels.sort();
        let numbers = labels.iter().enumerate().map(|(number, (_, label))| (*label, number)).collect();
        ModelStates { values: labels.iter().map(|([_, value], _)| value.map(str::to_string)).collect(), numbers }
    }
}

/// Whether some leaf has several cells of one slice and state.
#[derive(PartialEq)]
enum CellRepetition {
    Single,
    Repeated,
}

/// Adds cells to a model.
fn fill(
    mut model: Model,
    cells: &[CellRow],
    leaves: &HashMap<i32, usize>,
    states: &ModelStates,
) -> (Model, CellRepetition) {
    let mut found = CellRepetition::Single;
    for cell in cells {
        // A cell without a proportion only tells of its container.
        let (Some(state), Some(leaf)) = (states.numbers.get(&cell.label), leaves.get(&cell.container)) else {
            continue;
        };
        let rho = cell.rho / model.tree().nodes()[*leaf].resources as f64;
        if model.add(*leaf, cell.slice as usize, *state, rho) != rho {
            found = CellRepetition::Repeated;
        }
    }
    (model, found)
}

fn sorted(cells: &[CellRow]) -> Vec<CellRow> {
    let mut cells = cells.to_vec();
    cells.sort_unstable_by(|one, other| {
        let key = |cell: &CellRow| (cell.container, cell.slice, cell.label);
        key(one).cmp(&key(other)).then_with(|| one.rho.total_cmp(&other.rho))
    });
    cells
}

/// Additions of the search and logarithms of the measures. Of levels: at least, as one change of the partition between
/// p = 0 and p = 1 is found by halving.
fn operations(question: PartitionQuestion, nodes: usize, slices: usize, states: usize) -> f64 {
    let measures = |nodes: usize| (nodes * states) as f64 * slices as f64 * (slices as f64 + 1.0) / 2.0;
    match question {
        PartitionQuestion::Areas | PartitionQuestion::Visual(..) => measures(nodes) + additions(nodes, slices),
        PartitionQuestion::Levels(precision) => {
            let searches = 2.0 + (1.0 / precision).log2().ceil();
            measures(nodes) + searches * additions(nodes, slices)
        }
        // Both ends, the p at which two partitions change, and one close to it.
        PartitionQuestion::Ranges { .. } => measures(nodes) + 4.0 * additions(nodes, slices),
        PartitionQuestion::Time => measures(1) + additions(1, slices),
        PartitionQuestion::Product => measures(nodes) + additions(1, slices),
        PartitionQuestion::Space => (nodes * states) as f64,
    }
}

fn check_operations(settings: &PartitionSettings, tree: &PartitionTree, slices: usize, states: usize) -> Result<()> {
    let nodes = tree.nodes().len();
    let needed = operations(settings.question, nodes, slices, states);
    if needed <= settings.operations {
        return Ok(());
    }
    let size = match settings.question {
        PartitionQuestion::Time | PartitionQuestion::Product => format!("{slices} slices"),
        _ => format!("{slices} slices and {nodes} containers"),
    };
    // One digit is enough, if it is not too low.
    let power = 10_f64.powf(needed.log10().floor());
    let enough = (needed / power).ceil() * power;
    exec_err!(
        "{}: {size} need about {needed:.1e} operations, and {:e} are the limit; take fewer \
         slices (the cost grows with their cube), end the tree at a depth: depth => N, or raise the limit: \
         max_operations => {enough:e}",
        settings.function,
        settings.operations
    )
}

fn check_memory(settings: &PartitionSettings, tree: &PartitionTree, slices: usize, states: usize) -> Result<()> {
    let needed = Model::bytes_needed(tree, slices, states);
    let Some(limit) = settings.memory.or_else(available_memory) else {
        return Ok(());
    };
    if needed <= limit as u128 {
        return Ok(());
    }
    let leaves = tree.leaves();
    Err(resources_datafusion_err!(
        "{}: {leaves} leaves and {slices} slices need {} of memory, and {} may be used; take fewer slices, or end the tree at \
         a depth: depth => N",
        settings.function,
        shown(needed),
        shown(limit as u128)
    ))
}

fn shown(bytes: u128) -> String {
    match bytes as f64 / 1e6 {
        megabytes if megabytes < 1e3 => format!("{megabytes:.1} MB"),
        megabytes => format!("{:.1} GB", megabytes / 1e3),
    }
}

/// Memory that the machine has left; `None` where it does not tell.
fn available_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// When slices are: as their cells tell, or equal parts of the window.
#[derive(Debug)]
struct SliceTimes {
    told: BTreeMap<u32, [f64; 2]>,
    window: Option<Slicing>,
}

impl SliceTimes {
    fn new(rows: &ModelRows, settings: &PartitionSettings, slices: usize) -> SliceTimes {
        let slicing =
            |span: TickWindow| Slicing::new(span.start, span.stop, u32::try_from(slices).ok()?, span.per_second);
        SliceTimes { told: rows.times.clone(), window: settings.window.and_then(slicing) }
    }

    fn boundary(&self, slice: usize) -> Option<f64> {
        let number = u32::try_from(slice).ok()?;
        if let Some([start, _]) = self.told.get(&number) {
            return Some(*start);
        }
        if let Some([_, end]) = number.checked_sub(1).and_then(|before| self.told.get(&before)) {
            return Some(*end);
        }
        if let Some((known, [start, end])) = self.told.iter().next() {
            return Some(start + (f64::from(number) - f64::from(*known)) * (end - start));
        }
        self.window.map(|window| window.boundary(i64::from(number)))
    }

    /// When a slice ends: intervals of a run that is aligned with another may overlap by one slice.
    fn end(&self, slice: usize) -> Option<f64> {
        let told = u32::try_from(slice).ok().and_then(|number| self.told.get(&number));
        told.map(|[_, end]| *end).or_else(|| self.boundary(slice + 1))
    }
}

/// A thread pool of the size that was asked for.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    if threads == rayon::current_num_threads() {
        return Ok(work());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| exec_datafusion_err!("no threads for the partition: {error}"))?;
    Ok(pool.install(work))
}
