"""Signed distances of simple solids: against MuJoCo and brute force, and where they degenerate."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np
import pytest

from limbik.maths.broad_phase import bounding_radii, bounds, near_pairs, sweep_and_prune
from limbik.maths.cores import BOX, CYLINDER, HALF_SPACE, POINT, SEGMENT
from limbik.maths.distance import distances, shape_distance
from limbik.maths.so3 import exp_map, quat_to_matrix

KINDS = (POINT, SEGMENT, BOX, CYLINDER)
NAMES = {POINT: "sphere", SEGMENT: "capsule", BOX: "box", CYLINDER: "cylinder"}
PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))


def solid(
    kind: int, rng: np.random.Generator, spread: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(sizes, pose, wxyz) of a random solid."""
    a, b, c = rng.uniform(0.1, 1.0, 3)
    r = rng.uniform(0.05, 0.5)
    size = {
        POINT: [0, 0, 0, r], SEGMENT: [0, 0, c, r], BOX: [a, b, c, 0], CYLINDER: [a, a, c, 0],
    }[kind]  # fmt: skip
    wxyz = exp_map(2.0 * rng.normal(size=3))
    pose = np.concatenate([quat_to_matrix(wxyz).ravel(), spread * rng.normal(size=3)])
    return np.array(size, float), pose, wxyz


def two(a: int, b: int, rng: np.random.Generator, spread: float = 1.0) -> tuple[np.ndarray, ...]:
    (size_a, pose_a, _), (size_b, pose_b, _) = solid(a, rng, spread), solid(b, rng, spread)
    return np.array([a, b], np.uint32), np.array([size_a, size_b]), np.array([pose_a, pose_b])


def measured(kinds: np.ndarray, sizes: np.ndarray, poses: np.ndarray) -> tuple[float, np.ndarray]:
    out = np.empty(9)
    return shape_distance(kinds, sizes, poses, 0, 1, out), out


def overlap_along(
    kinds: np.ndarray, sizes: np.ndarray, poses: np.ndarray, directions: np.ndarray
) -> np.ndarray:
    """How far two solids overlap along directions (k, 3)."""
    total = sizes[:, 3].sum() - np.abs(directions @ (poses[1, 9:] - poses[0, 9:]))
    for kind, size, pose in zip(kinds, sizes, poses, strict=True):
        own = np.abs(directions @ pose[:9].reshape(3, 3))
        if kind == CYLINDER:
            own[:, 0], own[:, 1] = np.hypot(own[:, 0], own[:, 1]), 0.0
        total = total + own @ size[:3]
    return total


def rough(kinds: np.ndarray, sizes: np.ndarray, core: float) -> float:
    """How much deeper than it is an overlap may be called where cores are at a distance ``core``:
    with cylinders the radius."""
    return float(sizes[kinds == CYLINDER, 0].sum()) if core < 0.0 else 0.0


