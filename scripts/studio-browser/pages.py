"""Every page on every engine, and without JavaScript."""

import json
import os
import urllib.parse

from chromium import Failure
from studio import Studio, dump, model, property, shop

# An engine with what comes after its name, as a test writes it.
FORMS = ["sqlite", "lmdb", "file", "sqlite encrypted", "lmdb encrypted", "memory"]


def address(page, **fields):
    fields = {name.rstrip("_"): value for name, value in fields.items()}
    return page + ("?" + urllib.parse.urlencode(fields) if fields else "")


# A page and a text that it must have.
PAGES = {
    "models": ("", "3 models with 141 objects"),
    "grid": (address("grid", model="Order"), "1–50 of 120 objects"),
    "condition": (address("grid", model="Order", where="amount > 1000", sort="-amount"), "of 20 objects"),
    "reference": (address("grid", model="Order", where="customer.city == 'Zürich'"), "of 30 objects"),
    "mistake": (address("grid", model="Order", where="amout > 5 AND id < 7"), "did you mean amount?"),
    "empty": (address("grid", model="Order", where="amount < 0"), "No object matches the condition."),
    "words": (address("grid", model="Customer", find="customer 7"), "1–1 of 1 object"),
    "object": (address("object", model="Customer", key=7), "Referred to by"),
    "missing": (address("object", model="Customer", key=999), "there is no object with that key"),
    "edit": (address("edit", model="Order", key=7), "The primary key stays as it is."),
    "new": (address("new", model="Order"), "New Order"),
    "delete": (address("delete", model="Customer", key=7), "removed too"),
    "denied": (address("delete", model="Order", key=120), "This object cannot be deleted."),
    "schema": ("schema", "An arrow leads from a reference"),
    "explain": (address("explain", model="Order", where="amount > 1000 AND note CONTAINS 'a'"), "How the engine answers"),
    "groups": (address("groups", model="Order", by="customer", function="sum", of="amount"), "20 groups"),
    "line": (address("groups", model="Order", by="placed", function="count", chart="line"), "28 groups"),
    "history": ("history", "Each entry is one write"),
    "import": ("import", "Its columns and their types are shown"),
    "check": (address("check", run=1), "The store is sound."),
    "help": ("help", "Type a condition."),
}
STATUSES = {"mistake": 400, "missing": 404}


def show_all(browser, tool, forms, output, axe):
    """All pages on all engines. Those of the first one are audited, and pictures are taken of them."""
    for form in forms:
        show(browser, tool, form, *((output, axe) if form == forms[0] else (None, None)))
    held(browser, tool, forms[0], output, axe)


def show(browser, tool, form, output, axe):
    if form == "memory":
        return import_into_memory(browser, tool)
    name = form.replace(" ", "-")
    url = tool.store(form, shop(), name)
    with Studio(browser, tool, url, "--write", form=form) as studio:
        # A change set, so that a history has one of Studio.
        edit(browser, studio, 119, "a note")
        faults = []
        for page, (place, wanted) in PAGES.items():
            check(browser, studio, form, page, place, wanted)
            if output:
                faults += look(browser, output, axe, page)
        if output:
            browser.go(studio.site + "/history")
            browser.click(".sets h2 a")
            faults += look(browser, output, axe, "changeset")
        if faults:
            raise Failure("; ".join(faults))
        if output:
            without_script(browser, studio)
        browser.go(studio.site + "/history")
        browser.click(".sets h2 a")
        wants(browser, f"{form}, change set", "Undo this change set")
        browser.click("button.main")
        wants(browser, f"{form}, undo", "is undone")
    print(f"{form}: {len(PAGES) + 2} pages", flush=True)


def look(browser, output, axe, page):
    """Takes pictures of a page, and returns the faults of its audit: light, dark, and on a narrow screen."""
    browser.picture(os.path.join(output, page + ".png"))
    faults = audit(browser, axe, page)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    faults += audit(browser, axe, page + ", dark")
    browser.picture(os.path.join(output, page + "-dark.png"))
    browser.call("Emulation.setEmulatedMedia", features=[])
    browser.size(360, 740)
    faults += fits(browser, page)
    browser.picture(os.path.join(output, page + "-360.png"))
    browser.size(1200, 800)
    return faults


