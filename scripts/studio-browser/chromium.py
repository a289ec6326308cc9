"""A headless Chromium, driven over its DevTools protocol by a pipe. Only Python's standard library is needed."""

import base64
import collections
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time


class Failure(Exception):
    """A page is not as it must be."""


def program():
    """The path of Chromium, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


# Notes what must never happen. It runs before the scripts of each page.
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", event =>
  window.violations.push(event.violatedDirective + " " + event.blockedURI));
window.ran = function (what) { window.violations.push("ran " + what); };
"""


class Chromium:
    """One browser with one page."""

    def __init__(self):
        path = program()
        if not path:
            sys.exit("error: Chromium is missing: scripts/setup --studio")
        self.profile = tempfile.mkdtemp(prefix="studio-browser-")
        from_us, to_browser = os.pipe()
        from_browser, to_us = os.pipe()
        # As root, as in a container, Chromium has no sandbox.
        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []

        def descriptors():
            # 3 and 4 are the ends that Chromium expects, and either may be in the way of the other.
            first, second = os.dup(from_us), os.dup(to_us)
            high = [os.dup2(first, 90, False), os.dup2(second, 91, False)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.log = open(os.path.join(self.profile, "log"), "wb")
        self.process = subprocess.Popen(
            [path, "--headless=new", "--remote-debugging-pipe", *sandbox, "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--hide-scrollbars", f"--user-data-dir={self.profile}/profile", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, preexec_fn=descriptors, close_fds=False)
        os.close(from_us)
        os.close(to_us)
        self.writer, self.reader = to_browser, from_browser
        self.rest = b""
        self.number = 0
        self.session = None
        self.events = collections.deque()
        self.problems = []
        self.dialogs = []
        self.accepts = True
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM", "Network"):
            self.call(domain + ".enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def close(self):
        """Ends the process that was started here, and no other."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    # The protocol

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.writer, data):]
        wanted, end = self.number, time.monotonic() + 60
        while True:
            answer = self.receive(end)
            if answer is None:
                raise Failure(f"Chromium does not answer {method}")
            if answer.get("id") == wanted:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self, end):
        """The next message, whose event is noted; None when there is none in time."""
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.reader], [], [], left)[0]:
                return None
            part = os.read(self.reader, 1 << 20)
            if not part:
                raise Failure("Chromium has ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        answer = json.loads(message)
        if "method" in answer:
            self.note(answer["method"], answer.get("params", {}))
        return answer

    def note(self, method, event):
        self.events.append((method, event))
        if len(self.events) > 500:
            self.events.popleft()
        if method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.problems.append("a script failed: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] == "error":
            entry = event["entry"]
            # A page whose status says that something is wrong is logged by the browser too.
            if "the server responded with a status of" not in entry["text"]:
                self.problems.append(f"{entry['source']}: {entry['text']}")
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(event["type"])
            if event["type"] != "beforeunload":
                self.problems.append(f"a dialog: {event['type']} {event['message']}")
            # Not by call(), which waits for an answer inside of another call.
            self.number += 1
            accept = {"accept": self.accepts or event["type"] != "beforeunload"}
            message = {
                "id": self.number, "method": "Page.handleJavaScriptDialog", "params": accept, "sessionId": self.session}
            os.write(self.writer, json.dumps(message).encode() + b"\0")

    def wait_for(self, method, seconds=20):
        """Waits for an event that comes after the last clear()."""
        end = time.monotonic() + seconds
        while True:
            for place, (name, event) in enumerate(self.events):
                if name == method:
                    del self.events[place]
                    return event
            if self.receive(end) is None:
                raise Failure(f"{method} did not come")

    # Pages

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{script}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def loading(self, action):
        """Does what loads a page, and waits until it is there.

        Returns the status of the page."""
        self.events.clear()
        action()
        self.wait_for("Page.loadEventFired")
        status = 0
        for method, event in self.events:
            if method == "Network.responseReceived" and event["type"] == "Document":
                status = event["response"]["status"]
        return status

    def go(self, address):
        def navigate():
            problem = self.call("Page.navigate", url=address).get("errorText")
            if problem:
                raise Failure(f"{address}: {problem}")
        return self.loading(navigate)

    def until(self, script, seconds=10):
        """Waits until a script of the page has a value that is true."""
        end = time.monotonic() + seconds
        while True:
            value = self.evaluate(script)
            if value:
                return value
            if time.monotonic() > end:
                raise Failure(f"not so after {seconds} s: {script}")
            time.sleep(0.02)

    def text(self, selector="body"):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def click(self, selector, loads=True):
        """Clicks into the middle of an element, as a mouse does."""
        script = f"""(() => {{
          const element = document.querySelector({json.dumps(selector)});
          if (!element) return null;
          element.scrollIntoView({{ block: "center" }});
          const box = element.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""
        place = self.evaluate(script)
        if not place:
            raise Failure(f"there is no {selector} in {self.evaluate('location.href')}")

        def press():
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
        return self.loading(press) if loads else press()

    def key(self, name, shift=False):
        """Presses a key: a character, or a name such as Enter, Tab, ArrowDown, Escape."""
        codes = {"Enter": 13, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39, "ArrowLeft": 37, "Escape": 27}
        text = "\r" if name == "Enter" else name if len(name) == 1 else ""
        key = {"key": name, "code": name if name in codes else "", "modifiers": 8 if shift else 0,
               "windowsVirtualKeyCode": codes.get(name, 0)}
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.call("Input.dispatchKeyEvent", **down, **key)
        self.call("Input.dispatchKeyEvent", type="keyUp", **key)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def replace(self, selector, text):
        """Types over the text of a field."""
        self.click(selector, loads=False)
        self.evaluate(f"document.querySelector({json.dumps(selector)}).select()")
        self.type(text)

    def back(self, steps=-1):
        history = self.call("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] + steps]["id"]
        return self.loading(lambda: self.call("Page.navigateToHistoryEntry", entryId=entry))

    def reload(self):
        return self.loading(lambda: self.call("Page.reload"))

    def size(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def take_problems(self):
        """What went wrong since the last call: failed scripts, violations of the policy, dialogs."""
        problems = self.problems + (self.evaluate("window.violations ?? []") or [])
        self.problems = []
        self.evaluate("window.violations = []; 0")
        return problems