def surface(kind: int, size: np.ndarray, pose: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points (k, 3) of a solid."""
    core = rng.uniform(-1.0, 1.0, (2000, 3))
    if kind == CYLINDER:
        core[:, :2] /= np.maximum(1.0, np.linalg.norm(core[:, :2], axis=1))[:, None]
    core *= size[:3]
    around = rng.normal(size=(2000, 3))
    around *= size[3] / np.linalg.norm(around, axis=1)[:, None]
    return (core + around) @ pose[:9].reshape(3, 3).T + pose[9:]


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=lambda kind: NAMES[kind])
def test_distances_are_those_of_mujoco(a: int, b: int) -> None:
    rng = np.random.default_rng(10 * a + b)
    solids = [[solid(kind, rng, spread) for kind in (a, b)] for spread in [0.3, 1.0, 2.0] * 12]
    text = {
        POINT: lambda s: f"{s[3]}",
        SEGMENT: lambda s: f"{s[3]} {s[2]}",
        BOX: lambda s: " ".join(map(str, s[:3])),
        CYLINDER: lambda s: f"{s[0]} {s[2]}",
    }
    geoms = [
        f'<body><geom type="{NAMES[kind]}" size="{text[kind](size)}" '
        f'pos="{" ".join(map(str, pose[9:]))}" quat="{" ".join(map(str, wxyz))}"/></body>'
        for pair in solids
        for kind, (size, pose, wxyz) in zip((a, b), pair, strict=True)
    ]
    model = mujoco.MjModel.from_xml_string(  # type: ignore[attr-defined]
        '<mujoco><option ccd_iterations="200" ccd_tolerance="1e-10"/>'
        f"<worldbody>{''.join(geoms)}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)  # type: ignore[attr-defined]
    mujoco.mj_kinematics(model, data)  # type: ignore[attr-defined]
    seen = []
    for k, pair in enumerate(solids):
        sizes, poses = np.array([s for s, _, _ in pair]), np.array([p for _, p, _ in pair])
        kinds = np.array([a, b], np.uint32)
        d, _ = measured(kinds, sizes, poses)
        seen.append(d)
        if d < 0.0 and ((a, b) == (SEGMENT, BOX) or b == CYLINDER):
            continue  # MuJoCo's depth there is no least translation; brute force judges ours
        theirs = mujoco.mj_geomDistance(model, data, 2 * k, 2 * k + 1, 100.0, np.zeros(6))  # type: ignore[attr-defined]
        assert d == pytest.approx(theirs, abs=1e-7), (k, sizes, poses)
    assert min(seen) < 0.0 < max(seen)


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=lambda kind: NAMES[kind])
def test_nearest_points_normal_and_gradient(a: int, b: int) -> None:
    rng = np.random.default_rng(77 + 10 * a + b)
    for spread in [0.3, 1.0, 2.0] * 7:
        kinds, sizes, poses = two(a, b, rng, spread)
        d, out = measured(kinds, sizes, poses)
        pa, pb, n = out[:3].copy(), out[3:6].copy(), out[6:].copy()
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-9)
        np.testing.assert_allclose(pb - pa, d * n, atol=1e-9)
        back, turned = measured(kinds[::-1].copy(), sizes[::-1].copy(), poses[::-1].copy())
        assert back == pytest.approx(d, abs=1e-9)
        assert turned[6:] @ n == pytest.approx(-1.0, abs=1e-6)
        # No direction parts them with less, and along n they overlap by −d.
        directions = rng.normal(size=(3000, 3))
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        deeper = rough(kinds, sizes, d + sizes[:, 3].sum())
        overlaps = overlap_along(kinds, sizes, poses, directions)
        assert overlaps.min() >= -d - deeper - 1e-9
        own = overlap_along(kinds, sizes, poses, n[None])[0]
        assert -d - deeper - 1e-9 <= own <= -d + 1e-9
        if d > 0.0:  # no two of their points are nearer
            near = [surface(*of, rng)[:200] for of in zip(kinds, sizes, poses, strict=True)]
            apart = np.linalg.norm(near[0][:, None] - near[1][None], axis=-1)
            assert apart.min() >= d - 1e-9
        # The gradient: any small motion of the second changes d by n · v(pb).
        step, w = 1e-6 * rng.normal(size=3), 1e-6 * rng.normal(size=3)
        change = np.empty(2)
        for k, sign in enumerate((1.0, -1.0)):
            moved = poses.copy()
            turn = quat_to_matrix(exp_map(sign * w))
            moved[1, :9] = (turn @ poses[1, :9].reshape(3, 3)).ravel()
            moved[1, 9:] += sign * step
            change[k] = measured(kinds, sizes, moved)[0]
        velocity = step + np.cross(w, pb - poses[1, 9:])
        assert 0.5 * (change[0] - change[1]) == pytest.approx(n @ velocity, abs=1e-10)


def at(size: list[float], place: list[float], turn: list[float] | None = None) -> tuple:
    rotation = np.eye(3) if turn is None else quat_to_matrix(exp_map(turn))
    return np.array(size, float), np.concatenate([rotation.ravel(), place])


def between(a: int, b: int, first: tuple, second: tuple) -> tuple[float, np.ndarray]:
    kinds = np.array([a, b], np.uint32)
    return measured(kinds, np.array([first[0], second[0]]), np.array([first[1], second[1]]))


@pytest.mark.parametrize(
    ("a", "b", "first", "second", "expected"),
    [
        (POINT, POINT, at([0, 0, 0, 1], [0, 0, 0]), at([0, 0, 0, 2], [0, 0, 0]), -3.0),
        (POINT, SEGMENT, at([0, 0, 0, 1], [0, 0, 0.5]), at([0, 0, 1, 2], [0, 0, 0]), -3.0),
        (SEGMENT, SEGMENT, at([0, 0, 1, 0.1], [0, 0, 0]), at([0, 0, 1, 0.1], [1, 0, 1]), 0.8),
        (SEGMENT, SEGMENT, at([0, 0, 1, 0.1], [0, 0, 0]), at([0, 0, 1, 0.1], [0, 0, 3]), 0.8),
        (SEGMENT, SEGMENT, at([0, 0, 1, 0.1], [0, 0, 0]), at([0, 0, 1, 0.1], [0, 0, 0.5]), -0.2),
        (SEGMENT, SEGMENT, at([0, 0, 1, 0.1], [0, 0, 0]),
         at([0, 0, 1, 0.1], [0, 0, 0], [np.pi / 2, 0, 0]), -0.2),
        (POINT, BOX, at([0, 0, 0, 0.5], [0, 0, 0]), at([1, 2, 3, 0], [0, 0, 0]), -1.5),
        (SEGMENT, BOX, at([0, 0, 1, 0.5], [0, 0, 0]), at([1, 2, 3, 0], [0, 0, 0]), -1.5),
        (SEGMENT, BOX, at([0, 0, 1, 0.5], [2, 0, 0]), at([1, 2, 3, 0], [0, 0, 0]), 0.5),
        (BOX, BOX, at([1, 1, 1, 0], [0, 0, 0]), at([1, 1, 1, 0], [0, 0, 0]), -2.0),
        (BOX, BOX, at([1, 1, 1, 0], [0, 0, 0]), at([1, 1, 1, 0], [2, 0, 0]), 0.0),
        (BOX, BOX, at([1, 1, 1, 0], [0, 0, 0]), at([1, 1, 0, 0], [0, 0, 3]), 2.0),
        (CYLINDER, CYLINDER, at([1, 1, 2, 0], [0, 0, 0]), at([1, 1, 2, 0], [0, 0, 5]), 1.0),
        (CYLINDER, CYLINDER, at([1, 1, 2, 0], [0, 0, 0]), at([1, 1, 2, 0], [3, 0, 0]), 1.0),
        (CYLINDER, CYLINDER, at([1, 1, 2, 0], [0, 0, 0]), at([2, 2, 1, 0], [6, 0, 7]), 5.0),
        (BOX, CYLINDER, at([1, 1, 1, 0], [0, 0, 0]), at([1, 1, 2, 0], [0, 0, 4]), 1.0),
        (SEGMENT, CYLINDER, at([0, 0, 1, 0.5], [3, 0, 0]), at([1, 1, 2, 0], [0, 0, 0]), 1.5),
        (SEGMENT, CYLINDER, at([0, 0, 1, 0.5], [0, 0, 4]), at([1, 1, 2, 0], [0, 0, 0]), 0.5),
        (POINT, CYLINDER, at([0, 0, 0, 0.5], [4, 0, 6]), at([1, 1, 2, 0], [0, 0, 0]), 4.5),
        (CYLINDER, HALF_SPACE, at([3, 3, 4, 0], [0, 0, 9], [np.arctan2(3, 4), 0, 0]),
         at([0, 0, 0, 0], [0, 0, 0]), 4.0),
        (BOX, HALF_SPACE, at([1, 1, 1, 0], [0, 0, 5]), at([0, 0, 0, 0], [0, 0, 1]), 3.0),
        (SEGMENT, HALF_SPACE, at([0, 0, 1, 0.5], [0, 0, 0]), at([0, 0, 0, 0], [7, 0, 0]), -1.5),
        (HALF_SPACE, POINT, at([0, 0, 0, 0], [0, 0, 0]), at([0, 0, 0, 1], [0, 0, 4]), 3.0),
    ],
)  # fmt: skip
def test_degenerate_solids(a: int, b: int, first: tuple, second: tuple, expected: float) -> None:
    d, out = between(a, b, first, second)
    assert d == pytest.approx(expected, abs=1e-12)
    assert np.linalg.norm(out[6:]) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(out[3:6] - out[:3], d * out[6:], atol=1e-12)


def test_two_half_spaces_have_no_distance() -> None:
    plane = at([0, 0, 0, 0], [0, 0, 0])
    assert between(HALF_SPACE, HALF_SPACE, plane, plane)[0] == np.inf


def test_the_broad_phase_loses_no_pair() -> None:
    rng = np.random.default_rng(3)
    kinds = rng.integers(0, 4, 40).astype(np.uint32)
    made = [solid(int(kind), rng, 2.5) for kind in kinds]
    sizes, poses = np.array([s for s, _, _ in made]), np.array([p for _, p, _ in made])
    every = np.array(list(itertools.combinations(range(40), 2)), np.uint32)
    d, where = np.empty(len(every)), np.empty((len(every), 9))
    distances(kinds, sizes, poses, every, len(every), d, where)
    margin = 0.2
    near = {(int(i), int(j)) for (i, j), gap in zip(every, d, strict=True) if gap < margin}
    radii = np.empty(40)
    bounding_radii(kinds, sizes, radii)
    found = np.empty_like(every)
    count = near_pairs(every, poses, radii, margin, found)
    assert near <= {(int(i), int(j)) for i, j in found[:count]}
    assert count < len(every) // 2
    low, high = np.empty((40, 3)), np.empty((40, 3))
    bounds(kinds, sizes, poses, margin, low, high)
    for axis in range(3):
        order = rng.permutation(40).astype(np.uint32)
        count = sweep_and_prune(low, high, order, axis, found)
        assert (np.diff(low[order, axis]) >= 0.0).all()
        swept = {(int(i), int(j)) for i, j in found[:count]}
        assert near <= swept
        assert len(swept) == count < len(every) // 2
    assert sweep_and_prune(low, high, order, 0, found[:1].copy()) == count
