"""What a page can ask for, one file a theme; importing this package registers all of it."""

from limbik.poser.protocol.commands import (
    contacts,
    effectors,
    figures,
    goals,
    hands,
    joints,
    library,
    limits,
    methods,
    offers,
    poses,
    props,
    retargeting,
    scene,
    timeline,
    undoing,
)
from limbik.poser.protocol.commands.registry import COMMANDS, Command, find

__all__ = [
    "COMMANDS",
    "Command",
    "contacts",
    "effectors",
    "figures",
    "find",
    "goals",
    "hands",
    "joints",
    "library",
    "limits",
    "methods",
    "offers",
    "poses",
    "props",
    "retargeting",
    "scene",
    "timeline",
    "undoing",
]
