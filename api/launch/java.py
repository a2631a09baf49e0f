"""Java：在 Spark 上核对模型时要用，缺少时用系统的软件包安装。"""

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
    """Whether the Java that Spark will start, that of `JAVA_HOME`, else the one in the path, is new enough for it."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home, "bin", "java")) if home else "java")
    if not java:
        return False
    told = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', told)
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
