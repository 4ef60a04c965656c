"""What a page can ask for, one file a theme; importing this package registers all of it."""

from limbik.poser.protocol.commands import (
    effectors,
    figures,
    goals,
    joints,
    limits,
    methods,
    offers,
    poses,
    props,
    scene,
    timeline,
    undoing,
)
from limbik.poser.protocol.commands.registry import COMMANDS, Command, find

__all__ = [
    "COMMANDS", "Command", "effectors", "figures", "find", "goals", "joints", "limits", "methods",
    "offers", "poses", "props", "scene", "timeline", "undoing",
]  # fmt: skip
