"""Java for Spark, where the models are compared; installed from the system's packages if missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from api.launch.packages import PackageError, install_packages
from api.launch.progress import Progress

FLOOR = 17
PACKAGES = ("default-jre-headless",)


def has_java() -> bool:
    """Return whether the Java that Spark will start, of `JAVA_HOME`, else of the path, is new enough for it."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home, "bin", "java")) if home else "java")
    if not java:
        return False
    output = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', output)
    return version is not None and int(version[1]) >= FLOOR


def ensure_java(progress: Progress) -> None:
    """Install Debian's Java when there is none and we may. Raises PackageError."""
    if has_java():
        return
    otherwise = (
        f"Spark 需要 Java {FLOOR} 或更新，请先安装（Debian：apt-get install {PACKAGES[0]}），"
        "或用 JAVA_HOME 指明它的位置"
    )
    install_packages(progress, " Java", PACKAGES, otherwise)
    if not has_java():
        raise PackageError(otherwise)
