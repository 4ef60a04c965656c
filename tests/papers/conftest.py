"""What the tests of the papers share."""

from __future__ import annotations

import pytest

from limbik.papers.contract import Order
from limbik.papers.line_search.subject import Subject, subject_of


@pytest.fixture(scope="module")
def subject() -> Subject:
    return subject_of(Order())
