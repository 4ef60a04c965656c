"""Compiling that takes long is announced once, on stderr."""

from __future__ import annotations

import time

import pytest

from limbik.compiling import notice


class Slow:
    """A kernel whose compiling takes a while."""

    def __init__(self) -> None:
        self.signatures: list[object] = []

    def compile(self, signature: object) -> None:
        time.sleep(0.2)
        self.signatures.append(signature)

    def __call__(self, value: float) -> float:
        assert self.signatures
        return 2.0 * value


def test_a_word_where_compiling_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(notice, "_PATIENCE", 0.01)
    monkeypatch.setattr(notice, "_announced", False)
    assert [notice.call(Slow(), 2.0), notice.call(Slow(), 3.0)] == [4.0, 6.0]
    assert capsys.readouterr().err.count("compiling its kernels") == 1


def test_no_word_where_it_is_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(notice, "_PATIENCE", 0.0)
    monkeypatch.setattr(notice, "_announced", False)
    ready = Slow()
    ready.signatures.append("float64")
    assert notice.call(ready, 2.0) == 4.0
    assert capsys.readouterr().err == ""
