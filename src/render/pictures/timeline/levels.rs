//! The states of a timeline: the spans of columns of each level of nesting.
//!
//! ```text
//!  states      |aaaaaaaaaaaa|..|      depth 0          strips   |aaaaaaaaaaaa|..|   outermost
//!                |bbbb|c|             depth 1                   |aa|bbbb|c|aa|..|   innermost
//! ```
//! The strip of a level shows at each instant the innermost state down to that level, so that what each strip shows adds
//! up, with the time in no state, to the whole.

use super::super::query_rows::QueryRows;
use super::super::source::DrawSource;
use super::rows::MAX_ROWS;
use ocellus_trace::error::{Error, Result};

/// Levels of nested states that are told apart.
const MAX_LEVELS: i64 = 5;
/// Columns that even a picture of very many rows has.
const MIN_COLUMNS: usize = 20;
/// Columns of a picture of many rows, unless it has too much in them.
const USUAL_COLUMNS: usize = 60;

/// At which depth the tree is cut, and about how many rows that gives.
pub(super) struct DepthCut {
    pub(super) depth: Option<i64>,
    pub(super) rows: usize,
}

impl DepthCut {
    pub(super) async fn choose(source: &DrawSource<'_>) -> Result<DepthCut> {
        let counts = source
            .query("SELECT depth, count(*) AS containers, count(*) FILTER (WHERE is_leaf) AS leaves FROM containers GROUP BY depth ORDER BY depth")
            .await?;
        let (containers, leaves) = (counts.numbers("containers")?, counts.numbers("leaves")?);
        let total: f64 = containers.iter().sum();
        if let Some(depth) = source.options.depth {
            let Some(rows) = containers.get(depth as usize) else {
                return Err(Error::Usage(format!(
                    "--depth {depth} is below the leaves of {}, whose containers have the depths 0 to {}",
                    source.trace,
                    containers.len().saturating_sub(1)
                )));
            };
            return Ok(DepthCut { depth: Some(i64::from(depth)), rows: *rows as usize });
        }
        if total as usize <= 2 * MAX_ROWS {
            return Ok(DepthCut { depth: None, rows: total as usize });
        }
        // The containers of a depth, and the leaves above them.
        let frontier = |depth: usize| containers[depth] + leaves[..depth].iter().sum::<f64>();
        let depth = (0..containers.len()).rev().find(|depth| frontier(*depth) as usize <= MAX_ROWS).unwrap_or(0);
        Ok(DepthCut { depth: Some(depth as i64), rows: frontier(depth) as usize })
    }

    fn argument(&self) -> String {
        self.depth.map(|depth| format!(", depth => {depth}")).unwrap_or_default()
    }
}

/// What a column shows of its states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnContent {
    /// All of them, stacked.
    Mix,
    /// The one with most time.
    Mode,
}

impl ColumnContent {
    pub(super) fn of(source: &DrawSource<'_>) -> ColumnContent {
        if source.options.mode { ColumnContent::Mode } else { ColumnContent::Mix }
    }

    /// Pieces that a picture has room for.
    fn most_pieces(self) -> usize {
        match self {
            // Steps of paths.
            ColumnContent::Mix => 45_000,
            // Rectangles with titles.
            ColumnContent::Mode => 18_000,
        }
    }

    fn argument(self) -> &'static str {
        match self {
            ColumnContent::Mix => ", values => 'all'",
            ColumnContent::Mode => "",
        }
    }
}

/// The spans of each level of nesting, outermost first, in as many columns as there is room for.
pub(super) async fn levels(
    source: &DrawSource<'_>,
    cut: &DepthCut,
    content: ColumnContent,
) -> Result<(Vec<QueryRows>, usize)> {
    let relations = relations(source, cut, content).await?;
    let room = content.most_pieces() / 2 / (cut.rows.max(1) * relations.len().max(1));
    let mut columns = room.clamp(USUAL_COLUMNS, source.width() as usize);
    loop {
        let levels = spans(source, cut, content, &relations, columns).await?;
        let pieces: usize = levels.iter().map(QueryRows::len).sum();
        if pieces <= content.most_pieces() || columns <= MIN_COLUMNS {
            return Ok((levels, columns));
        }
        // Several types of states, and many values in a column, take more than was reckoned with.
        columns = (columns * content.most_pieces() * 3 / 4 / pieces).max(MIN_COLUMNS);
    }
}

async fn spans(
    source: &DrawSource<'_>,
    cut: &DepthCut,
    content: ColumnContent,
    relations: &[String],
    columns: usize,
) -> Result<Vec<QueryRows>> {
    let mut levels = vec![];
    let by_type = if source.options.type_name.is_some() { "" } else { "spans.type, " };
    for relation in relations {
        let query = format!(
            "SELECT spans.*, containers.preorder FROM timeline({relation}, {}, width => {columns}{}{}{}) AS spans \
             JOIN containers ON containers.container_id = spans.container_id \
             ORDER BY spans.container_id, {by_type}spans.first_column, spans.value",
            source.window(),
            source.type_argument(),
            cut.argument(),
            content.argument()
        );
        levels.push(source.query(&query).await?);
    }
    Ok(levels)
}

/// The states of each level; all of them at once when the tree is cut.
async fn relations(source: &DrawSource<'_>, cut: &DepthCut, content: ColumnContent) -> Result<Vec<String>> {
    if let Some(query) = &source.options.query {
        return Ok(vec![format!("({query})")]);
    }
    let condition = source.type_condition();
    let deepest =
        source.query(&format!("SELECT coalesce(max(depth), 0) AS depth FROM states WHERE TRUE{condition}")).await?;
    let deepest = deepest.numbers("depth")?.first().map_or(0, |depth| *depth as i64);
    if deepest == 0 || cut.depth.is_some() {
        return Ok(vec!["state_segments".to_string()]);
    }
    let last = deepest.min(MAX_LEVELS - 1);
    let columns = "container_id, container, type, value, start_time, end_time, start_tick, end_tick";
    Ok((0..=last)
        .map(|level| match content {
            ColumnContent::Mode => format!("(SELECT * FROM states WHERE depth = {level})"),
            ColumnContent::Mix if level == last => "state_segments".to_string(),
            ColumnContent::Mix if level == 0 => format!("(SELECT {columns} FROM states WHERE depth = 0)"),
            // A segment that lies higher is where nothing of this level is.
            ColumnContent::Mix => format!(
                "(SELECT {columns} FROM states WHERE depth = {level} \
                 UNION ALL SELECT {columns} FROM state_segments WHERE depth < {level})"
            ),
        })
        .collect())
}
