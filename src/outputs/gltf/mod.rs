//! Binary glTF: the rows of `scene()` as a file that viewers of 3D models open.
//!
//! In: record batches with the columns of `scene()`. Out: one node per container with the bars of its
//! states, one per shape of the base, and one each for links and edges; one material per value.
//! Positions are 32-bit floats, y is up. Bars have eight corners and no normals: viewers shade their faces flat.

mod binary;
mod colors;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Write;

use arrow::array::{Array, AsArray, Float64Array, RecordBatch, StringViewArray};
use arrow::datatypes::Float64Type;

use self::binary::{Document, Shape};
use self::colors::{BASE, Color, LINE, color_of};
use crate::error::{Error, Result};

/// How high a shape of the base is, as a part of its width.
const BASE_HEIGHT: f64 = 0.02;

/// Writes a scene as a .glb file.
pub fn write_glb(scene: &[RecordBatch], out: &mut dyn Write) -> Result<()> {
    let mut parts = Parts::default();
    for batch in scene {
        parts.add(batch)?;
    }
    let bytes = parts.document().bytes()?;
    out.write_all(&bytes).map_err(|source| Error::Io { context: "cannot write the scene".to_string(), source })
}

/// Name of a material, and its color as the trace has it.
type Material = (String, Option<String>);

/// The shapes of each node, by material.
#[derive(Debug, Default)]
struct Parts {
    nodes: BTreeMap<(Layer, String), BTreeMap<Material, Shape>>,
}

/// What a node shows; also the order of nodes in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Base,
    Edges,
    Containers,
    Links,
}

impl Parts {
    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let rows = Rows::of(batch)?;
        for row in 0..batch.num_rows() {
            let place = (rows.numbers("x")?.value(row), rows.numbers("z")?.value(row));
            let heights = (rows.numbers("y0")?.value(row), rows.numbers("y1")?.value(row));
            let name = rows.text("name", row)?.unwrap_or("").to_string();
            let value = || -> Result<Material> {
                let value = rows.text("value", row)?.unwrap_or("").to_string();
                Ok((value, rows.text("color", row)?.map(str::to_string)))
            };
            match rows.text("kind", row)? {
                Some("state") => {
                    let extent = (rows.numbers("width")?.value(row), rows.numbers("length")?.value(row));
                    self.shape(Layer::Containers, name, value()?).add_box(place, extent, heights);
                }
                Some("link") => self.shape(Layer::Links, "links".to_string(), value()?).add_line(place, rows.end(row)?, heights),
                Some("edge") => {
                    let material = (LINE.to_string(), None);
                    self.shape(Layer::Edges, "edges".to_string(), material).add_line(place, rows.end(row)?, heights);
                }
                Some("node" | "area") => {
                    let extent = (rows.numbers("width")?.value(row), rows.numbers("length")?.value(row));
                    // Below the floor, so that bars stand on it.
                    let below = (-BASE_HEIGHT * extent.0.min(extent.1), 0.0);
                    self.shape(Layer::Base, name, (BASE.to_string(), None)).add_box(place, extent, below);
                }
                other => return Err(Error::Internal(format!("a scene has no rows of kind {other:?}"))),
            }
        }
        Ok(())
    }

    fn shape(&mut self, layer: Layer, name: String, material: Material) -> &mut Shape {
        self.nodes.entry((layer, name)).or_default().entry(material).or_default()
    }

    fn document(&self) -> Document {
        let mut document = Document::default();
        let mut materials: BTreeMap<&Material, usize> = BTreeMap::new();
        for material in self.nodes.values().flat_map(BTreeMap::keys) {
            materials.entry(material).or_insert_with(|| {
                let (name, given) = material;
                document.material(name, given.as_deref().and_then(Color::parse).unwrap_or_else(|| color_of(name)))
            });
        }
        for ((_, name), shapes) in &self.nodes {
            document.node(name, shapes.iter().map(|(material, shape)| (materials[material], shape)));
        }
        document
    }
}

/// The columns of a scene.
struct Rows<'a> {
    batch: &'a RecordBatch,
}

impl<'a> Rows<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Rows<'a>> {
        Ok(Rows { batch })
    }

    fn column(&self, name: &str) -> Result<&'a dyn Array> {
        let column = self.batch.column_by_name(name).map(AsRef::as_ref);
        column.ok_or_else(|| Error::Query(format!("a scene needs a column {name}; write SELECT * FROM scene(…)")))
    }

    fn numbers(&self, name: &str) -> Result<&'a Float64Array> {
        let numbers = self.column(name)?.as_primitive_opt::<Float64Type>();
        numbers.ok_or_else(|| Error::Query(format!("the column {name} of a scene is DOUBLE")))
    }

    fn text(&self, name: &str, row: usize) -> Result<Option<&'a str>> {
        let texts: Option<&StringViewArray> = self.column(name)?.as_string_view_opt();
        let texts = texts.ok_or_else(|| Error::Query(format!("the column {name} of a scene is TEXT")))?;
        Ok(texts.is_valid(row).then(|| texts.value(row)))
    }

    fn end(&self, row: usize) -> Result<(f64, f64)> {
        Ok((self.numbers("x2")?.value(row), self.numbers("z2")?.value(row)))
    }
}
