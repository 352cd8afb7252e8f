//! Which types and containers a picture of variables shows, and which of them stand out.

use std::collections::BTreeMap;

use super::super::source::DrawSource;
use ocellus_trace::error::Result;

const MAX_STRIPS: usize = 6;
/// Containers of a type that have a color each.
const MAX_COLORED: usize = 8;
/// Containers of a type that have a line each.
const MAX_LINES: usize = 40;
/// Containers of a type that stand out, at most.
const MAX_OUTLIERS: usize = 5;
/// A container stands out when it differs from the median as many times more than half of the others do.
const OUTLIER_FACTOR: f64 = 3.0;
/// Slices in which containers are compared.
const SLICES: usize = 50;
/// What is smaller, compared to the largest value, is rounding.
const LEAST_CHANGE: f64 = 1e-9;

/// How a line is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LineRole {
    /// In a color that the legend explains.
    #[default]
    Colored,
    /// Gray, below the others.
    Gray,
    /// In a color, above the others, with its name.
    Outlier,
}

/// What is drawn of one type.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StripChoice {
    /// Containers that have the variable.
    pub containers: usize,
    /// Those with a line.
    pub lines: BTreeMap<i64, LineRole>,
    /// Whether the range of all containers is drawn.
    pub has_range: bool,
}

/// What is drawn, by type.
#[derive(Debug, Clone, Default)]
pub struct VariableChoice {
    /// The strips.
    pub strips: BTreeMap<String, StripChoice>,
    /// Their types, those that vary in time first.
    pub order: Vec<String>,
    /// Types that a picture has no room for.
    pub left_out: usize,
}

impl VariableChoice {
    /// Names of types in the order of the picture: those that were chosen, then others by name.
    pub fn in_order<'a>(&self, types: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
        let place = |kind: &String| self.order.iter().position(|other| other == kind).unwrap_or(self.order.len());
        let mut types: Vec<&String> = types.collect();
        types.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.cmp(b)));
        types
    }
}

/// How a container differs from the others of its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContainerSpread {
    /// The container.
    pub id: i64,
    /// Mean distance from the median of all containers.
    pub deviation: f64,
    /// Its largest value minus its smallest.
    pub swing: f64,
    /// Its largest value, without sign.
    pub size: f64,
}

/// Chooses from the variables of the window and the type; a query of the user chooses for itself.
pub async fn choose(source: &DrawSource<'_>) -> Result<VariableChoice> {
    if source.options.query.is_some() {
        return Ok(VariableChoice::default());
    }
    let rows = source
        .query(&format!(
            "WITH cells AS (SELECT type, container_id, slice, integral / covered AS mean \
                            FROM variable_slices(slices => {SLICES}, {}{}) WHERE covered > 0), \
                  middles AS (SELECT type, slice, median(mean) AS mean FROM cells GROUP BY type, slice) \
             SELECT cells.type, cells.container_id, avg(abs(cells.mean - middles.mean)) AS deviation, \
                    max(cells.mean) - min(cells.mean) AS swing, max(abs(cells.mean)) AS size \
             FROM cells JOIN middles ON middles.type = cells.type AND middles.slice = cells.slice \
             GROUP BY cells.type, cells.container_id ORDER BY cells.type, cells.container_id",
            source.window(),
            source.type_argument()
        ))
        .await?;
    let (types, ids) = (rows.texts("type")?, rows.numbers("container_id")?);
    let (deviations, swings, sizes) = (rows.numbers("deviation")?, rows.numbers("swing")?, rows.numbers("size")?);
    let mut spreads: BTreeMap<String, Vec<ContainerSpread>> = BTreeMap::new();
    for row in 0..rows.len() {
        let spread =
            ContainerSpread { id: ids[row] as i64, deviation: deviations[row], swing: swings[row], size: sizes[row] };
        spreads.entry(types[row].clone()).or_default().push(spread);
    }
    let mut order: Vec<(&String, TypeVariation)> =
        spreads.iter().map(|(kind, containers)| (kind, TypeVariation::of(containers))).collect();
    order.sort_by_key(|(_, variation)| *variation);
    let left_out = order.len().saturating_sub(MAX_STRIPS);
    let order: Vec<String> = order.into_iter().take(MAX_STRIPS).map(|(kind, _)| kind.clone()).collect();
    let strips = order.iter().map(|kind| (kind.clone(), strip_of(&spreads[kind]))).collect();
    Ok(VariableChoice { strips, order, left_out })
}

/// How a variable varies, the most interesting first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TypeVariation {
    /// It changes in time.
    InTime,
    /// It differs between containers.
    BetweenContainers,
    /// It is one number.
    None,
}

impl TypeVariation {
    /// The variation of a type.
    pub fn of(containers: &[ContainerSpread]) -> TypeVariation {
        let any =
            |change: fn(&ContainerSpread) -> f64| containers.iter().any(|one| change(one) > LEAST_CHANGE * one.size);
        match (any(|one| one.swing), any(|one| one.deviation)) {
            (true, _) => TypeVariation::InTime,
            (false, true) => TypeVariation::BetweenContainers,
            (false, false) => TypeVariation::None,
        }
    }
}

/// What is drawn of the containers of a type.
pub fn strip_of(containers: &[ContainerSpread]) -> StripChoice {
    let count = containers.len();
    if count <= MAX_COLORED {
        let lines = containers.iter().map(|one| (one.id, LineRole::Colored)).collect();
        return StripChoice { containers: count, lines, has_range: false };
    }
    let mut lines = BTreeMap::new();
    if count <= MAX_LINES {
        lines.extend(containers.iter().map(|one| (one.id, LineRole::Gray)));
    }
    let mut deviations: Vec<f64> = containers.iter().map(|one| one.deviation).collect();
    deviations.sort_by(f64::total_cmp);
    let usual = deviations[count / 2];
    let is_outlier =
        |one: &&ContainerSpread| one.deviation > OUTLIER_FACTOR * usual && one.deviation > LEAST_CHANGE * one.size;
    let mut outliers: Vec<&ContainerSpread> = containers.iter().filter(is_outlier).collect();
    outliers.sort_by(|a, b| b.deviation.total_cmp(&a.deviation).then(a.id.cmp(&b.id)));
    lines.extend(outliers.into_iter().take(MAX_OUTLIERS).map(|one| (one.id, LineRole::Outlier)));
    StripChoice { containers: count, lines, has_range: count > MAX_LINES }
}
