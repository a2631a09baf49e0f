"""Browser (浏览器): Chromium and a Chinese font for the browser tests, installed from the system's packages
if missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from api.launch.packages import PackageError, install_packages
from api.launch.progress import Progress

BROWSERS = (
    # Without a window it needs a third less of the processor for the same pages.
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
PACKAGES = ("chromium-headless-shell", "fontconfig", "fonts-noto-cjk")


def find_browser() -> str | None:
    """Return the browser to test with: `ERP_CHROMIUM`, else the first one that the machine has."""
    return os.environ.get("ERP_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def ensure_browser(progress: Progress) -> str:
    """Find Chromium with a Chinese font, installing Debian's packages when one is missing and we may.

    Raises PackageError.
    """
    found = find_browser()
    if found and _has_chinese_font():
        return found
    install_packages(
        progress,
        " Chromium 和中文字体",
        PACKAGES,
        "界面测试需要 Chromium 和中文字体，请先安装（Debian：apt-get install chromium-headless-shell fonts-noto-cjk），"
        "或用 ERP_CHROMIUM 指明浏览器的位置",
    )
    installed = find_browser()
    if not installed:
        raise PackageError("安装了 Chromium，但在 PATH 里找不到它")
    return installed


def _has_chinese_font() -> bool:
    """Return whether fontconfig knows one; other systems than Linux bring theirs along."""
    if sys.platform != "linux":
        return True
    if not shutil.which("fc-list"):
        return False
    return bool(subprocess.run(["fc-list", ":lang=zh"], capture_output=True).stdout.strip())
