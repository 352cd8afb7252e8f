//! Binary glTF: the rows of `scene()` as a file that viewers of 3D models open.
//!
//! In: record batches with the columns of `scene()`, and the colors of values. Out: one node per container with
//! the bars of its states, one per shape of the base, and one each for links and edges; one material per value.
//! Positions are 32-bit floats, y is up. Bars have eight corners and no normals: viewers shade their faces flat.

mod binary;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Write;

use arrow::array::{Array, AsArray, Float64Array, RecordBatch, StringViewArray};
use arrow::datatypes::{Float64Type, Int32Type};

use self::binary::{Document, MeshGeometry};
use crate::color::{Color, Palette};
use ocellus_trace::error::{Error, Result};

/// How high a shape of the base is, as a part of its width.
const BASE_HEIGHT: f64 = 0.02;

/// Writes a scene as a .glb file; its name is that of the scene in it.
pub fn write_glb(name: &str, scene: &[RecordBatch], palette: &Palette, out: &mut dyn Write) -> Result<()> {
    let mut parts = SceneNodes::default();
    for batch in scene {
        parts.add(batch)?;
    }
    let bytes = parts.document(palette).bytes(name)?;
    out.write_all(&bytes).map_err(|source| Error::Io { context: "cannot write the scene".to_string(), source })
}

/// The material of a shape.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Material {
    Base,
    Edge,
    Value(String),
}

impl Material {
    fn name(&self) -> &str {
        match self {
            Material::Base => "base",
            Material::Edge => "edge",
            Material::Value(value) => value,
        }
    }

    fn color(&self, palette: &Palette) -> Color {
        match self {
            Material::Base => Color::GRID,
            Material::Edge => Color::QUIET,
            Material::Value(value) => palette.of(value),
        }
    }
}

/// A node: what it shows, the number of its container if it has one, and its name.
type NodeKey = (Layer, Option<i32>, String);

/// The shapes of each node, by material.
#[derive(Debug, Default)]
struct SceneNodes {
    nodes: BTreeMap<NodeKey, BTreeMap<Material, MeshGeometry>>,
}

/// What a node shows; also the order of nodes in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Base,
    Edges,
    Containers,
    Links,
}

impl SceneNodes {
    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let rows = SceneRows::of(batch);
        for row in 0..batch.num_rows() {
            let place = (rows.numbers("x")?.value(row), rows.numbers("z")?.value(row));
            let heights = (rows.numbers("y0")?.value(row), rows.numbers("y1")?.value(row));
            let extent =
                || -> Result<_> { Ok((rows.numbers("width")?.value(row), rows.numbers("length")?.value(row))) };
            let value =
                || -> Result<_> { Ok(Material::Value(rows.text("value", row)?.unwrap_or_default().to_string())) };
            let key = |layer: Layer| -> Result<NodeKey> {
                Ok((layer, rows.id(row)?, rows.text("name", row)?.unwrap_or_default().to_string()))
            };
            match rows.text("kind", row)? {
                Some("state") => self.shape(key(Layer::Containers)?, value()?).add_box(place, extent()?, heights),
                Some("link") => self.shape(lines(Layer::Links), value()?).add_line(place, rows.end(row)?, heights),
                Some("edge") => {
                    self.shape(lines(Layer::Edges), Material::Edge).add_line(place, rows.end(row)?, heights)
                }
                Some("node" | "area") => {
                    let (width, length) = extent()?;
                    // Below the floor, so that bars stand on it.
                    let below = (-BASE_HEIGHT * width.min(length), 0.0);
                    self.shape(key(Layer::Base)?, Material::Base).add_box(place, (width, length), below);
                }
                other => return Err(Error::Internal(format!("a scene has no rows of kind {other:?}"))),
            }
        }
        Ok(())
    }

    fn shape(&mut self, key: NodeKey, material: Material) -> &mut MeshGeometry {
        self.nodes.entry(key).or_default().entry(material).or_default()
    }

    fn document(&self, palette: &Palette) -> Document {
        let mut document = Document::default();
        let mut materials: BTreeMap<&Material, usize> = BTreeMap::new();
        for material in self.nodes.values().flat_map(BTreeMap::keys) {
            materials
                .entry(material)
                .or_insert_with(|| document.material(material.name(), linear(material.color(palette))));
        }
        for ((_, _, name), shapes) in &self.nodes {
            document.node(name, shapes.iter().map(|(material, shape)| (materials[material], shape)));
        }
        document
    }
}

/// The node of all lines of a layer.
fn lines(layer: Layer) -> NodeKey {
    (layer, None, if layer == Layer::Links { "links" } else { "edges" }.to_string())
}

/// A color in the linear scale of glTF.
fn linear(color: Color) -> [f64; 3] {
    [color.red, color.green, color.blue].map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

/// The columns of a scene.
struct SceneRows<'a> {
    batch: &'a RecordBatch,
}

impl<'a> SceneRows<'a> {
    fn of(batch: &'a RecordBatch) -> SceneRows<'a> {
        SceneRows { batch }
    }

    fn column(&self, name: &str) -> Result<&'a dyn Array> {
        let column = self.batch.column_by_name(name).map(AsRef::as_ref);
        column.ok_or_else(|| Error::query(format!("a scene needs a column {name}; write SELECT * FROM scene(…)")))
    }

    fn numbers(&self, name: &str) -> Result<&'a Float64Array> {
        let numbers = self.column(name)?.as_primitive_opt::<Float64Type>();
        numbers.ok_or_else(|| Error::query(format!("the column {name} of a scene is DOUBLE")))
    }

    fn text(&self, name: &str, row: usize) -> Result<Option<&'a str>> {
        let texts: Option<&StringViewArray> = self.column(name)?.as_string_view_opt();
        let texts = texts.ok_or_else(|| Error::query(format!("the column {name} of a scene is TEXT")))?;
        Ok(texts.is_valid(row).then(|| texts.value(row)))
    }

    /// The container of a row; shapes of a network have none.
    fn id(&self, row: usize) -> Result<Option<i32>> {
        let ids = self.column("container_id")?.as_primitive_opt::<Int32Type>();
        let ids = ids.ok_or_else(|| Error::query("the column container_id of a scene is INTEGER".to_string()))?;
        Ok(ids.is_valid(row).then(|| ids.value(row)))
    }

    fn end(&self, row: usize) -> Result<(f64, f64)> {
        Ok((self.numbers("x2")?.value(row), self.numbers("z2")?.value(row)))
    }
}
