"""The notebooks of the guide are run, and the magic is tried."""
import os
import pathlib

import nbclient
import nbformat
import pytest

from conftest import ROOT, TRACES

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def run(notebook, folder):
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute()
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_of_the_guide_runs(path, tmp_path):
    os.environ["OCELLUS_TRACES"] = str(TRACES)
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "outputs are not committed"
    outputs = run(notebook, tmp_path)
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert {"text/html", "image/svg+xml"} <= kinds, kinds
    told = [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]
    # Notes of functions are said; nothing else is.
    assert all(": Note: " in text for text in told), told
    if folder := os.environ.get("OCELLUS_NOTEBOOKS_OUT"):
        nbformat.write(notebook, pathlib.Path(folder) / path.name)


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


def test_the_magic_runs_sql(tmp_path):
    cells = [
        f"%load_ext ocellus\nimport ocellus\ncon = ocellus.connect({str(TRACES / 'quickstart.trace')!r})",
        "con",
        "%%ocellus con profile\nSELECT value, count(*) AS n\nFROM states GROUP BY 1",
        "%%ocellus\nSELECT 1 AS one",
        "%ocellus SELECT 2 AS two",
        "assert len(profile.fetchall()) > 3 and profile.columns == ['value', 'n']",
        "con.help('state_slices')",
        "con.draw('timeline')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    outputs = run(notebook, tmp_path)
    html = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert "quickstart" in html[0] and ">n</th>" in html[1] and ">one</th>" in html[2] and ">two</th>" in html[3]
    assert any("text/markdown" in output.get("data", {}) for output in outputs)
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)


def test_a_long_import_shows_a_bar_in_a_notebook(tmp_path):
    cells = [
        "import ocellus._progress as progress\nprogress.PATIENCE = 0\nbar = progress.ProgressBar()",
        "bar(1_000_000, 4_000_000)\nbar(2_000_000, 4_000_000)\nprint(bar._handle is not None)",
        "bar.close()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    outputs = run(notebook, tmp_path)
    assert any(output.get("text") == "True\n" for output in outputs)
    shown = [output for output in outputs if output.output_type == "display_data"]
    assert len(shown) == 1, "one place of the cell is used again and again"
