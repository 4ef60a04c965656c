"""Blender's own solvers in the same drills, where its module is installed (experiment g)."""

from __future__ import annotations

from limbik.papers import blender
from limbik.papers.line_search.follow import Entry, Guest, from_positions
from limbik.papers.line_search.subject import Drill, Subject


def blender_entries(subject: Subject, drill: Drill) -> list[Entry]:
    """What LEGACY and iTaSC make of a drill, as they are and with the last solution carried on."""
    chains = [(chain.start, chain.targets) for chain in drill.chains]
    entries = []
    for run in blender.solve_chains(subject.clip, subject.effectors, chains):
        entries.append(
            from_positions(
                drill,
                run.name,
                run.positions[:, subject.index()],
                violation=float(run.outside.max()),
                feasible=False,
                seconds=run.seconds,
                note=f"version {run.version}, {run.remark}",
            )
        )
    return entries


def installed() -> list[Guest]:
    """The guests that can come."""
    return [blender_entries] if blender.available() else []
