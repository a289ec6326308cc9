"""Studios on stores of this package's engines, and dumps to fill them."""

import hashlib
import json
import os
import re
import select
import subprocess
import sys
import time

from chromium import Failure


class Tool:
    """The command quarry, built with Studio."""

    def __init__(self, path, folder):
        self.path = path
        self.folder = folder
        self.key = os.path.join(folder, "store.key")
        self("key", "new", "--file", self.key)

    def __call__(self, *arguments, fails=False):
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, timeout=120)
        if (done.returncode != 0) != fails:
            raise Failure(f"quarry {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def key_of(self, form):
        return ["--key-file", self.key] if form.endswith("encrypted") else []

    def store(self, form, dump, name):
        """A store of an engine, with what a dump has and with a history from then on."""
        url = f"{form.split()[0]}:{self.folder}/{name}?history=30d"
        if form == "postgres":
            schema = name.replace("-", "_")
            url = f"postgres:{os.environ['QUARRY_TEST_POSTGRES']}?schema={schema}&history=30d"
        path = os.path.join(self.folder, name + ".dump")
        with open(path, "w", encoding="utf-8") as file:
            file.write(dump)
        self("restore", path, url, *self.key_of(form))
        return url


class Studio:
    """A Studio that a browser has entered. It runs until the end of a with statement."""

    def __init__(self, browser, tool, url, *options, form=""):
        self.browser = browser
        self.process = subprocess.Popen(
            [tool.path, "studio", url, "--no-open", *tool.key_of(form), *options], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        end = time.monotonic() + 30
        line = b""
        while b"\n" not in line and time.monotonic() < end:
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                part = os.read(self.process.stdout.fileno(), 4096)
                line += part
                if not part:
                    break
        found = re.search(r"(http://[^/]+)(/\?token=\w+)", line.decode())
        if not found:
            self.process.terminate()
            raise Failure(f"Studio did not start: {line.decode()}{self.process.stderr.read().decode()}")
        self.site = found[1]
        self.entry = found[1] + found[2]

    def __enter__(self):
        self.browser.go(self.entry)
        if "token" in self.browser.evaluate("location.href"):
            raise Failure("the token stays in the address")
        return self

    def __exit__(self, *error):
        # A page that is open would ask for its events in vain.
        if error[0] is None:
            self.browser.go("about:blank")
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            print("error: Studio did not end by SIGTERM", file=sys.stderr)
            if error[0] is None:
                raise Failure("Studio did not end by SIGTERM")

    def memory(self):
        """The most memory that the process has had, in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) // 1024


def dump(*models):
    """A dump of models: each a head and its rows. See docs/formats/dump.md."""
    text = ""

    def line(value):
        nonlocal text
        text += json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"

    def checksum():
        return hashlib.sha256(text.encode()).hexdigest()

    heads = [head for head, _ in models]
    properties = [property for head in heads for property in head["properties"]]
    version = 3 if any("search" in property for property in properties) else (
        2 if any("reference" in property for property in properties) else 1)
    line({"quarry": "dump", "format": version})
    count = 0
    for head, rows in sorted(models, key=lambda model: model[0]["model"].encode()):
        line(head)
        for place, row in enumerate(rows, 1):
            line(row)
            if place % 1000 == 0 or place == len(rows):
                line({"rows": place, "sha256": checksum()})
        count += len(rows)
    line({"end": True, "models": len(models), "rows": count, "sha256": checksum()})
    return text


def model(name, key, properties, rows, indexes=()):
    return {"model": name, "key": key, "properties": properties, "indexes": list(indexes)}, rows


def property(name, type, **more):
    return {"name": name, "type": type, **more}


def shop():
    """Customers, and orders that go when their customer goes."""
    cities = ["Oslo", "Bergen", "Zürich", "São Paulo"]
    return dump(
        model("Customer", "id", [
            property("id", "int64"), property("name", "string", search=1), property("city", "string", optional=True),
        ], [[place, f"Customer {place}", cities[place % 4]] for place in range(1, 21)]),
        model("Invoice", "id", [
            property("id", "int64"), property("order", "int64", reference="Order", deleteRule="deny"),
        ], [[1, 120]]),
        model("Order", "id", [
            property("id", "int64"),
            property("customer", "int64", optional=True, reference="Customer", deleteRule="cascade"),
            property("amount", "int32"), property("note", "string", optional=True),
            property("placed", "date", optional=True),
        ], [[place, 1 + place % 20, place * 10, None, f"2026-01-{1 + place % 28:02}T12:00:00Z"]
            for place in range(1, 121)],
            [{"name": "amounts", "columns": [{"name": "amount"}]}]),
    )
