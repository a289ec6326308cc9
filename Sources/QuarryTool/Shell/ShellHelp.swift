/// The help of `quarry shell`.
enum ShellHelp {
  static let text = """
    MODEL [CONDITION] [--sort -a,b] [--limit N] [--columns a,b]   objects of a model
    CONDITION                     objects of the model that "use" names, or of the only one
    models (\\dt), schema [MODEL] (\\d), describe, count, query, get, explain, aggregate, stat, check
    update, upsert, delete, migrate, import FILE --model NAME, export, backup, copy, diff, dump, compact
                                  as on the command line, without the URL; "help COMMAND" explains one
    use MODEL, use -              the model of the following lines
    format table|vertical|json|jsonl|csv, width N|off, limit N|off, timing on|off
    help (\\?), help COMMAND, help TOPIC, quit (\\q)
    On a terminal with libedit the arrow keys and Ctrl-R find earlier lines, and the tab key completes names and keywords.
    A line goes on in the next one after a backslash, and in a quote, a parenthesis or a brace that is open; an empty line ends it.
    """
}
