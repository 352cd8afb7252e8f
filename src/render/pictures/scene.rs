//! The scene: containers on a base, time upwards, as binary glTF.
//!
//! A viewer of 3D models shows some hundred thousand bars. Of more states, `timeline(…)` gives what each container
//! did most of the time; of more links, none is drawn and the remark says how many there are.

use super::drawing::Drawing;
use super::source::DrawSource;
use super::units::quantity;
use super::view::SceneBase;
use crate::gltf::write_glb;
use ocellus_trace::error::Result;

const MAX_BARS: usize = 200_000;
const MAX_LINKS: usize = 200_000;
/// Slices of time that containers are summarized in, at most.
const MAX_SLICES: usize = 1000;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Drawing> {
    let within = format!("start_time < {:?} AND end_time > {:?}", source.stop, source.start);
    let states = states(source, &within).await?;
    let links = count(source, &format!("SELECT count(*) AS count FROM links WHERE {within}")).await?;
    let base = match source.options.base.unwrap_or_default() {
        SceneBase::Communication => "communication",
        SceneBase::Topology => "topology",
        SceneBase::Treemap => "treemap",
    };
    let scale = source.options.time_scale.map(|scale| format!(", time_scale => {scale:?}")).unwrap_or_default();
    let shown = if links > MAX_LINKS { "WHERE kind <> 'link'" } else { "" };
    let rows = source
        .query(&format!("SELECT * FROM scene({states}, {}, base => '{base}'{scale}) {shown}", source.window()))
        .await?;
    let mut remark = String::new();
    if links > MAX_LINKS {
        remark = format!(", {} links are not drawn", quantity(links as f64));
    }
    if !rows.texts("kind")?.iter().any(|kind| kind == "state") {
        remark.push_str(", no states in this window");
    }
    let name = source.note(&remark);
    let mut content = vec![];
    write_glb(&name, rows.batches(), &source.palette, &mut content)?;
    Ok(Drawing { content, remark: remark.trim_start_matches(", ").to_string() })
}

/// The states of the window, or a summary of them.
async fn states(source: &DrawSource<'_>, within: &str) -> Result<String> {
    let kind = source.type_condition();
    let own = format!("SELECT * FROM state_segments WHERE {within}{kind}");
    let query = source.options.query.as_deref().unwrap_or(&own);
    let bars = count(source, &format!("SELECT count(*) AS count FROM ({query})")).await?;
    if bars <= MAX_BARS {
        return Ok(format!("({query})"));
    }
    let rows = count(source, "SELECT count(*) AS count FROM containers WHERE is_leaf").await?;
    let slices = (MAX_BARS / rows.max(1)).clamp(1, MAX_SLICES);
    let kind = source.type_argument();
    let relation = source.options.query.as_ref().map_or("state_segments".to_string(), |query| format!("({query})"));
    Ok(format!("(SELECT * FROM timeline({relation}, {}, width => {slices}{kind}))", source.window()))
}

async fn count(source: &DrawSource<'_>, query: &str) -> Result<usize> {
    let counts = source.query(query).await?.numbers("count")?;
    Ok(counts.first().map_or(0, |count| *count as usize))
}
