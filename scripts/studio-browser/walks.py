"""What a person does on pages that belong together: edits, conflicts, deletions, and changes of another process."""

import os
import time

from chromium import Failure
from pages import edit, no_problems, wants
from studio import Studio, shop


def all_walks(browser, tool, forms, output):
    url = tool.store(forms[0], shop(), "walks")
    with Studio(browser, tool, url, "--write") as studio:
        for walk in (first_visit, conflict, deletion, back_and_forward, reloads, keyboard):
            walk(browser, tool, studio, url, output)
            no_problems(browser, walk.__name__)
    # The engines that several processes can open at once.
    for form in set(forms) & {"sqlite", "lmdb", "postgres"}:
        another_process(browser, tool, form, output)
    print("walks: a conflict, a deletion, back and forward, reloads, the keyboard, another process", flush=True)


def stored(tool, url, key, property):
    """What another process reads."""
    rows = tool("query", url, "Order", "--where", f"id == {key}", "--columns", property, "--format", "csv")
    return rows.splitlines()[1].strip('"')


def first_visit(browser, tool, studio, url, output):
    """Finding, filtering, editing and undoing by what the pages offer: no condition is written, and no address."""
    start = time.monotonic()

    def named(selector, text):
        """Clicks the element with a text."""
        browser.until(f"""(() => {{
          document.querySelectorAll("#named").forEach(element => element.removeAttribute("id"));
          const found = Array.from(document.querySelectorAll("{selector}")).find(one => one.innerText.trim() == "{text}");
          if (found) found.id = "named";
          return found != null;
        }})()""")
        browser.click("#named")

    def choose(field, value):
        browser.evaluate(f"document.querySelector('[name={field}]').value = '{value}'; 0")

    browser.go(studio.site + "/")
    named("main tbody a", "Order")
    choose("property", "amount")
    choose("comparison", ">")
    browser.replace("[name=value]", "1190")
    named("form.query button", "Add")
    wants(browser, "first visit, filter", "1–1 of 1 object")
    browser.click("tbody [data-row] a")
    named(".actions a", "Edit")
    browser.replace("#f3", "the first edit")
    named("button", "Save")
    wants(browser, "first visit, edit", "The changes are saved.")
    browser.picture(os.path.join(output, "saved.png"))
    browser.click(".message a")
    wants(browser, "first visit, history", "the first edit")
    browser.click(".sets h2 a")
    named("button", "Undo this change set")
    wants(browser, "first visit, undo", "is undone")
    if stored(tool, url, 120, "note"):
        raise Failure("first visit: the edit is still stored")
    print(f"first visit: finding, filtering, editing and undoing in {time.monotonic() - start:.1f} s", flush=True)


def conflict(browser, tool, studio, url, output):
    """Another process changes the object of a form: nothing is lost, and all three values are shown."""
    browser.go(studio.site + "/edit?model=Order&key=3")
    browser.replace("#f2", "77")
    tool("update", url, "Order", "--where", "id == 3", "--set", "amount=500", "--set", "note=theirs")
    browser.until("!document.querySelector('[data-live-notice]').hidden")
    if "has changed since you opened this form" not in browser.text("[data-live-notice]"):
        raise Failure(f"conflict: the notice is {browser.text('[data-live-notice]')}")
    status = browser.click("button.main")
    if status != 409:
        raise Failure(f"conflict: the status is {status}")
    cells = browser.evaluate("Array.from(document.querySelectorAll('table td')).map(cell => cell.innerText)")
    if cells[:3] != ["30", "77", "500"]:
        raise Failure(f"conflict: the values are {cells}")
    if browser.evaluate("document.querySelector('#f2').value") != "77":
        raise Failure("conflict: the typed value is gone")
    browser.picture(os.path.join(output, "conflict.png"))
    browser.click("button.main")
    wants(browser, "conflict, saved again", "77")
    if stored(tool, url, 3, "amount") != "77":
        raise Failure("conflict: the second save is not stored")
    wants(browser, "conflict, saved again", "theirs")


def deletion(browser, tool, studio, url, output):
    browser.go(studio.site + "/object?model=Customer&key=5")
    browser.click(".actions a[href^='/delete']")
    wants(browser, "deletion", "7 objects will be removed.")
    wants(browser, "deletion", "removed too")
    browser.picture(os.path.join(output, "deletion.png"))
    browser.click("button.bad")
    wants(browser, "deletion, done", "of 19 objects")
    if tool("count", url, "Order", "--where", "customer == 5").strip() != "0":
        raise Failure("deletion: the orders are still there")


def back_and_forward(browser, tool, studio, url, output):
    browser.go(studio.site + "/grid?model=Order")
    browser.replace("[data-filter]", "amount >= 100")
    browser.click("form.query button.main")
    wants(browser, "filter", "1–50 of 106 objects of 114 objects in all")
    first = browser.evaluate("document.querySelector('.range').innerText")
    browser.click("[rel=next]")
    second = browser.evaluate("document.querySelector('.range').innerText")
    browser.click("tbody [data-row] a")
    key = browser.text("h1")
    browser.back()
    if browser.evaluate("document.querySelector('.range').innerText") != second:
        raise Failure("back: not the page that was left")
    browser.back()
    if browser.evaluate("document.querySelector('.range').innerText") != first:
        raise Failure("back: not the first page")
    if browser.evaluate("document.querySelector('[data-filter]').value") != "amount >= 100":
        raise Failure("back: the condition is gone")
    browser.back(+2)
    if browser.text("h1") != key:
        raise Failure("forward: not the object")
    # Back to a form that was saved: it has the stored values, and saves again without a conflict.
    edit(browser, studio, 40, "first")
    browser.back()
    if browser.evaluate("document.querySelector('#f3').value") != "first":
        raise Failure("back to a form: not the stored value")
    browser.replace("#f3", "second")
    browser.click("button.main")
    wants(browser, "back to a form, saved", "second")


