//! Reads written files back by the rules of the glTF 2.0 specification.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, StringViewArray};
use serde_json::Value;

use super::*;

/// Kind, container_id, name, value, then x, z, y0, y1, width, length, x2, z2.
type Row = (&'static str, Option<i32>, &'static str, &'static str, [f64; 8]);

fn batch(rows: &[Row]) -> RecordBatch {
    let text =
        |of: fn(&Row) -> &'static str| Arc::new(StringViewArray::from_iter_values(rows.iter().map(of))) as ArrayRef;
    let mut columns = vec![
        ("kind", text(|row| row.0)),
        ("container_id", Arc::new(rows.iter().map(|row| row.1).collect::<Int32Array>()) as ArrayRef),
        ("name", text(|row| row.2)),
        ("value", text(|row| row.3)),
    ];
    for (index, name) in ["x", "z", "y0", "y1", "width", "length", "x2", "z2"].into_iter().enumerate() {
        columns.push((name, Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.4[index])))));
    }
    RecordBatch::try_from_iter(columns).expect("a batch")
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

/// The description and the numbers of a file, after checking its frame.
fn opened(bytes: &[u8]) -> (Value, Vec<u8>) {
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!((number(bytes, 4), number(bytes, 8)), (2, bytes.len()));
    let text_length = number(bytes, 12);
    assert_eq!((&bytes[16..20], text_length % 4), (&b"JSON"[..], 0));
    let description = serde_json::from_slice(&bytes[20..20 + text_length]).expect("JSON");
    let rest = &bytes[20 + text_length..];
    if rest.is_empty() {
        return (description, vec![]);
    }
    assert_eq!((number(rest, 0) + 8, &rest[4..8], rest.len() % 4), (rest.len(), &b"BIN\0"[..], 0));
    (description, rest[8..].to_vec())
}

fn index(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// The bytes of an accessor, after checking that they lie in the buffer and are aligned.
fn numbers<'a>(description: &Value, binary: &'a [u8], accessor: usize) -> &'a [u8] {
    let accessor = &description["accessors"][accessor];
    let view = &description["bufferViews"][index(&accessor["bufferView"])];
    let (start, length) = (index(&view["byteOffset"]), index(&view["byteLength"]));
    let size = if accessor["type"] == "VEC3" { 12 } else { 4 };
    assert_eq!(length, size * index(&accessor["count"]));
    assert!(start % 4 == 0 && start + length <= index(&description["buffers"][0]["byteLength"]));
    &binary[start..start + length]
}

