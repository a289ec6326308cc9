"""Tests of Studio in Chromium: run.py PROGRAM DIR [PART]… scripts/test-studio-browser builds the program and calls it.

The parts are pages, walks and hostile. With QUARRY_TEST_POSTGRES, the connection of a server, all of them are on that server alone.
"""

import os
import shutil
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from chromium import Chromium, Failure  # noqa: E402
from hostile import hostile  # noqa: E402
from pages import FORMS, show_all  # noqa: E402
from studio import Tool  # noqa: E402
from walks import all_walks  # noqa: E402


def main():
    program, output = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(output, exist_ok=True)
    axe = None
    if os.environ.get("QUARRY_AXE"):
        with open(os.environ["QUARRY_AXE"], encoding="utf-8") as file:
            axe = file.read()
    only = sys.argv[3:]
    forms = ["postgres"] if os.environ.get("QUARRY_TEST_POSTGRES") else FORMS
    folder = tempfile.mkdtemp(prefix="studio-stores-")
    start = time.monotonic()
    failures = 0
    tool = Tool(program, folder)
    browser = Chromium()
    try:
        browser.size(1200, 800)
        parts = {
            "pages": lambda: show_all(browser, tool, forms, output, axe),
            "walks": lambda: all_walks(browser, tool, forms, output),
            "hostile": lambda: hostile(browser, tool, forms[0], output),
        }
        for name, part in parts.items():
            if only and name not in only:
                continue
            try:
                part()
            except Failure as failure:
                failures += 1
                places = [f"{place.name}:{place.lineno}" for place in traceback.extract_tb(failure.__traceback__)[1:-1]]
                print(f"error: {failure} ({' '.join(places)})", file=sys.stderr, flush=True)
                browser.picture(os.path.join(output, f"failure-{name}.png"))
            browser.take_problems()
    finally:
        browser.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"Studio in Chromium: {'failed' if failures else 'passed'} in {time.monotonic() - start:.0f} s, pictures in {output}")
    sys.exit(1 if failures else 0)


main()
