"""What a page can ask for, one file a theme; importing this package registers all of it."""

from limbik.poser.protocol.commands import (
    contacts,
    curves,
    effectors,
    figures,
    goals,
    hands,
    joints,
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
    "curves",
    "effectors",
    "figures",
    "find",
    "goals",
    "hands",
    "joints",
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
