/// The one script: keys for what links and forms do anyway, live marks, the zoom of the diagram and uploads.
enum Script {
  static let text = keys + live + rest

  private static let keys = #"""
    "use strict";
    document.addEventListener("keydown", function (event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      var field = event.target.closest("input, textarea, select");
      if (field) {
        if (event.key === "Escape") field.blur();
        return;
      }
      function follow(selector) {
        var link = document.querySelector(selector);
        if (link) { event.preventDefault(); link.click(); }
      }
      function move(step) {
        var rows = Array.from(document.querySelectorAll("[data-row]"));
        if (!rows.length) return;
        var place = rows.indexOf(document.activeElement.closest("[data-row]"));
        var next = rows[Math.max(0, Math.min(rows.length - 1, place + step))];
        var link = next.querySelector("a");
        if (link) { event.preventDefault(); link.focus(); next.scrollIntoView({ block: "nearest" }); }
      }
      switch (event.key) {
        case "/":
          var filter = document.querySelector("[data-filter]");
          if (filter) { event.preventDefault(); filter.focus(); filter.select(); }
          break;
        case "?": follow("[data-help]"); break;
        case "ArrowDown": case "j": move(1); break;
        case "ArrowUp": case "k": move(-1); break;
        case "ArrowRight": case "n": follow("[rel=next]"); break;
        case "ArrowLeft": case "p": follow("[rel=prev]"); break;
        case "f":
          var find = document.querySelector("[data-find]");
          if (find) { event.preventDefault(); find.focus(); find.select(); }
          break;
        case "e": follow("[data-edit]"); break;
        case "h": follow(document.querySelector("[data-history-here]") ? "[data-history-here]" : "[data-history]"); break;
        case "m": follow("[data-models]"); break;
      }
    });
    // What was typed is not lost by a click.
    var edited = false;
    document.querySelectorAll("form[data-edits]").forEach(function (form) {
      form.addEventListener("input", function (event) {
        edited = true;
        var field = event.target.closest(".field");
        var isNil = field && event.target.type !== "checkbox" && field.querySelector("[type=checkbox]");
        if (isNil) isNil.checked = false;
      });
      form.addEventListener("submit", function () { edited = false; });
    });
    window.addEventListener("beforeunload", function (event) { if (edited) event.preventDefault(); });

    """#

  /// The server sends an event when the store has changed. The page is then read again, and rows that differ are marked.
  private static let live = #"""
    (function () {
      var main = document.querySelector("[data-live]");
      if (!main || !window.EventSource) return;
      var notice = document.querySelector("[data-live-notice]");
      var sign = document.querySelector("[data-live-sign]");
      var address = new URL(main.getAttribute("data-live"), location.href);
      var source = null, waiting = null, isBusy = false, last = 0;

      function connect() {
        if (source || document.hidden) return;
        source = new EventSource(address.href);
        source.onopen = function () { sign.hidden = false; };
        source.onerror = function () { sign.hidden = true; };
        source.addEventListener("change", function (event) {
          address.searchParams.set("since", event.data);
          refreshSoon();
        });
        source.addEventListener("ended", function () { disconnect(); refreshSoon(); });
      }
      // A browser opens few connections to one server: pages that are not seen leave theirs.
      function disconnect() {
        if (source) source.close();
        source = null;
        sign.hidden = true;
      }
      document.addEventListener("visibilitychange", function () { if (document.hidden) disconnect(); else connect(); });
      window.addEventListener("pagehide", disconnect);
      window.addEventListener("pageshow", connect);

      // At most once in a second, however often the store changes.
      function refreshSoon() {
        if (waiting) return;
        waiting = setTimeout(function () { waiting = null; refresh(); }, Math.max(60, last + 1000 - Date.now()));
      }
      function say(text) {
        notice.textContent = text;
        notice.hidden = false;
      }
      function refresh() {
        if (isBusy) return refreshSoon();
        isBusy = true;
        last = Date.now();
        var status = 0;
        fetch(location.href, { headers: { Accept: "text/html" } }).then(function (answer) {
          status = answer.status;
          return answer.text();
        }).then(function (text) {
          show(new DOMParser().parseFromString(text, "text/html"), status);
        }).catch(function () { say("Studio no longer answers."); disconnect(); }).then(function () { isBusy = false; });
      }
      function show(page, status) {
        if (status !== 200) {
          var message = page.querySelector("main .message strong");
          return say(message ? message.textContent : "This page can no longer be read.");
        }
        var form = document.querySelector("form[data-digest]");
        if (form) {
          var now = page.querySelector("form[data-digest]");
          if (now && now.dataset.digest !== form.dataset.digest)
            say("The object has changed since you opened this form. If you save, you see both versions first.");
          return;
        }
        document.querySelectorAll("[data-live-part]").forEach(function (part, place) {
          var other = page.querySelectorAll("[data-live-part]")[place];
          if (other) part.replaceChildren.apply(part, other.childNodes);
        });
        var old = document.querySelectorAll("[data-live-rows]"), next = page.querySelectorAll("[data-live-rows]");
        var counts = { changed: 0, added: 0, removed: 0 };
        if (old.length !== next.length) {
          main.replaceChildren.apply(main, page.querySelector("main").childNodes);
          return say("The page has changed" + time());
        }
        old.forEach(function (body, place) { replace(body, next[place], counts); });
        var words = [];
        if (counts.changed) words.push(counts.changed + " changed");
        if (counts.added) words.push(counts.added + " new");
        if (counts.removed) words.push(counts.removed + " gone");
        if (words.length) say("Rows: " + words.join(", ") + time());
      }
      function time() { return ", at " + new Date().toLocaleTimeString() + "."; }

      function replace(body, next, counts) {
        var before = new Map();
        Array.from(body.children).forEach(function (row) { before.set(row.dataset.key, row); });
        var focused = document.activeElement && document.activeElement.closest("[data-key]");
        var rows = Array.from(next.children);
        rows.forEach(function (row) {
          var key = row.dataset.key, old = before.get(key);
          before.delete(key);
          row.unmarked = row.innerHTML;
          if (!old) {
            counts.added += 1;
            mark(row, "new");
          } else if ((old.unmarked || old.innerHTML) !== row.unmarked) {
            counts.changed += 1;
            mark(row, "changed");
          } else if (old.dataset.mark) {
            mark(row, old.dataset.mark);
          }
        });
        counts.removed += before.size;
        body.replaceChildren.apply(body, rows);
        if (focused && body.contains(focused) === false) {
          rows.forEach(function (row) {
            var link = row.dataset.key === focused.dataset.key && row.querySelector("a");
            if (link) link.focus();
          });
        }
      }
      function mark(row, word) {
        var tag = document.createElement("span");
        tag.className = "tag mark";
        tag.textContent = word;
        row.dataset.mark = word;
        var cell = row.querySelector("td, th") || row;
        cell.prepend(tag, " ");
      }
      connect();
    })();

