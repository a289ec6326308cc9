import ArgumentParser
import QuarryBackend
import QuarryData

/// The first word of a command line, before it is parsed.
enum CommandWords {
  /// The names of the subcommands.
  static let names = Tool.configuration.subcommands.compactMap { $0.configuration.commandName }

  /// The message for a first word that is no subcommand; nil where the parser may have it.
  static func refusal(_ word: String?) -> String? {
    guard let word, !word.hasPrefix("-"), word != "help", !names.contains(word) else { return nil }
    if word.loweredASCII == "sql" {
      return """
        quarry has no SQL: a condition is "quarry query URL MODEL --where CONDITION", groups and figures are "quarry \
        aggregate", changes "quarry update" and "quarry delete". "quarry shell URL" takes them line by line. An sqlite: \
        store is an SQLite database, which sqlite3 reads.
        """
    }
    if let hint = habits[word.loweredASCII] { return "there is no command \(word.excerpt); \(hint)" }
    return "there is no command \(word.excerpt)\(suggestion(word, among: names))"
  }

  /// Words that other tools have, and what to write here: on the command line and in the shell.
  static let habits: [String: String] = {
    let groups: [(words: [String], hint: String)] = [
      (
        ["select", "from"], "objects are read with \"query\" and a condition, groups and figures with \"aggregate\""
      ),
      (
        ["insert", "add", "put", "set"],
        "\"upsert\" stores one object, \"import\" the rows of a file or of standard input"
      ),
      (["replace", "merge"], "\"upsert\" stores one object, \"update\" changes those of a condition"),
      (["remove", "rm", "del"], "\"delete\" removes the objects of a condition"),
      ([".tables", "tables", "ls", "list", "show", "\\l", "\\dt+"], "\"models\" lists the models"),
      (
        [".schema", "desc", "\\d+", "pragma"], "\"schema\" prints models, \"describe\" figures of properties"
      ),
      (["create", "alter", "drop"], "\"import\" creates a model, \"migrate\" changes models"),
      ([".import", "load"], "\"import\" reads CSV, JSON and SQLite databases"),
      ([".dump"], "\"dump\" writes a store as text"), ([".backup"], "\"backup\" copies a store"),
      ([".mode"], "--format chooses the form of the output, \"format\" in the shell"),
      ([".quit", ".exit", ":q", "bye"], "\"quit\" ends the shell"), ([".help"], "\"help\" lists the commands"),
      (["vacuum"], "\"compact\" returns free space"), (["find", "filter", "where"], "\"query\" reads objects"),
      (["begin", "commit", "rollback"], "each command is a transaction of its own"),
    ]
    return Dictionary(
      groups.flatMap { group in group.words.map { ($0, group.hint) } }, uniquingKeysWith: { first, _ in first })
  }()

  /// The hint at a similar name, or else at the help.
  static func suggestion(_ word: String, among names: [String]) -> String {
    let hint = NearestName.suggestion(for: word, among: names)
    return hint.contains("did you mean") ? hint : "; \"quarry --help\" lists the commands"
  }
}
