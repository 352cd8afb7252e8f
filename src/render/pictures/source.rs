//! The input of views: an engine, the options of the command, and the colors of the trace.

use std::sync::Arc;

use super::container_labels::{ContainerLabels, REPEATED};
use super::picture::Picture;
use super::png::image_bytes;
use super::query_rows::QueryRows;
use super::units::MomentFormat;
use super::value_colors::{NO_STATE, NO_STATE_COMPUTATION};
use super::view::SceneBase;
use crate::color::{Color, Palette, PaletteChoice};
use ocellus_engine::catalog::did_you_mean;
use ocellus_engine::{Engine, QueryScope};
use ocellus_trace::error::{Error, Result};

/// Options of a picture, as the user gave them.
#[derive(Debug, Clone, Default)]
pub struct DrawOptions {
    /// First second of the window; the start of the trace when not given.
    pub start: Option<f64>,
    /// End of the window in seconds; the end of the trace when not given.
    pub stop: Option<f64>,
    /// Width in pixels.
    pub width: Option<f64>,
    /// Height in pixels.
    pub height: Option<f64>,
    /// Only entities of this type.
    pub type_name: Option<String>,
    /// Depth at which the container tree is cut.
    pub depth: Option<u32>,
    /// Slices of time.
    pub slices: Option<u32>,
    /// Gain against loss of the overview.
    pub p: Option<f64>,
    /// The run that a difference compares the trace with.
    pub with: Option<String>,
    /// What a difference compares with what.
    pub align: Option<String>,
    /// Whether a timeline shows only the state with most time in each column.
    pub mode: bool,
    /// The colors of states; those of the trace where they can be told apart when not given.
    pub palette: Option<PaletteChoice>,
    /// Phases of a CommGram.
    pub phases: Option<u32>,
    /// Communities of a CommGram.
    pub communities: Option<u32>,
    /// Whether a CommGram shows what flows between communities.
    pub flows: bool,
    /// What determines the positions in a scene.
    pub base: Option<SceneBase>,
    /// Height of a second in a scene.
    pub time_scale: Option<f64>,
    /// A query that replaces the one of the view.
    pub query: Option<String>,
}

/// An engine, and what its queries may use when they only read.
#[derive(Clone, Copy)]
struct DrawQueries<'a> {
    engine: &'a Engine,
    scope: Option<&'a QueryScope>,
}

impl DrawQueries<'_> {
    /// The answer of one query.
    async fn rows(self, query: &str) -> Result<QueryRows> {
        let statements = self.engine.split(query)?;
        let [statement] = statements.as_slice() else {
            return Err(Error::Usage(format!("a picture takes one query, got {}", statements.len())));
        };
        let (schema, batches) = self.engine.rows(statement, self.scope).await?;
        Ok(QueryRows::new(schema, batches))
    }
}

/// An engine with the options of a picture.
pub struct DrawSource<'a> {
    queries: DrawQueries<'a>,
    /// The options.
    pub options: &'a DrawOptions,
    /// Name of the trace.
    pub trace: String,
    /// First second of the window.
    pub start: f64,
    /// End of the window in seconds.
    pub stop: f64,
    /// The colors of the values of the trace.
    pub palette: Palette,
    labels: Arc<ContainerLabels>,
    /// What legends call time in no state: it may count as computation.
    pub no_state: &'static str,
    /// Bytes that an image may take while it is painted.
    image_limit: Option<usize>,
}

