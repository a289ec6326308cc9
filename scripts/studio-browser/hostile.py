"""Stores that were made to attack whoever looks at them, in a browser that runs what gets into a page."""

import base64
import os
import struct
import urllib.parse
import zlib

from chromium import Failure
from pages import address, no_problems, wants
from studio import Studio, dump, model, property

TEXTS = [
    "<script>ran('script')</script>", "\"><img src=x onerror=\"ran('image')\">", "' onmouseover='ran(1)' x='",
    "</title><script>ran('title')</script>", "</textarea><script>ran('textarea')</script>", "javascript:ran('link')",
    "<svg/onload=ran('svg')>", "{{token}}", "\"\u0301 autofocus onfocus=ran('combining') x=\"",
    "</script><script>ran('after')</script>", "<iframe srcdoc=\"<script>parent.ran(1)</script>\">",
]
RIGHT_TO_LEFT = "שלום עולם \u202egpj.exe"
LONG = "wörd " * 200_000
# The most properties of a model: 999, or on PostgreSQL 400.
WIDE = 400 if os.environ.get("QUARRY_TEST_POSTGRES") else 999


def png():
    """A picture of one red pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")


def content():
    models = []
    for place, text in enumerate(TEXTS):
        models.append(model("m" + text, "k" + text, [
            property("k" + text, "string"), property("p" + text, "string", optional=True),
            property("n" + text, "nested", optional=True),
        ], [[text, text, {text: text}]], [{"name": "i" + text, "columns": [{"name": "p" + text}]}]))
    data = [png(), b"<html><script>ran('data')</script>", b"<svg xmlns='http://www.w3.org/2000/svg' onload='ran(1)'/>",
            bytes(range(256)) * 4]
    models.append(model("Texts", "id", [
        property("id", "int64"), property("text", "string"), property("data", "data", optional=True),
    ], [[1, RIGHT_TO_LEFT, None], [2, LONG, None]] + [
        [10 + place, "data", base64.b64encode(bytes_).decode()] for place, bytes_ in enumerate(data)]))
    models.append(model("Wide", "id", [property("id", "int64")] + [
        property(f"property{place}", "int32", optional=True) for place in range(1, WIDE)
    ], [[place] + [place] * (WIDE - 1) for place in range(20)]))
    return dump(*models)


def hostile(browser, tool, form, output):
    url = tool.store(form, content(), "hostile")
    with Studio(browser, tool, url, "--write") as studio:
        no_problems(browser, "hostile models")
        browser.picture(os.path.join(output, "hostile-models.png"))
        for place, text in enumerate(TEXTS):
            names(browser, studio, text)
        browser.go(studio.site + "/schema")
        no_problems(browser, "hostile schema")
        browser.picture(os.path.join(output, "hostile-schema.png"))
        browser.go(studio.site + "/history")
        no_problems(browser, "hostile history")
        long_text(browser, studio)
        binary(browser, studio)
        wide(browser, studio, output)
        # Its own address is what a form of another site would send to.
        foreign_form(browser, studio)
    print(f"hostile: {len(TEXTS)} texts as names, keys and values; 1 MB, {WIDE} properties, data", flush=True)


def names(browser, studio, text):
    name = "m" + text
    pages = [
        address("grid", model=name), address("object", model=name, key=text), address("edit", model=name, key=text),
        address("delete", model=name, key=text), address("new", model=name), address("explain", model=name),
        address("groups", model=name, by="p" + text), address("history", model=name),
        address("grid", model=name, where=text, sort=text), address("grid", model=text),
        address("object", model=name, key="x" + text), address("groups", model=name, by=text, of=text),
    ]
    for place in pages:
        status = browser.go(f"{studio.site}/{place}")
        # A page that cannot be answered is one too.
        if not 200 <= status < 500:
            raise Failure(f"hostile, {urllib.parse.unquote(place)}: the status is {status}")
        if browser.evaluate("document.querySelectorAll('script').length") != 1:
            raise Failure(f"hostile, {urllib.parse.unquote(place)}: a script of a value is in the page")
        if browser.evaluate("document.querySelectorAll('iframe, main img, [onload], [onerror], [onfocus]').length"):
            raise Failure(f"hostile, {urllib.parse.unquote(place)}: an element of a value is in the page")
        if browser.evaluate("Array.from(document.links).some(link => link.protocol === 'javascript:')"):
            raise Failure(f"hostile, {urllib.parse.unquote(place)}: a link runs a script")
        no_problems(browser, f"hostile, {urllib.parse.unquote(place)}")
    # A value that is saved again stays as it is.
    browser.go(f"{studio.site}/{pages[2]}")
    browser.replace("#f1", text + "!")
    browser.click("button.main")
    wants(browser, "hostile, saved", text + "!")
    if browser.evaluate("location.pathname") != "/object":
        raise Failure(f"hostile, {text}: not saved: {browser.text('main')[:300]}")
    no_problems(browser, f"hostile, {text} saved")


def long_text(browser, studio):
    browser.go(studio.site + "/grid?model=Texts")
    size = browser.evaluate("document.documentElement.outerHTML.length")
    if size > 60_000:
        raise Failure(f"1 MB of text: the grid has {size} characters")
    direction = browser.evaluate("""(() => {
      const texts = Array.from(document.querySelectorAll('td bdi'));
      const found = texts.find(text => text.textContent.includes('שלום'));
      return found ? getComputedStyle(found).direction + ' ' + getComputedStyle(found).unicodeBidi : 'none';
    })()""")
    if direction != "rtl isolate":
        raise Failure(f"right to left: the text is {direction}")
    browser.go(studio.site + "/object?model=Texts&key=2")
    wants(browser, "1 MB of text", "The beginning of 1,200 kB of text.")
    length = browser.evaluate(
        "fetch(document.querySelector('a[download]').href).then(answer => answer.text()).then(text => text.length)")
    if length != len(LONG):
        raise Failure(f"1 MB of text: the file has {length} characters")
    no_problems(browser, "1 MB of text")


def binary(browser, studio):
    for key, is_picture in ((10, True), (11, False), (12, False), (13, False)):
        browser.go(f"{studio.site}/object?model=Texts&key={key}")
        browser.until("document.readyState === 'complete'")
        widths = browser.evaluate("Array.from(document.querySelectorAll('main img')).map(image => image.naturalWidth)")
        if widths != ([1] if is_picture else []):
            raise Failure(f"data {key}: the pictures are {widths}")
        # As a page of its own it is a file to save, whatever is in it.
        kind = browser.evaluate(f"""fetch('/value?model=Texts&key={key}&property=data&show=1').then(answer =>
          answer.headers.get('Content-Type') + ' ' + answer.headers.get('X-Content-Type-Options'))""")
        if kind != ("image/png nosniff" if is_picture else "application/octet-stream nosniff"):
            raise Failure(f"data {key}: sent as {kind}")
        no_problems(browser, f"data {key}")


def wide(browser, studio, output):
    browser.go(studio.site + "/grid?model=Wide")
    wants(browser, f"{WIDE} properties", f"30 of {WIDE} properties are shown.")
    browser.picture(os.path.join(output, "hostile-wide.png"))
    browser.go(studio.site + "/edit?model=Wide&key=3")
    browser.replace(f"#f{WIDE - 1}", "7")
    browser.click("button.main")
    if browser.evaluate("document.querySelectorAll('table.object tr').length") != WIDE:
        raise Failure(f"{WIDE} properties: not all of them are in the page of the object: {browser.text('main')[:300]}")
    if browser.evaluate(f"document.querySelector('[data-key=property{WIDE - 1}] td').innerText.trim()") != "7":
        raise Failure(f"{WIDE} properties: the last one is not saved")
    no_problems(browser, f"{WIDE} properties")


def foreign_form(browser, studio):
    """A page of another origin sends a form here: the browser's headers and the cookie do not make it a change."""
    browser.go("data:text/html," + urllib.parse.quote(
        f"<form method=post action='{studio.site}/delete'><input name=model value=Texts><input name=key value=1>"
        "<button>send</button></form>"))
    status = browser.click("button")
    if status not in (401, 403):
        raise Failure(f"a form of another site: the status is {status}")
    browser.go(studio.site + "/object?model=Texts&key=1")
    wants(browser, "a form of another site", "שלום")
    browser.take_problems()
    # Nor can another site show Studio in a frame, or read it.
    browser.go("data:text/html," + urllib.parse.quote(f"<iframe src='{studio.site}/'></iframe>"))
    if browser.evaluate(
            "(() => { try { return document.querySelector('iframe').contentDocument?.body?.innerText ?? '' } "
            "catch (error) { return '' } })()"):
        raise Failure("a frame of another site shows Studio")
    read = browser.evaluate(f"fetch('{studio.site}/', {{credentials: 'include'}}).then(a => a.text(), () => 'refused')")
    if read != "refused":
        raise Failure("another site reads Studio")
    browser.go(studio.site + "/")
    # The browser says in its log what it refused.
    browser.take_problems()
