"""A document with its history and its figures, and what its names and numbers stand for."""

from __future__ import annotations

from pathlib import Path

from limbik.errors import LimbikError
from limbik.figure.appearance.mesh import SkinnedMesh
from limbik.figure.figure import Figure
from limbik.humanoid.hands import Hand
from limbik.poser.document.document import Document, Source
from limbik.poser.document.effector import Effector
from limbik.poser.document.history import History
from limbik.poser.document.kept_goal import KeptGoal
from limbik.poser.drag.finger_drag import hands_of
from limbik.poser.editing.figure_cache import FigureCache
from limbik.poser.editing.other_figures import figure_id_of
from limbik.poser.files.open import Opened


class OpenDocument:
    """A document, its history, and what its figures are; ``folder`` is where its files lie."""

    def __init__(self, document: Document, folder: Path) -> None:
        self.folder, self.document = folder, document
        self.figure_cache, self.history = FigureCache(folder), History()

    @property
    def figure(self) -> Figure:
        """The document's figure, with its limits."""
        return self.figure_cache.figure(self.document)

    @property
    def opened(self) -> Opened:
        """What came with the figure."""
        return self.figure_cache.opened(self.document.source)

    @property
    def meshes(self) -> tuple[SkinnedMesh, ...]:
        """The meshes that follow the figure."""
        return self.opened.meshes

    def meshes_of(self, figure_id: int) -> tuple[SkinnedMesh, ...]:
        """The meshes of a figure of the scene by its id; none where it is not there."""
        for one in (self.document, *(other.document for other in self.document.others)):
            if figure_id_of(one) == figure_id:
                return self.figure_cache.opened(one.source).meshes
        return ()

    @property
    def figure_id(self) -> int:
        """A number that changes when what is drawn changes; limits do not count."""
        return figure_id_of(self.document)

    @property
    def hands(self) -> tuple[Hand, ...]:
        """The hands of the figure that have fingers."""
        return hands_of(self.figure, self.figure_cache.body(self.document.source))

    @property
    def sources(self) -> set[Source]:
        """Where the figures come from of all documents that undo and redo can bring back."""
        steps = (*self.history.past, *self.history.future)
        documents = [self.document, *(step.document for step in steps)]
        documents += [other.document for one in documents for other in one.others]
        origins = {one.origin.source for one in documents if one.origin is not None}
        return {one.source for one in documents} | origins

    def joint(self, index: int) -> str:
        """A joint's name."""
        joints = self.figure.joints
        if not 0 <= index < len(joints):
            raise LimbikError(f"There is no joint {index} any more.")
        return joints[index]

    def coordinate(self, index: int) -> str:
        """A coordinate's name."""
        coordinates = self.figure.coordinates
        if not 0 <= index < len(coordinates):
            raise LimbikError(f"There is no coordinate {index} any more.")
        return coordinates[index]

    def effector(self, id: int) -> Effector:
        """An effector by its id."""
        found = self.document.effector(id)
        if found is None:
            raise LimbikError(f"There is no effector {id} any more.")
        return found

    def goal(self, id: int) -> KeptGoal:
        """A goal that is kept, by its id."""
        for kept in self.document.goals:
            if kept.id == id:
                return kept
        raise LimbikError(f"There is no goal {id} any more.")

    @property
    def prop_files(self) -> set[str]:
        """The files of the meshes of props, of all documents that undo and redo can bring back."""
        steps = (*self.history.past, *self.history.future)
        scenes = (self.document.scene, *(step.document.scene for step in steps))
        return {prop.file for scene in scenes for prop in scene.props if prop.file}