    """#

  private static let rest = #"""
    (function () {
      var room = document.querySelector(".diagram-room"), drawing = room && room.querySelector("svg");
      if (!drawing) return;
      var width = drawing.width.baseVal.value, height = drawing.height.baseVal.value, scale = 1;
      function zoom(factor) {
        var old = scale;
        scale = Math.max(0.2, Math.min(4, scale * factor));
        var x = (room.scrollLeft + room.clientWidth / 2) / old, y = (room.scrollTop + room.clientHeight / 2) / old;
        drawing.setAttribute("width", width * scale);
        drawing.setAttribute("height", height * scale);
        room.scrollTo(x * scale - room.clientWidth / 2, y * scale - room.clientHeight / 2);
      }
      document.querySelectorAll("[data-zoom]").forEach(function (button) {
        button.hidden = false;
        button.addEventListener("click", function () { zoom(Number(button.dataset.zoom)); });
      });
      room.addEventListener("keydown", function (event) {
        if (event.key === "+") zoom(1.25);
        if (event.key === "-") zoom(0.8);
      });
      room.addEventListener("wheel", function (event) {
        if (!event.ctrlKey) return;
        event.preventDefault();
        zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
      }, { passive: false });
      var start = null;
      room.addEventListener("pointerdown", function (event) {
        if (event.pointerType === "mouse" && event.button === 0 && !event.target.closest("a"))
          start = { x: event.clientX + room.scrollLeft, y: event.clientY + room.scrollTop };
      });
      window.addEventListener("pointermove", function (event) {
        if (start) room.scrollTo(start.x - event.clientX, start.y - event.clientY);
      });
      window.addEventListener("pointerup", function () { start = null; });
    })();
    (function () {
      var form = document.querySelector("form[data-upload]");
      if (!form) return;
      var status = form.querySelector("[data-upload-status]");
      function say(text) {
        status.textContent = text;
        status.hidden = false;
      }
      form.addEventListener("submit", function (event) {
        event.preventDefault();
        var file = form.querySelector("[type=file]").files[0];
        if (!file) return say("Choose a file first.");
        var address = new URL(form.action);
        address.searchParams.set("name", file.name);
        address.searchParams.set("model", form.querySelector("[name=model]").value);
        say("Reading " + file.name + " …");
        fetch(address.href, {
          method: "POST", body: file,
          headers: { "Content-Type": "application/octet-stream", "X-Studio-Token": form.dataset.upload, Accept: "application/json" }
        }).then(function (answer) { return answer.text(); }).then(function (text) {
          var answer = {};
          try { answer = JSON.parse(text); } catch (error) { answer.message = text; }
          if (answer.location) location.href = answer.location; else say(answer.message || "The file was not accepted.");
        }).catch(function () { say("The file was not sent: it is too large, or Studio has ended."); });
      });
    })();

    """#
}