impl<'a> DrawSource<'a> {
    /// Looks up the window and the colors.
    pub async fn open(engine: &'a Engine, options: &'a DrawOptions) -> Result<DrawSource<'a>> {
        DrawSource::look_up(DrawQueries { engine, scope: None }, options).await
    }

    /// The same, for queries that only read, within limits, and images of at most so many bytes while they are painted.
    pub async fn open_within(
        engine: &'a Engine,
        scope: &'a QueryScope,
        image_limit: usize,
        options: &'a DrawOptions,
    ) -> Result<DrawSource<'a>> {
        let source = DrawSource::look_up(DrawQueries { engine, scope: Some(scope) }, options).await?;
        Ok(DrawSource { image_limit: Some(image_limit), ..source })
    }

    async fn look_up(queries: DrawQueries<'a>, options: &'a DrawOptions) -> Result<DrawSource<'a>> {
        let info = queries.rows("SELECT name, start_time, end_time FROM trace_info").await?;
        let first = |values: Vec<f64>, default: f64| {
            values.first().copied().filter(|value| value.is_finite()).unwrap_or(default)
        };
        let begin = first(info.numbers("start_time")?, 0.0);
        let start = options.start.unwrap_or(begin);
        let end = first(info.numbers("end_time")?, 0.0);
        let stop = options.stop.unwrap_or(end.max(start));
        if stop < start || (options.stop.is_some() && stop == start) {
            return Err(Error::Usage(format!("--stop must be later than --start, got {start} and {stop}")));
        }
        let trace = info.texts("name")?.into_iter().next().unwrap_or_default();
        // A query of the user's own may have other times and types.
        if options.query.is_none() {
            check_window(&trace, (begin, end), options)?;
            check_type(queries, &trace, options.type_name.as_deref()).await?;
        }
        let palette = palette(queries, options.palette.unwrap_or_default()).await?;
        let repeated = queries.rows(REPEATED).await?;
        let [names, paths, aliases] = ["name", "path", "alias"].map(|column| repeated.texts(column));
        let labels = ContainerLabels::new(&repeated.numbers("container_id")?, &names?, &paths?, &aliases?);
        let no_state = no_state(queries, options).await?;
        Ok(DrawSource {
            queries,
            options,
            trace,
            start,
            stop,
            palette,
            labels: Arc::new(labels),
            no_state,
            image_limit: None,
        })
    }

    /// Refuses an image that is too large to be painted.
    pub(super) fn check_image(&self, picture: &Picture) -> Result<()> {
        let needed = image_bytes(picture);
        match self.image_limit {
            Some(limit) if needed > limit as f64 => Err(Error::Usage(format!(
                "an image of {} by {} pixels takes {needed} bytes, and at most {limit} are allowed; ask for a smaller one, or for svg",
                picture.width, picture.height
            ))),
            _ => Ok(()),
        }
    }

    /// The rows of the user's query, or of the view's own.
    pub async fn view_rows(&self, own: &str) -> Result<QueryRows> {
        match &self.options.query {
            Some(query) => self.queries.rows(query).await,
            None => self.query(own).await,
        }
    }

    /// The rows of a query that the user did not write as it is: its errors have no place.
    pub async fn query(&self, query: &str) -> Result<QueryRows> {
        let rows = self.queries.rows(query).await.map_err(|error| match error {
            Error::Query(mut error) => {
                error.span = None;
                Error::Query(error)
            }
            other => other,
        })?;
        Ok(rows.with_labels(&self.labels))
    }

    /// Width in pixels: the given one, or the usual one.
    pub fn width(&self) -> f64 {
        self.options.width.unwrap_or(1000.0)
    }

    /// Height in pixels: the given one, or that of the view.
    pub fn height(&self, default: f64) -> f64 {
        self.options.height.unwrap_or(default)
    }

    /// `start => …, stop => …` for table functions.
    pub fn window(&self) -> String {
        format!("start => {:?}, stop => {:?}", self.start, self.stop.max(self.start + 1e-9))
    }

    /// `, type => …` for table functions, when one was asked for.
    pub fn type_argument(&self) -> String {
        self.options.type_name.as_ref().map(|name| format!(", type => {}", quoted(name))).unwrap_or_default()
    }

    /// A condition on the type, when one was asked for.
    pub fn type_condition(&self) -> String {
        match &self.options.type_name {
            Some(name) => format!(" AND type = {}", quoted(name)),
            None => String::new(),
        }
    }

    /// A query for the innermost states and, as one more value, the time in no state: together the life of each container,
    /// for each type that it has states of.
    pub fn states_and_gaps(&self) -> String {
        self.states_and_some_gaps(NO_STATE, "true")
    }

    /// As [`DrawSource::states_and_gaps`], with a name for the gaps that fulfil a condition on `idle_gaps`.
    pub fn states_and_some_gaps(&self, name: &str, condition: &str) -> String {
        format!(
            "(SELECT container_id, container, type, value, start_time, end_time FROM state_segments UNION ALL \
             SELECT container_id, container, type, {} AS value, start_time, end_time FROM idle_gaps WHERE {condition})",
            quoted(name)
        )
    }

    /// A legend that calls time in no state what it counts as.
    pub fn legend(&self, entries: Vec<(String, Color)>) -> Vec<(String, Color)> {
        let named = |(name, color)| if name == NO_STATE { (self.no_state.to_string(), color) } else { (name, color) };
        entries.into_iter().map(named).collect()
    }

    /// The note below the title: which trace, and when.
    pub fn note(&self, details: &str) -> String {
        format!("{}, from {} to {}{details}", self.trace, self.moment(self.start), self.moment(self.stop))
    }

    /// A time of the window, with as many digits as the window needs.
    pub fn moment(&self, time: f64) -> String {
        MomentFormat::of(self.start, self.stop).text(time)
    }
}

