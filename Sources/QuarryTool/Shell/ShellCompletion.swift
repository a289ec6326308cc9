import QuarryBackend

/// What the word at the cursor of a shell's line can become.
struct ShellCompletion: Sendable {
  /// The commands of the shell.
  var commands: [String]
  /// The models of the store, each with the names of its properties.
  var models: [(name: String, properties: [String])]
  /// The model of the following lines.
  var model: String?

  private static let keywords = [
    "ALL", "AND", "ANY", "BEGINSWITH", "BETWEEN", "CONTAINS", "ENDSWITH", "FALSE", "IN", "LIKE", "NONE", "NOT", "OR",
    "TRUE",
    "nil",
  ]
  private static let options = [
    "--by", "--columns", "--compute", "--format", "--having", "--limit", "--set", "--sort", "--where", "--width",
  ]
  private static let settings: [String: [String]] = [
    "format": ["csv", "json", "jsonl", "table", "vertical"], "timing": ["off", "on"], "limit": ["off"],
    "width": ["off"],
  ]

  /// The candidates in their order.
  ///
  /// - Parameters:
  ///   - word: The word at the cursor, up to it.
  ///   - line: The line before the word.
  func candidates(for word: String, after line: String) -> [String] {
    let words = line.split(whereSeparator: \.isWhitespace)
    var found: [String]
    switch words.first.map(String.init) {
    case nil: found = commands + models.map(\.name) + properties(models.first { $0.name == chosen })
    case "help": found = commands
    case "use": found = models.map(\.name)
    case let first? where Self.settings[first] != nil: found = Self.settings[first] ?? []
    case let first?:
      let named = models.first { $0.name == first } ?? models.first { model in words.contains { $0 == model.name } }
      let own = named ?? models.first { $0.name == chosen }
      found = word.hasPrefix("-") ? Self.options : properties(own) + (word.contains(",") ? [] : Self.keywords)
      if own == nil || words.count == 1 && commands.contains(first) { found += models.map(\.name) }
    }
    // In a list, the part behind the last comma is completed.
    let stem = word.lastIndex(of: ",").map { word[...$0] } ?? ""
    let part = word[stem.endIndex...]
    var seen: Set<String> = []
    return found.filter { Self.begins($0, part) && seen.insert($0).inserted }.sorted().map { stem + $0 }
  }

  private var chosen: String? { model ?? (models.count == 1 ? models[0].name : nil) }

  private func properties(_ model: (name: String, properties: [String])?) -> [String] { model?.properties ?? [] }

  /// Keywords may be begun in small letters.
  private static func begins(_ candidate: String, _ part: Substring) -> Bool {
    candidate.hasPrefix(part) || keywords.contains(candidate) && candidate.hasPrefix(part.uppercased())
  }
}
