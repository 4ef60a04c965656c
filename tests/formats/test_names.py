"""One table of what is built in, and one answer to what a name means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers.command_line import Ran
from limbik.errors import FormatError, NoMotionError
from limbik.figure.figure import Figure
from limbik.figures import BUILT_IN
from limbik.formats.names import built_in, check_name, is_built_in
from limbik.poser.document.document import Source
from limbik.poser.files.open import open_source


def figure_of(name: str) -> Figure:
    made = BUILT_IN[name]()
    return made if isinstance(made, Figure) else made.figure


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_name_is_one_figure_everywhere(name: str, tmp_path: Path) -> None:
    figure = figure_of(name)
    others = [limbik.load(name), open_source(Source("builtin", name), tmp_path).figure]
    for other in others:
        assert other.joints == figure.joints
        np.testing.assert_array_equal(other.frames(other.rest), figure.frames(figure.rest))
    assert f"joints  {len(figure.joints)} " in Ran("info", name).out
    made = getattr(limbik.figures, name)()
    assert (made if isinstance(made, Figure) else made.figure).joints == figure.joints


def test_the_chain_of_the_poser_is_that_of_the_library(tmp_path: Path) -> None:
    chain = open_source(Source("builtin", "chain"), tmp_path).figure
    assert chain.joints == limbik.figures.chain().joints == limbik.load("chain").joints


def test_motions_by_name() -> None:
    clip = limbik.load_motion("cartwheel")
    np.testing.assert_array_equal(clip.q, limbik.figures.cartwheel().q)
    assert limbik.load_motion("cartwheel", figure=limbik.figures.human()).frames == clip.frames
    assert limbik.load_motion("cartwheel", unit="cm").figure.unit == "cm"
    with pytest.raises(NoMotionError, match='"human" is a built-in figure without motion'):
        limbik.load_motion("human")


def test_a_file_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_built_in("arm")
    assert built_in("arm") is not None
    Path("arm").write_text("mine")
    assert not is_built_in("arm")
    assert built_in("arm") is None
    with pytest.raises(FormatError, match="a name without an ending"):
        limbik.load("arm")


def test_a_name_that_means_nothing() -> None:
    with pytest.raises(FormatError, match=r'^"humn" is neither a file nor built in .*"human"'):
        check_name("humn")
    with pytest.raises(FormatError, match=r"built in are human, hand, arm, leg, spider, chain, c"):
        check_name("x" * 300)
    check_name("missing.bvh")  # a file, which reading refuses
