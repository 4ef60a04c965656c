"""line_search done again: boxes, caps, verdicts and the drills they rest on."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from limbik.errors import FormatError, GoalError
from limbik.figure.motion import Motion
from limbik.figures import cartwheel, human, spider
from limbik.methods import ProjectedLevenbergMarquardt
from limbik.papers.contract import Order, Verdict
from limbik.papers.line_search import caps, contest, measured
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.chapters import boxes, redundancy, singular, timelapse
from limbik.papers.line_search.follow import Entry, follow, path_of
from limbik.papers.line_search.statistics import box_of, roughness
from limbik.papers.line_search.subject import (
    Drill,
    Subject,
    find_effectors,
    height,
    in_unit,
    subject_of,
)

# ---- the paper's unit, and the drills -----------------------------------------------------------


def test_the_body_is_nine_units_tall_and_moves_the_same(subject: Subject) -> None:
    assert height(subject.figure) == pytest.approx(9.0)
    clip = cartwheel()
    np.testing.assert_allclose(
        subject.clip.positions() * subject.unit, clip.positions(), atol=1e-12
    )
    assert np.max(subject.figure.violation(subject.clip.q)) == 0.0
    # 0.05 units are about a centimetre on this body, as the paper says.
    assert 0.05 * subject.unit == pytest.approx(0.01, rel=0.05)


def test_limits_of_slides_are_lengths_and_shrink_with_the_unit() -> None:
    from limbik.figure.figure import Figure
    from limbik.figure.joints import Joint, prismatic, revolute
    from limbik.figure.limits import Range

    crane = Figure(
        [
            Joint("Rail", parts=prismatic("x"), limit=Range(-2.0, 3.0), offset=(0, 4.0, 0)),
            Joint("Arm", "Rail", revolute("z"), offset=(0, 1.0, 0), limit=Range(-1.0, 1.0)),
        ]
    )
    small = in_unit(Motion(crane, [[2.0, 0.5]], 1.0), 0.5)
    np.testing.assert_allclose(small.figure.lower, [-4.0, -1.0])
    np.testing.assert_allclose(small.figure.upper, [6.0, 1.0])
    np.testing.assert_allclose(small.q, [[4.0, 0.5]])


@pytest.mark.parametrize(
    ("every", "chains", "frames"), [(0.05, 1, 100), (0.7, 14, 87), (1.0, 20, 81)]
)
def test_drills_take_every_phase_and_never_the_start(
    subject: Subject, every: float, chains: int, frames: int
) -> None:
    drill = subject.drill(every)
    assert (len(drill.chains), drill.frames) == (chains, frames)
    fine, step = subject.clip.sample(0.05), round(every / 0.05)
    at = fine.positions()[:, subject.index()]
    for phase, chain in enumerate(drill.chains):
        np.testing.assert_array_equal(chain.start, fine.q[phase])
        np.testing.assert_array_equal(chain.targets[0], at[phase + step])
        np.testing.assert_array_equal(chain.reference, fine.q[phase + step :: step])
    assert subject.drill(every, most=11).frames == 11


def test_a_clip_gets_limits_from_its_own_motion() -> None:
    clip = cartwheel()
    free = Motion(
        clip.figure.with_limits(dict.fromkeys(clip.figure.joints)), clip.q, clip.fps, "free"
    )
    found = subject_of(Order(clip=free, clip_name="free"))
    knee = found.figure.coordinates.index("LeftLeg.rx")
    used = clip.q[:, clip.figure.coordinates.index("LeftLeg.rx")]
    assert found.figure.upper[knee] == pytest.approx(used.max() + math.radians(10))
    assert found.figure.lower[knee] == pytest.approx(used.min() - math.radians(10))
    assert np.max(found.figure.violation(found.clip.q)) == 0.0


def test_effectors_are_found_by_name_or_refused_by_name() -> None:
    assert find_effectors(human())[0] == "LeftHand"
    with pytest.raises(GoalError, match="no joint for the left hand"):
        find_effectors(spider())


def test_a_clip_too_short_to_sample_is_refused() -> None:
    short = subject_of(Order(clip=cartwheel()[:100], clip_name="short"))
    with pytest.raises(GoalError, match=r"short: lasts 0\.82 s, too short to sample at 1\.0 s"):
        short.drill(1.0)


# ---- following ----------------------------------------------------------------------------------


def test_each_frame_starts_exactly_at_the_last_answer(subject: Subject) -> None:
    drill = subject.drill(0.05, most=4)
    method = ProjectedLevenbergMarquardt()
    entry = follow(subject, drill, "default", method, 7)
    q = drill.chains[0].start
    for k, targets in enumerate(drill.chains[0].targets):
        path = path_of(subject.figure, subject.effectors, targets, q, method, 7)
        np.testing.assert_array_equal(entry.poses[0][k], path.q[-1])
        assert entry.errors[k] == pytest.approx(path.f[-1], abs=1e-28)
        assert entry.iterations[k] == len(path.f) - 1
        q = path.q[-1]
    assert entry.violation == 0.0
    assert (entry.iterations <= 7).all()


def test_errors_are_sums_of_squared_distances(subject: Subject) -> None:
    drill = subject.drill(0.05, most=3)
    poses = [np.tile(drill.chains[0].start, (3, 1))]
    entry = measured(subject, drill, "stands still", poses)
    names = ("LeftHand", "RightHand", "LeftFoot", "RightFoot", "Hips", "Head")
    for k in range(3):
        there = drill.chains[0].reference[k]
        apart = [
            subject.figure.positions(poses[0][k])[subject.figure.index(name)]
            - subject.figure.positions(there)[subject.figure.index(name)]
            for name in names
        ]
        assert entry.errors[k] == pytest.approx(sum(float(d @ d) for d in apart))
        assert entry.worst[k] == pytest.approx(max(np.linalg.norm(d) for d in apart))


# ---- boxes --------------------------------------------------------------------------------------


def test_a_box_by_hand() -> None:
    box = box_of(np.array([3.0, 1.0, 2.0, 4.0, 100.0]))
    assert (box.first, box.median, box.third) == (2.0, 3.0, 4.0)
    # Whiskers reach to values within 1.5 · 2 of the quartiles: from 1 to 4; 100 is an outlier.
    assert (box.low, box.high, box.outliers) == (1.0, 4.0, (100.0,))


def test_boxes_agree_with_percentiles() -> None:
    random = np.random.default_rng(3)
    values = np.concatenate([random.lognormal(sigma=2.0, size=157), [-50.0]])
    box = box_of(values)
    for share, value in ((0.25, box.first), (0.5, box.median), (0.75, box.third)):
        place = share * (len(values) - 1)
        below, above = np.sort(values)[[math.floor(place), math.ceil(place)]]
        assert value == pytest.approx(below + (place - math.floor(place)) * (above - below))
    reach = 1.5 * box.spread
    kept = values[(values >= box.first - reach) & (values <= box.third + reach)]
    assert (box.low, box.high) == (kept.min(), kept.max())
    assert len(box.outliers) == len(values) - len(kept) > 1
    assert -50.0 in box.outliers


def test_no_box_of_nothing_or_nan() -> None:
    for values in ([], [1.0, math.nan]):
        with pytest.raises(ValueError, match="a box needs values"):
            box_of(np.array(values))


def test_roughness_is_the_second_difference(subject: Subject) -> None:
    figure = subject.figure
    poses = np.tile(figure.rest, (4, 1))
    along = figure.coordinates.index("Hips.tx")
    poses[:, along] += [0.0, 1.0, 4.0, 9.0]  # k²: a second difference of 2 everywhere
    assert roughness(figure, poses) == pytest.approx(2.0)


# ---- caps ---------------------------------------------------------------------------------------


def test_caps_on_file_are_well_formed() -> None:
    kept = caps.read()
    data = json.loads(caps.CAPS.read_text(encoding="utf-8"))
    assert kept.slot == 0.015
    assert {"processor", "cores", "system", "Python", "Numba", "limbik"} <= set(kept.machine)
    assert {who.TRANSPOSE, who.INVERSE, who.LINE_SEARCH, who.DEFAULT} <= set(kept.seconds)
    for key, cap in data["caps"].items():
        assert cap == kept.cap(key) == max(1, int(0.015 / kept.seconds[key] + 1e-6))


def test_caps_follow_the_slot_and_fall_back() -> None:
    some = caps.Caps(0.015, {}, "figure", {"swift": 1e-5, "slow": 1.0})
    assert (some.cap("swift"), some.cap("swift", 0.00015)) == (1500, 15)
    assert some.cap("slow") == 1
    assert (some.cap("unheard of"), some.knows("unheard of")) == (caps.FALLBACK, False)
    assert some.cap("unheard of", 0.00015) == 1


def test_caps_are_written_and_read_back(tmp_path: Path) -> None:
    some = caps.Caps(0.015, {"processor": "abacus"}, "figure", {"swift": 1.234e-5})
    file = tmp_path / "caps.json"
    caps.write(some, file)
    assert caps.read(file) == some
    assert [path.name for path in tmp_path.iterdir()] == ["caps.json"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("not json", "is not a file of caps"),
        ('{"slot_seconds": 0.015}', "is not a file of caps"),
        (
            '{"slot_seconds": 0.015, "machine": {}, "figure": "", '
            '"seconds_per_iteration": {"swift": 0}}',
            '"swift" must be a positive time',
        ),
    ],
)
def test_caps_that_cannot_be_used_are_refused(tmp_path: Path, text: str, what: str) -> None:
    file = tmp_path / "caps.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=what):
        caps.read(file)
    with pytest.raises(FormatError, match="cannot be read"):
        caps.read(tmp_path / "nowhere.json")


def test_the_contest_keeps_to_its_caps(subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "QUICK_FRAMES", (3, 2, 2))
    some = caps.Caps(0.015, {}, "figure", {who.LINE_SEARCH: 0.015 / 8.5, who.DEFAULT: 0.015 / 4.5})
    monkeypatch.setattr(who, "few", lambda: [n for n in who.papers_and_default() if n.key in
                                             (who.LINE_SEARCH, who.DEFAULT)])  # fmt: skip

    def statue(subject: Subject, drill: Drill) -> list[Entry]:
        poses = [np.tile(chain.start, (len(chain.targets), 1)) for chain in drill.chains]
        return [measured(subject, drill, "statue", poses, note="It stands.")]

    guests = [statue]
    first = contest.hold(Order(quick=True), subject, some, guests)
    again = contest.hold(Order(quick=True), subject, some, guests)
    for every in (0.05, 0.7, 1.0):
        row = first.entries["slot"][every]
        assert set(row) == {who.LINE_SEARCH, who.DEFAULT, who.RESTARTED, who.SHIPPED, "statue"}
        assert row[who.LINE_SEARCH].cap == 8
        assert row[who.DEFAULT].cap == 4
        assert row[who.LINE_SEARCH].iterations.max() <= 8
        assert row[who.DEFAULT].iterations.max() <= 4
        assert row[who.RESTARTED].iterations.max() <= 4
        assert first.entry(who.DEFAULT, every, "10").cap == 10
        for key, entry in row.items():
            np.testing.assert_array_equal(entry.errors, again.entries["slot"][every][key].errors)
    assert first.guests == ("statue",)


# ---- all of it, on a few frames -----------------------------------------------------------------


def test_a_tiny_run_gives_every_chapter_the_same_twice(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contest, "QUICK_FRAMES", (12, 4, 4))
    kept = caps.read()
    small = replace(kept, seconds={key: 20.0 * value for key, value in kept.seconds.items()})
    order = Order(quick=True)

    def chapters():
        held = contest.hold(order, subject, small)
        others = [module.chapter(order, held) for module in (singular, redundancy, timelapse)]
        return [boxes.chapter(order, held, small), *others]

    one, two = chapters(), chapters()
    for a, b in zip(one, two, strict=True):
        assert a.claims == b.claims
        assert a.claims
        assert a.text == b.text
        assert [p.data for p in a.pictures] == [p.data for p in b.pictures]
        assert all(p.data[:5] in (b"<?xml", b"\x89PNG\r") for p in a.pictures)
        np.testing.assert_equal(a.numbers, b.numbers)
        assert a.settings == b.settings
        for table in a.tables:
            assert table.rows
            assert all(len(row) == len(table.columns) for row in table.rows)
    verdict = {claim.says[:20]: claim.verdict for claim in one[0].claims}
    assert verdict["Projection keeps eve"] is Verdict.HOLDS
    assert verdict["The line search guar"] is Verdict.HOLDS
    errors = one[0].numbers["errors"]["slot"]["0.05"]
    others = {who.RESTARTED, who.SHIPPED, who.BEST}
    assert set(errors) == {named.key for named in who.few()} | others
    assert np.median(errors[who.DEFAULT]) < np.median(errors[who.LINE_SEARCH])
