"""Job files: TOML, checked before anything runs; the example of ``limbik batch init``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from limbik.errors import FormatError
from limbik.formats.files import read_bytes
from limbik.jobs.job import Job, job_of
from limbik.jobs.section import Origin

EXAMPLE = """\
# A job for `limbik batch SRC OUT --job job.toml`: what to do with every clip below SRC.
# Lines that begin with # are notes or settings that are left at their default.

# Which files are clips, by their path below SRC. * stands for any letters, folders included.
# By default every file that may hold a motion (.bvh, .amc, .glb, .gltf, .vrma).
# clips = ["*.bvh"]
# skip = ["calibration/*"]

# The figure of clips that come without one (.csv, .npz, .amc): a file, by its path from here, or a
# built-in name.
# figure = "skeleton.asf"

# Which clip, of glTF files with several; by default the first.
# clip = "Run"

# Tables over all clips, written to OUT when a run ends: "csv", "json", "png" (a picture).
reports = ["csv"]

# ---- What is done, step by step ----

# track: follow the positions of some joints, and find everything else again inside the limits.
[[steps]]
do = "track"
effectors = ["Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]
# Joints that are called otherwise in the clips:  effectors = { LeftHand = "lHand", Head = "head" }
# onto = "hero.vrm"       # follow with another figure; by default the clip's own
# limits = "anatomical"   # or "file", "none", "clip+10"; by default as `limbik track` chooses
# every = 0.05            # seconds between frames; by default all frames
# method = "projected_lm"
# tolerance = 0.001       # in the figure's unit
# restarts = 10
# seed = 0

# check: measure the clip. With at_most, a clip that is worse is refused and has no output.
[[steps]]
do = "check"
# at_most = { jumps = 0, violation = 0.0, error_max = 0.05 }

# retarget: the whole clip onto another body or robot, with contacts kept.
# [[steps]]
# do = "retarget"
# onto = "human"          # a file, by its path from here, or a built-in name
# scale = "limbs"         # or "fitted", "common"
# smooth = 0.1            # seconds

# clean: without jitter, and with feet that stay where they stand.
# [[steps]]
# do = "clean"
# smooth = 0.1            # seconds
# plant_feet = true

# convert: another unit, axis or frame rate.
# [[steps]]
# do = "convert"
# unit = "m"              # m, cm, mm, in, ft
# from_unit = "cm"        # what BVH files are in, which do not say; a number is metres
# up = "y"
# from_up = "z"
# fps = 30

# ---- What is written ----

[outputs]
formats = ["bvh"]         # also glb, gltf, vrma, amc, csv, npz, html
# precision = 6           # decimals, in formats that are text
# keep_ending = true      # walk.bvh becomes walk.bvh.glb, not walk.glb

# ---- What a clip may take; it fails alone where it takes more ----

[limits]
time = 600                # seconds per clip
memory = "4 GB"           # per worker
"""


def read_job(job: str | PathLike[str] | Mapping[str, Any] | Job) -> Job:
    """A job from a TOML file, or from a mapping of the same shape.

    Raises:
        FormatError: with the line, where the file is not TOML or a value cannot be.

    >>> read_job({"steps": [{"do": "check"}], "outputs": {"formats": ["glb"]}}).formats
    ('.glb',)
    """
    if isinstance(job, Job):
        return job
    if isinstance(job, Mapping):
        return job_of(job, Origin())
    if not isinstance(job, str | PathLike):
        raise FormatError(f"job: needs the path of a TOML file or a mapping, got {job!r}")
    path = Path(job)
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError("is not text in UTF-8", path) from error
    return parse_job(text, path)


def parse_job(text: str, file: Path) -> Job:
    """The job in a text; ``file`` is where it stands, and where names of figures begin."""
    text = text.replace("\r\n", "\n")
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, line = _placed(str(error), text)
        raise FormatError(f"is not TOML: {message}", file, line) from None
    return job_of(values, Origin(file, text))


def _placed(message: str, text: str) -> tuple[str, int]:
    """A message of the TOML reader without its place, and the line of that place."""
    found = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)", message)
    last = max(1, len(text.splitlines()))
    line = int(found[1]) if found and found[1] else last
    bare = message if found is None else message.replace(found[0], "")
    return bare[:1].lower() + bare[1:], min(line, last)
