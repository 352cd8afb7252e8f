//! The container of binary glTF: a header, a JSON chunk that describes, a binary chunk with the numbers.
//!
//! ```text
//!  'glTF' version length │ length 'JSON' {…}··· │ length 'BIN\0' corners, indices …
//! ```
//! Chunks are padded to four bytes: JSON with spaces, numbers with zeros.

use serde_json::{Value, json};

use ocellus_trace::error::{Error, Result};

const MAGIC: u32 = 0x4654_6C67;
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Corners of all boxes and ends of all lines of one material in one node.
#[derive(Debug, Default)]
pub(super) struct MeshGeometry {
    corners: Vec<[f32; 3]>,
    triangles: Vec<u32>,
    lines: Vec<u32>,
}

/// The six faces of a box, two triangles each, seen from outside; bits of a corner: x, y, z.
const FACES: [[u32; 6]; 6] = [
    [0, 4, 6, 0, 6, 2],
    [1, 3, 7, 1, 7, 5],
    [0, 1, 5, 0, 5, 4],
    [2, 6, 7, 2, 7, 3],
    [0, 2, 3, 0, 3, 1],
    [4, 5, 7, 4, 7, 6],
];

impl MeshGeometry {
    /// Adds a box around a place (x, z), between two heights.
    pub(super) fn add_box(&mut self, (x, z): (f64, f64), (width, length): (f64, f64), (low, high): (f64, f64)) {
        let first = self.corners.len() as u32;
        for corner in 0..8 {
            let side = |bit: u32, half: f64| if corner & bit == 0 { -half } else { half };
            let y = if corner & 2 == 0 { low } else { high };
            self.corners.push([(x + side(1, width / 2.0)) as f32, y as f32, (z + side(4, length / 2.0)) as f32]);
        }
        self.triangles.extend(FACES.iter().flatten().map(|corner| first + corner));
    }

    /// Adds a line from one place and height to another.
    pub(super) fn add_line(&mut self, from: (f64, f64), to: (f64, f64), (low, high): (f64, f64)) {
        let first = self.corners.len() as u32;
        self.corners.push([from.0 as f32, low as f32, from.1 as f32]);
        self.corners.push([to.0 as f32, high as f32, to.1 as f32]);
        self.lines.extend([first, first + 1]);
    }
}

/// A glTF document that grows.
#[derive(Debug, Default)]
pub(super) struct Document {
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    numbers: Vec<u8>,
}

impl Document {
    /// Adds a material in a linear color; gives its number.
    pub(super) fn material(&mut self, name: &str, [red, green, blue]: [f64; 3]) -> usize {
        self.materials.push(json!({
            "name": name,
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [red, green, blue, 1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.9,
            },
        }));
        self.materials.len() - 1
    }

    /// Adds a node with a shape per material.
    pub(super) fn node<'a>(&mut self, name: &str, shapes: impl Iterator<Item = (usize, &'a MeshGeometry)>) {
        let mut primitives = vec![];
        for (material, shape) in shapes {
            let corners = self.corners(&shape.corners);
            for (mode, indices) in [(4, &shape.triangles), (1, &shape.lines)] {
                if !indices.is_empty() {
                    let indices = self.indices(indices);
                    primitives.push(json!({
                        "attributes": { "POSITION": corners }, "indices": indices, "material": material, "mode": mode,
                    }));
                }
            }
        }
        self.meshes.push(json!({ "name": name, "primitives": primitives }));
        self.nodes.push(json!({ "name": name, "mesh": self.meshes.len() - 1 }));
    }

    fn corners(&mut self, corners: &[[f32; 3]]) -> usize {
        let bound = |pick: fn(f32, f32) -> f32, start: f32| {
            [0, 1, 2].map(|axis| corners.iter().map(|corner| corner[axis]).fold(start, pick))
        };
        let (least, most) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
        let view = self.view(corners.iter().flatten().flat_map(|number| number.to_le_bytes()), VERTICES);
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": corners.len(), "type": "VEC3", "min": least, "max": most,
        }));
        self.accessors.len() - 1
    }

    fn indices(&mut self, indices: &[u32]) -> usize {
        let view = self.view(indices.iter().flat_map(|number| number.to_le_bytes()), INDICES);
        self.accessors.push(json!({
            "bufferView": view, "componentType": UNSIGNED_INT, "count": indices.len(), "type": "SCALAR",
        }));
        self.accessors.len() - 1
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: u32) -> usize {
        let start = self.numbers.len();
        self.numbers.extend(bytes);
        let length = self.numbers.len() - start;
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length, "target": target }));
        self.views.len() - 1
    }

    /// The file, with the name of its scene.
    pub(super) fn bytes(mut self, name: &str) -> Result<Vec<u8>> {
        let mut description = json!({
            "asset": { "version": "2.0", "generator": format!("ocellus {}", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": name }],
        });
        // Lists of nothing are not allowed.
        if !self.nodes.is_empty() {
            let numbers: Vec<usize> = (0..self.nodes.len()).collect();
            description["scenes"][0]["nodes"] = json!(numbers);
            description["nodes"] = Value::Array(self.nodes);
            description["meshes"] = Value::Array(self.meshes);
            description["materials"] = Value::Array(self.materials);
            description["accessors"] = Value::Array(self.accessors);
            description["bufferViews"] = Value::Array(self.views);
            description["buffers"] = json!([{ "byteLength": self.numbers.len() }]);
        }
        let mut text = description.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        self.numbers.resize(self.numbers.len().next_multiple_of(4), 0);
        let mut chunks = vec![(JSON_CHUNK, text)];
        if !self.numbers.is_empty() {
            chunks.push((BINARY_CHUNK, self.numbers));
        }
        let total = 12 + chunks.iter().map(|(_, chunk)| 8 + chunk.len()).sum::<usize>();
        let length = |length: usize| {
            u32::try_from(length)
                .map_err(|_| Error::query("the scene is larger than the 4 GB of a .glb file".to_string()))
        };
        let mut file = Vec::with_capacity(total);
        for number in [MAGIC, 2, length(total)?] {
            file.extend(number.to_le_bytes());
        }
        for (kind, chunk) in chunks {
            file.extend(length(chunk.len())?.to_le_bytes());
            file.extend(kind.to_le_bytes());
            file.extend(chunk);
        }
        Ok(file)
    }
}
