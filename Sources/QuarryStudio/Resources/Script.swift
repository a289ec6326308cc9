/// The one script: keys for what links and forms do anyway.
enum Script {
  static let text = #"""
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
        case "e": follow("[data-edit]"); break;
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
}
