"""The hypothesis strategies of verify.testing: what they promise, and what they shrink to."""

from __future__ import annotations

import pytest
from hypothesis import find, given

from verify.testing import encodings, tasks
from verify.theory.encodings import encoding
from verify.theory.tasks import rows, task


@given(encodings(length=12))
def test_encodings_are_defined_up_to_their_length(found):
    assert found.capacity is None or found.capacity >= 12
    assert len(found.features(11, 12)) == found.dimension
    assert encoding(found.spec) == found


@given(encodings(relative=True, rational=True))
def test_encodings_can_be_restricted(found):
    assert found.relative
    assert found.rational


@given(encodings(rational=False))
def test_irrational_encodings(found):
    assert not found.rational


@given(tasks(length=12))
def test_tasks_ask_something(found):
    assert rows(found, 12)
    assert task(found.spec) == found


def test_simplest_examples():
    assert find(encodings(), lambda _: True).spec == "affine"
    assert find(encodings(relative=True), lambda _: True).spec == "alibi"
    assert find(tasks(), lambda _: True).spec == "previous"


@pytest.mark.parametrize("name", ["sinusoidal", "rope", "t5", "clipped", "learned", "onehot"])
def test_every_family_occurs(name):
    assert find(encodings(), lambda found: found.spec.startswith(name))
