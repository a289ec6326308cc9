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
    return "there is no command \(word.excerpt)\(suggestion(word, among: names))"
  }

  /// The hint at a similar name, or else at the help.
  static func suggestion(_ word: String, among names: [String]) -> String {
    let hint = NearestName.suggestion(for: word, among: names)
    return hint.contains("did you mean") ? hint : "; \"quarry --help\" lists the commands"
  }
}
