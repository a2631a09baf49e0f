"""New revision (新的数据库结构版本): the next number, the project's naming, and the difference of
declaration and database."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command
from alembic.script import ScriptDirectory

from api.kit.errors import Refusal
from api.kit.storage.database import build_engine
from api.launch.postgres import EmbeddedPostgres
from api.migrations import HERE, build_config

VERSIONS = HERE / "versions"
LEAST_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
ALEMBIC_REMARK = re.compile(r"^ *# ### .*\n", re.MULTILINE)


def write_revision(url: str, message: str, folder: Path = VERSIONS) -> Path:
    """Write the revision that takes a database at the newest revision to what is declared.

    `message` is English and becomes the docstring and the file's name. Raises Refusal for a message without a word to
    name the file by.
    """
    if not re.search("[a-zA-Z]", message):
        raise Refusal("说明请用英文写一句：它是文件的名字，也是版本的说明")
    settings = build_config(url)
    settings.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    settings.set_main_option("version_locations", ":".join(map(str, dict.fromkeys((VERSIONS, folder)))))
    settings.set_main_option("path_separator", "os")
    with build_engine(url).begin() as conn:
        settings.attributes["connection"] = conn
        made = command.revision(
            settings,
            message,
            autogenerate=True,
            rev_id=next_revision_number(ScriptDirectory.from_config(settings)),
            version_path=str(folder),
        )
    assert made is not None and not isinstance(made, list)
    path = Path(made.path)
    path.write_text(ALEMBIC_REMARK.sub("", path.read_text("utf-8")), "utf-8")
    # What is left for a hand, such as a condition that is too long for a line, it prints.
    for task in (("format", "--quiet"), ("check", "--fix", "--quiet")):
        subprocess.run([sys.executable, "-m", "ruff", *task, str(path)], stdout=sys.stderr)
    return path


def next_revision_number(scripts: ScriptDirectory) -> str:
    """Return the number after the highest one."""
    return f"{max(int(script.revision) for script in scripts.walk_revisions()) + 1:04}"


@contextmanager
def scratch_database() -> Iterator[str]:
    """The address of a temporary database at the newest revision."""
    with TemporaryDirectory(prefix="erp-revision-") as folder:
        place = Path(folder)
        server = EmbeddedPostgres(place / "postgres", place / "postgres.log", LEAST_DURABLE)
        server.start()
        try:
            settings = build_config(server.url())
            with build_engine(server.url()).begin() as conn:
                settings.attributes["connection"] = conn
                command.upgrade(settings, "head")
            yield server.url()
        finally:
            server.stop()