fn check(bytes: &[u8]) -> (Value, Vec<u8>) {
    let (description, binary) = opened(bytes);
    assert_eq!(description["asset"]["version"], "2.0");
    assert!(binary.len() >= index(&description["buffers"][0]["byteLength"]));
    for mesh in description["meshes"].as_array().expect("meshes") {
        let primitives = mesh["primitives"].as_array().expect("primitives");
        assert!(!primitives.is_empty());
        for primitive in primitives {
            let corners = index(&primitive["attributes"]["POSITION"]);
            let places: Vec<f64> = numbers(&description, &binary, corners)
                .chunks(4)
                .map(|bytes| f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes"))))
                .collect();
            for axis in 0..3 {
                let of_axis = places.iter().skip(axis).step_by(3).copied();
                let accessor = &description["accessors"][corners];
                assert_eq!(accessor["min"][axis].as_f64(), of_axis.clone().reduce(f64::min));
                assert_eq!(accessor["max"][axis].as_f64(), of_axis.reduce(f64::max));
            }
            let indices = numbers(&description, &binary, index(&primitive["indices"]));
            assert_eq!(indices.len() / 4 % if primitive["mode"] == 4 { 3 } else { 2 }, 0);
            assert!((0..indices.len() / 4).all(|at| number(indices, 4 * at) < places.len() / 3));
            assert!(index(&primitive["material"]) < description["materials"].as_array().expect("materials").len());
        }
    }
    (description, binary)
}

fn written(rows: &[Row]) -> Vec<u8> {
    let mut bytes = vec![];
    let palette = Palette::new([("compute", Color::parse("1.0 0.0 0.0")), ("wait", None), ("message", None)]);
    write_glb("a run", &[batch(rows)], &palette, &mut bytes).expect("a file");
    bytes
}

const ROWS: [Row; 7] = [
    ("area", Some(1), "rank 1", "", [5.0, 5.0, 0.0, 0.0, 10.0, 10.0, 0.0, 0.0]),
    ("state", Some(1), "rank 1", "compute", [5.0, 5.0, 0.0, 4.0, 2.0, 2.0, 0.0, 0.0]),
    ("state", Some(1), "rank 1", "compute", [5.0, 5.0, 6.0, 8.0, 2.0, 2.0, 0.0, 0.0]),
    ("state", Some(1), "rank 1", "wait", [5.0, 5.0, 4.0, 6.0, 2.0, 2.0, 0.0, 0.0]),
    ("state", Some(2), "rank 1", "compute", [25.0, 5.0, 4.0, 6.0, 2.0, 2.0, 0.0, 0.0]),
    ("link", Some(1), "rank 1", "message", [5.0, 5.0, 1.0, 3.0, 0.0, 0.0, 25.0, 5.0]),
    ("edge", None, "rank 1", "", [5.0, 5.0, 0.0, 0.0, 0.0, 0.0, 25.0, 5.0]),
];

#[test]
fn a_scene_has_nodes_with_names_and_a_material_per_value() {
    let (description, _) = check(&written(&ROWS));
    let names = |list: &str| -> Vec<String> {
        description[list]
            .as_array()
            .expect(list)
            .iter()
            .map(|item| item["name"].as_str().expect("a name").to_string())
            .collect()
    };
    // Two containers of one name are two nodes.
    assert_eq!(names("nodes"), ["rank 1", "edges", "rank 1", "rank 1", "links"]);
    assert_eq!(description["scenes"][0]["name"], "a run");
    assert_eq!(names("materials"), ["base", "edge", "compute", "wait", "message"]);
    assert_eq!(
        description["materials"][2]["pbrMetallicRoughness"]["baseColorFactor"],
        serde_json::json!([1.0, 0.0, 0.0, 1.0])
    );
    // Two bars of one value are one shape: sixteen corners and twenty-four triangles.
    let bars = &description["meshes"][2]["primitives"][0];
    assert_eq!(description["accessors"][index(&bars["attributes"]["POSITION"])]["count"], 16);
    assert_eq!(description["accessors"][index(&bars["indices"])]["count"], 72);
}

/// The triangles of a box look outwards: the volume that they enclose is positive, and that of the box.
#[test]
fn boxes_are_closed_and_look_outwards() {
    let (description, binary) = check(&written(&ROWS[1..2]));
    let primitive = &description["meshes"][0]["primitives"][0];
    let places = numbers(&description, &binary, index(&primitive["attributes"]["POSITION"]));
    let corner = |at: usize| -> [f64; 3] {
        [0, 1, 2].map(|axis| {
            f64::from(f32::from_le_bytes(places[12 * at + 4 * axis..][..4].try_into().expect("four bytes")))
        })
    };
    let indices = numbers(&description, &binary, index(&primitive["indices"]));
    let volume: f64 = (0..12)
        .map(|triangle| {
            let [a, b, c] = [0, 1, 2].map(|at| corner(number(indices, 12 * triangle + 4 * at)));
            a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        })
        .sum::<f64>()
        / 6.0;
    assert!((volume - 2.0 * 2.0 * 4.0).abs() < 1e-6, "{volume}");
}

#[test]
fn nothing_is_a_file_too_and_wrong_columns_are_told() {
    let (description, binary) = opened(&written(&[]));
    assert!(binary.is_empty() && description.get("nodes").is_none());
    let columns = [("kind", Arc::new(StringViewArray::from(vec!["state"])) as ArrayRef)];
    let wrong = RecordBatch::try_from_iter(columns).expect("a batch");
    let error = write_glb("a run", &[wrong], &Palette::default(), &mut vec![]).expect_err("no columns").to_string();
    assert!(error.contains("a scene needs a column x"), "{error}");
}

/// By the definition of sRGB: a half of the screen's scale is a fifth of the light.
#[test]
fn colors_are_linear() {
    assert_eq!(linear(Color::new(0, 255, 0)), [0.0, 1.0, 0.0]);
    let [half, _, _] = linear(Color::new(128, 0, 0));
    assert!((half - 0.2158605).abs() < 1e-6, "{half}");
}
