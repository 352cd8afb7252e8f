//! Descriptions of machines: networks in DOT, hierarchies as property lists, JSON and YAML.

use std::path::Path;

use ocellus_trace::import::attach::{check_hierarchy, check_topology};

use super::{Sandbox, read};

pub fn dot(sandbox: &mut Sandbox, input: &[u8]) {
    let path = sandbox.put("input.dot", Some(input));
    if let Err(error) = check_topology(&path) {
        assert!(error.to_string().contains("input.dot:"), "no line: {error}");
    }
}

pub fn plist(sandbox: &mut Sandbox, input: &[u8]) {
    hierarchy(sandbox, "input.plist", input);
}

pub fn yaml(sandbox: &mut Sandbox, input: &[u8]) {
    hierarchy(sandbox, "input.yaml", input);
}

fn hierarchy(sandbox: &mut Sandbox, name: &str, input: &[u8]) {
    let path = sandbox.put(name, Some(input));
    if let Err(error) = check_hierarchy(&path) {
        assert!(error.to_string().contains(&format!("{name}:")), "no line: {error}");
    }
}

pub fn dot_samples(checkout: &Path) -> Vec<Vec<u8>> {
    const MORE: &[&str] = &[
        "strict graph \"a b\" {\n  node [shape=box]; edge [bandwidth=\"1Gbps\", latency=50us]\n  a -- b -- {c; d} [x=<b<i>>];\n}",
        "digraph { subgraph x { a:p:n -> b [latency=1e-3] } /* c */ -> { d } # e\n rank = same; \"q\" + \"r\" -> -.5 }",
    ];
    [vec![read(&checkout.join("traces/quickstart.dot"))], MORE.iter().map(|text| text.as_bytes().to_vec()).collect()]
        .concat()
}

pub fn plist_samples(checkout: &Path) -> Vec<Vec<u8>> {
    const MORE: &str = "// c\n( { name = \"a\\u0041\\n\"; type = site; children = ( b, { name = c; }, ); }, d )";
    vec![read(&checkout.join("traces/quickstart.plist")), MORE.as_bytes().to_vec()]
}

pub fn yaml_samples(_: &Path) -> Vec<Vec<u8>> {
    [
        "name: Grid5000\ntype: grid\nchildren:\n  - name: xiru\n    children: [xiru-0, \"xiru-1\"]\n  - |\n    lines\n",
        "{\"name\": \"a\", \"children\": [{\"name\": \"b\", \"type\": \"site\"}, \"c\"]}",
        "- a\n- 'b'\n- ? name\n  : c\n# d\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