/// The colors of the values of a trace. Where they are more than there are colors, those with most time have them.
async fn palette(queries: DrawQueries<'_>, choice: PaletteChoice) -> Result<Palette> {
    let mut values = queries.rows("SELECT name, color FROM entity_values ORDER BY name, type").await?;
    if values.len() > Palette::size(choice) {
        let by_time = "SELECT name, color FROM entity_values LEFT JOIN \
                       (SELECT value, sum(end_tick - start_tick) AS ticks FROM states GROUP BY value) AS times \
                       ON times.value = name ORDER BY coalesce(ticks, 0) DESC, name, type";
        values = queries.rows(by_time).await?;
    }
    let (names, colors) = (values.texts("name")?, values.texts("color")?);
    let given = names.iter().zip(&colors).map(|(name, color)| (name.as_str(), Color::parse(color)));
    Ok(Palette::with_choice(choice, given))
}

/// The name of time in no state: whether the rules of activities make it computation for all types that are drawn.
async fn no_state(queries: DrawQueries<'_>, options: &DrawOptions) -> Result<&'static str> {
    let kinds = queries.rows("SELECT type, activity FROM no_state_activities").await?;
    let (types, activities) = (kinds.texts("type")?, kinds.texts("activity")?);
    let is_drawn = |kind: &String| options.type_name.as_ref().is_none_or(|name| name == kind);
    let mut drawn = types.iter().zip(&activities).filter(|(kind, _)| is_drawn(kind)).peekable();
    let is_computation = drawn.peek().is_some() && drawn.all(|(_, activity)| activity == "computation");
    Ok(if is_computation { NO_STATE_COMPUTATION } else { NO_STATE })
}

/// Refuses a window outside the trace: its picture would be empty.
fn check_window(trace: &str, (begin, end): (f64, f64), options: &DrawOptions) -> Result<()> {
    let is_behind = options.start.is_some_and(|start| start > end);
    let is_before = options.stop.is_some_and(|stop| stop <= begin);
    if !is_behind && !is_before {
        return Ok(());
    }
    let bound = |name: &str, seconds: Option<f64>| seconds.map(|seconds| format!("--{name} {seconds}"));
    let window: Vec<String> =
        [bound("start", options.start), bound("stop", options.stop)].into_iter().flatten().collect();
    Err(Error::query(format!(
        "{} lies outside the trace {trace}, which goes from {begin} to {end} seconds",
        window.join(" ")
    )))
}

/// Refuses a type that the trace does not have. Views of two variables take `one,other`.
async fn check_type(queries: DrawQueries<'_>, trace: &str, wanted: Option<&str>) -> Result<()> {
    let Some(wanted) = wanted else { return Ok(()) };
    let known = queries.rows("SELECT DISTINCT name FROM types WHERE kind <> 'container' ORDER BY name").await?;
    let known = known.texts("name")?;
    let is_known = |name: &str| known.iter().any(|known| known == name);
    if is_known(wanted) {
        return Ok(());
    }
    match wanted.split(',').map(str::trim).find(|name| !is_known(name)) {
        None => Ok(()),
        Some(unknown) => {
            let nearest = did_you_mean(unknown, known.iter().map(String::as_str));
            let there_are = if nearest.is_empty() { "; there are" } else { " There are" };
            let known = known.join(", ");
            let message = format!("--type {unknown} is no type of the trace {trace}{nearest}{there_are}: {known}");
            Err(Error::query(message))
        }
    }
}

/// A text literal.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
