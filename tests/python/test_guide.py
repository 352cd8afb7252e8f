"""The Python of the guide is run."""
import re

import pytest

from conftest import ROOT, TRACES


@pytest.mark.filterwarnings("ignore:pandas only supports SQLAlchemy")
def test_the_page_runs(tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 6
    (tmp_path / "traces").symlink_to(TRACES)
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)  # noqa: S102
    assert "unknown_column (3, 7) did you mean value?" in capsys.readouterr().out
    assert {"treemap.png", "slices.parquet", "states", "report", "perf"} <= {path.name for path in tmp_path.iterdir()}