def reloads(browser, tool, studio, url, output):
    """In the middle of an edit the browser asks first. A form with a mistake keeps what was typed."""
    browser.go(studio.site + "/edit?model=Order&key=41")
    browser.replace("#f3", "typed")
    browser.accepts = False
    browser.dialogs = []
    browser.events.clear()
    browser.call("Page.reload")
    browser.wait_for("Page.javascriptDialogClosed")
    browser.accepts = True
    if browser.dialogs != ["beforeunload"]:
        raise Failure(f"reload: the browser asked {browser.dialogs}")
    if browser.evaluate("document.querySelector('#f3').value") != "typed":
        raise Failure("reload: the typed value is gone though the reload was refused")
    browser.reload()
    if browser.evaluate("document.querySelector('#f3').value") != "":
        raise Failure("reload: the form does not have the stored value")
    browser.replace("#f2", "many")
    browser.replace("#f3", "typed again")
    status = browser.click("button.main")
    if status != 422:
        raise Failure(f"a mistake: the status is {status}")
    for name, action in (("a mistake", None), ("its reload", browser.reload)):
        if action:
            action()
        values = browser.evaluate("[document.querySelector('#f2').value, document.querySelector('#f3').value]")
        if values != ["many", "typed again"]:
            raise Failure(f"{name}: the form has {values}")
    browser.replace("#f2", "8")
    browser.click("button.main")
    wants(browser, "a mistake that was corrected", "typed again")


def keyboard(browser, tool, studio, url, output):
    """From the models to an undo without a mouse, as the page of help says it."""
    start = time.monotonic()
    keys = 0

    def press(name, loads=False):
        nonlocal keys
        keys += 1
        if loads:
            browser.loading(lambda: browser.key(name))
        else:
            browser.key(name)

    def tab_to(selector):
        for _ in range(60):
            press("Tab")
            if browser.evaluate(f"document.activeElement.matches(\"{selector}\")"):
                return
        raise Failure(f"keyboard: Tab does not lead to {selector}")

    browser.go(studio.site + "/help")
    press("m", loads=True)
    for _ in range(3):
        press("ArrowDown")
    if browser.evaluate("document.activeElement.innerText") != "Order":
        raise Failure(f"keyboard: arrows lead to {browser.evaluate('document.activeElement.innerText')}")
    press("Enter", loads=True)
    press("/")
    browser.type("amount == 420")
    press("Enter", loads=True)
    wants(browser, "keyboard, filter", "1–1 of 1 object")
    press("ArrowDown")
    ring = browser.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    if ring == "none":
        raise Failure("keyboard: the focus is not visible")
    press("Enter", loads=True)
    press("e", loads=True)
    tab_to("#f3")
    browser.type("by keyboard")
    press("Enter", loads=True)
    wants(browser, "keyboard, edit", "by keyboard")
    press("h", loads=True)
    press("ArrowDown")
    press("Enter", loads=True)
    wants(browser, "keyboard, change set", "Undo this change set")
    tab_to("button.main")
    press("Enter", loads=True)
    wants(browser, "keyboard, undo", "is undone")
    seconds = time.monotonic() - start
    if stored(tool, url, 42, "note"):
        raise Failure("keyboard: the edit is still stored")
    # Pages, the object's history and words.
    browser.go(studio.site + "/grid?model=Order")
    press("ArrowRight", loads=True)
    wants(browser, "keyboard, next page", "51–100")
    press("ArrowLeft", loads=True)
    wants(browser, "keyboard, page before", "1–50")
    browser.go(studio.site + "/grid?model=Customer")
    press("f")
    browser.type("customer 7")
    press("Enter", loads=True)
    wants(browser, "keyboard, words", "1–1 of 1 object")
    press("?", loads=True)
    if not browser.evaluate("location.pathname") == "/help":
        raise Failure("keyboard: ? does not lead to the help")
    # The first Tab of a page leads past its head.
    press("Tab")
    if "Skip" not in browser.evaluate("document.activeElement.innerText"):
        raise Failure("keyboard: the first Tab does not offer to skip the head")
    print(f"keyboard: finding, filtering, editing and undoing in {seconds:.1f} s with {keys} keys", flush=True)


def another_process(browser, tool, form, output):
    url = tool.store(form, shop(), "another-" + form)
    with Studio(browser, tool, url, "--write") as studio:
        browser.go(studio.site + "/grid?model=Order")
        browser.until("!document.querySelector('[data-live-sign]').hidden")
        tool("update", url, "Order", "--where", "id == 2", "--set", "note=elsewhere")
        tool("delete", url, "Order", "--where", "id == 4")
        browser.until("document.querySelectorAll('[data-mark=changed]').length == 1")
        browser.until("document.querySelector('.range').innerText.includes('119 objects')")
        if "elsewhere" not in browser.text("[data-mark=changed]"):
            raise Failure(f"{form}, another process: the row is {browser.text('[data-mark=changed]')}")
        browser.picture(os.path.join(output, f"live-{form}.png"))
        no_problems(browser, f"{form}, another process")