def held(browser, tool, form, output, axe):
    """Two synced stores have the same unique value: one object is held, and discarded."""
    urls = []
    for name, key in (("held-a", "a"), ("held-b", "b")):
        teams = model("Team", "id", [property("id", "string"), property("name", "string")], [[key, "red"]], [
            {"name": "names", "unique": True, "columns": [{"name": "name"}]}])
        urls.append(tool.store(form, dump(teams), name))
    tool("sync", *urls)
    with Studio(browser, tool, urls[0], "--write") as studio:
        browser.click("nav a[href='/held']")
        wants(browser, f"{form}, held", "Another object has its unique value.")
        browser.click("summary", loads=False)
        faults = look(browser, output, axe, "held")
        if faults:
            raise Failure("; ".join(faults))
        browser.click("button.bad")
        wants(browser, f"{form}, held, discarded", "is discarded.")
        no_problems(browser, f"{form}, held")
    print(f"{form}: an object that is held by sync", flush=True)


def edit(browser, studio, key, note):
    browser.go(f"{studio.site}/edit?model=Order&key={key}")
    browser.replace("#f3", note)
    browser.click("button.main")
    wants(browser, "a saved edit", note)


def check(browser, studio, form, page, place, wanted):
    where = f"{form}, {page}"
    status = browser.go(f"{studio.site}/{place}")
    if status != STATUSES.get(page, 200):
        raise Failure(f"{where}: the status is {status}: {browser.text('main')[:300]}")
    wants(browser, where, wanted)
    if "dbname=" in browser.evaluate("document.documentElement.textContent"):
        raise Failure(f"{where}: the page has a part of the connection string")
    if browser.evaluate("document.querySelectorAll('h1').length") != 1:
        raise Failure(f"{where}: not one heading of the first order")
    # The same as JSON.
    answer = json.loads(browser.evaluate(
        "fetch(location.href, {headers: {Accept: 'application/json'}}).then(a => a.text())"))
    if not isinstance(answer, dict):
        raise Failure(f"{where}: the JSON is {answer}")
    no_problems(browser, where)


def wants(browser, where, text):
    # Whatever the page writes as capitals.
    found = browser.evaluate("document.body.textContent")
    if text.lower() not in found.lower():
        raise Failure(f"{where}: without {text!r}: {browser.text('main')[:300]}")


def no_problems(browser, where):
    problems = browser.take_problems()
    if problems:
        raise Failure(f"{where}: {'; '.join(problems)}")


def fits(browser, page):
    width = browser.evaluate("document.scrollingElement.scrollWidth")
    return [f"{page}: {width} pixels wide on a screen of 360"] if width > 360 else []


def audit(browser, axe, page):
    """The faults that axe-core finds: of names, roles, order, contrast, and what is told by a colour alone."""
    if not axe:
        return []
    if not browser.evaluate("typeof axe === 'object'"):
        browser.evaluate(axe + ";0")
    found = browser.evaluate(
        "axe.run({resultTypes: ['violations']}).then(result => result.violations.map("
        "fault => fault.id + ' ' + fault.nodes.map(node => node.target[0]).slice(0, 3).join(', ')))")
    return [f"{page}: {fault}" for fault in found]


def without_script(browser, studio):
    """The pages for reading say the same without JavaScript."""
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        for page, (place, wanted) in PAGES.items():
            browser.go(f"{studio.site}/{place}")
            wants(browser, f"without JavaScript, {page}", wanted)
        # And an edit is a form.
        edit(browser, studio, 118, "without JavaScript")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def import_into_memory(browser, tool):
    """A store in memory begins empty: a file is uploaded, after one that is no table."""
    data = os.path.join(tool.folder, "runways.csv")
    with open(data, "w", encoding="utf-8") as file:
        file.write("icao,city,runways\nENGM,Oslo,2\nENBR,Bergen,1\nENVA,Trondheim,1\n")
    wrong = os.path.join(tool.folder, "picture.csv")
    with open(wrong, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe")
    with Studio(browser, tool, "memory:", "--write") as studio:
        wants(browser, "memory", "The store has no models yet.")
        browser.click("main a[href='/import']")
        upload(browser, wrong, loads=False)
        browser.until("document.querySelector('[data-upload-status]').innerText.includes('is no table but a picture')")
        upload(browser, data)
        wants(browser, "memory, preview", "A new model runways is created.")
        browser.click("button.main")
        wants(browser, "memory, import", "3 objects imported into runways.")
        browser.click(".message a")
        wants(browser, "memory, grid", "Trondheim")
        no_problems(browser, "memory")
    print("memory: an import", flush=True)


def upload(browser, path, loads=True):
    document = browser.call("DOM.getDocument")["root"]["nodeId"]
    field = browser.call("DOM.querySelector", nodeId=document, selector="[type=file]")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=field, files=[path])
    browser.click("form[data-upload] button.main", loads=loads)
