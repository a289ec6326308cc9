import ArgumentParser
import Foundation
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryEngines

/// A session over one store: lines become commands of the tool.
final class Shell {
  /// The store's URL, as commands get it.
  private let url: String
  private let key: [String]
  private let isInteractive: Bool
  private let input = LineInput()
  /// Edits the lines of a terminal; nil for a pipe, and where the system has no libedit.
  private var editor: LineEditor?
  private var settings = ShellSettings()
  /// Bytes of a command of several lines.
  private static let longestCommand = 4 << 20

  /// Commands whose first word is the URL; of these, the ones that take a model behind it.
  private static let withURL: Set<String> = [
    "models", "schema", "describe", "count", "query", "get", "explain", "aggregate", "export", "update", "delete",
    "upsert", "migrate",
    "stat", "check", "backup", "compact", "copy", "diff", "dump",
  ]
  private static let withModel: Set<String> = [
    "describe", "count", "query", "explain", "aggregate", "export", "update", "upsert", "delete", "schema",
  ]
  private static let shortForms = [
    "\\d": "schema", "\\dt": "models", "\\q": "quit", "\\?": "help", "?": "help", "exit": "quit",
  ]

  /// - Parameter key: The options of the store's key.
  init(url: String, key: [String], isInteractive: Bool) {
    self.url = url
    self.key = key
    self.isInteractive = isInteractive
  }

  /// The file of a terminal's earlier lines: that of the variable `QUARRY_HISTORY`, or `.quarry_history` in the home folder.
  ///
  /// Lines about an encrypted store may have its values, and are not kept.
  private var history: String? {
    guard key.isEmpty else { return nil }
    let environment = ProcessInfo.processInfo.environment
    if let given = environment["QUARRY_HISTORY"] { return given.isEmpty ? nil : given }
    return environment["HOME"].flatMap { $0.isEmpty ? nil : $0 + "/.quarry_history" }
  }

  /// What the words of a line can become. It is read when a completion asks, because commands change the models.
  private func completion() -> ShellCompletion {
    let commands = Self.withURL.union([
      "import", "engines", "help", "use", "format", "width", "limit", "timing", "quit",
    ])
    let models = (try? models()) ?? []
    return ShellCompletion(
      commands: commands.sorted(), models: models.map { ($0.name, $0.propertyNames) }, model: settings.model)
  }

  private func edit() {
    guard isInteractive else { return }
    let completing = Completing(self)
    editor = LineEditor(history: history) { word, before in
      completing.shell?.completion().candidates(for: word, after: before) ?? []
    }
  }

  /// Lends the shell to the editor, which calls back on the shell's own thread alone.
  private final class Completing: @unchecked Sendable {
    weak var shell: Shell?

    init(_ shell: Shell) {
      self.shell = shell
    }
  }

  /// Reads lines until their end.
  ///
  /// - Throws: From a pipe the error of the first command that fails.
  func run() throws {
    edit()
    while let line = try command() {
      do {
        guard try take(line) else { return }
      } catch let error as BrokenPipe {
        throw error
      } catch {
        guard isInteractive else { throw error }
        report(error)
      }
    }
  }

  /// The next command, of one line or several.
  private func command() throws -> String? {
    guard var text = try next("quarry> ") else { return nil }
    while ShellWords.isOpen(text) {
      guard let next = try next("   ...> "), !next.trimmingBlanks.isEmpty else { break }
      text = (text.hasSuffix("\\") ? String(text.dropLast()) : text) + "\n" + next
      guard text.utf8.count <= Self.longestCommand else {
        throw StorageError.limitExceeded("bytes of a command", limit: Self.longestCommand, actual: text.utf8.count)
      }
    }
    return text
  }

  /// The next line, with a prompt on a terminal.
  private func next(_ prompt: String) throws -> String? {
    if let editor {
      try StandardOutput.sink().flush()
      return editor.next(prompt)
    }
    try show(prompt)
    return try input.next()
  }

  private func show(_ text: String) throws {
    guard isInteractive else { return }
    let sink = StandardOutput.sink()
    try sink.write(text)
    try sink.flush()
  }

  /// - Returns: Whether the session goes on.
  private func take(_ line: String) throws -> Bool {
    var line = line.split(whereSeparator: \.isNewline).joined(separator: " ").trimmingBlanks
    while line.hasSuffix(";") { line = String(line.dropLast()).trimmingBlanks }
    guard !line.isEmpty, !line.hasPrefix("#") else { return true }
    var (word, rest) = ShellWords.first(line)
    if let long = Self.shortForms[word] { word = long }
    if word == "quit", rest.isEmpty { return false }
    if word == "help" {
      if rest.isEmpty { try StandardOutput.print(ShellHelp.text) } else { try run(["help", rest]) }
      return true
    }
    if let words = try? ShellWords.split(line), let text = settings.take(words) {
      if !text.isEmpty { try StandardOutput.print(text) }
      return true
    }
    let start = ContinuousClock().now
    defer { if settings.showsTime { printTime(ContinuousClock().now - start) } }
    try run(arguments(word, rest, line))
    return true
  }

  // MARK: Commands

  /// The arguments of the tool for a line.
  private func arguments(_ word: String, _ rest: String, _ line: String) throws -> [String] {
    if Self.withURL.contains(word) { return completed(word, try ShellWords.split(rest)) }
    if word == "import" { return ["import"] + (try ShellWords.split(rest)) + ["--into", url] + key }
    if word == "engines" { return ["engines"] + (try ShellWords.split(rest)) }
    let models = try models()
    let names = models.map(\.name)
    if names.contains(where: { $0.utf8.elementsEqual(word.utf8) }) { return try query(word, rest) }
    if CommandWords.names.contains(word) {
      throw ValidationError("\(word) is not for the shell: use it as \"quarry \(word)\"")
    }
    let chosen = settings.model ?? (names.count == 1 ? names[0] : nil)
    let properties = models.first { $0.name == chosen }?.propertyNames ?? []
    if let habit = CommandWords.habits[word.loweredASCII], !Self.begins(word, aConditionOver: properties) {
      throw ValidationError("\(word.excerpt) is neither a command nor a model; \(habit)")
    }
    let isWord = !Self.begins(word, aConditionOver: properties) && (rest.first.map { $0.isLetter || $0 == "-" } ?? true)
    let hint = NearestName.suggestion(for: word, among: Array(Self.withURL) + names)
    // A word before another is no condition, and looks like a command.
    if isWord, hint.contains("did you mean") || rest.isEmpty {
      let help = hint.contains("did you mean") ? hint : "; \"help\" lists the commands"
      throw ValidationError("\(word.excerpt) is neither a command nor a model\(help)")
    }
    guard let model = chosen else {
      throw ValidationError(
        "\(word.excerpt) is neither a command nor a model, and a condition needs \"use MODEL\" before it")
    }
    return try query(model, line)
  }

  /// A query by a condition and the options behind it.
  private func query(_ model: String, _ text: String) throws -> [String] {
    let (condition, options) = ShellWords.options(in: text)
    let filter = condition.isEmpty ? [] : ["--where", condition]
    return completed("query", [model] + filter + (try ShellWords.split(options)))
  }

  /// The arguments with the URL, the model and the settings of the session.
  private func completed(_ command: String, _ words: [String]) -> [String] {
    var words = words
    if let model = settings.model {
      if Self.withModel.contains(command), words.first?.hasPrefix("-") != false { words.insert(model, at: 0) }
      if command == "get", words.count == 1 { words.insert(model, at: 0) }
    }
    func add(_ option: String, _ value: String?) {
      guard let value, !words.contains(where: { $0 == option || $0.hasPrefix(option + "=") }) else { return }
      words += [option, value]
    }
    if command == "query" || command == "aggregate" {
      add("--format", settings.format?.rawValue)
      add("--width", settings.width.map(String.init))
    }
    if command == "query" { add("--limit", settings.limit.map(String.init)) }
    return [command, url] + words + key
  }

  /// Whether a word that no sign follows is no mistyped command: a property or a path, or a word of conditions.
  private static func begins(_ word: String, aConditionOver properties: [String]) -> Bool {
    let name = word.prefix { $0 != "." && $0 != "[" }
    let words = ["NOT", "ANY", "SOME", "ALL", "NONE", "TRUEPREDICATE", "FALSEPREDICATE"]
    return properties.contains { $0.utf8.elementsEqual(name.utf8) } || words.contains(word.uppercased())
  }

  private func models() throws -> [ModelSchema] {
    let argument = try StoreArgument.parse([url] + key)
    do {
      let store = try argument.open(.reading)
      defer { try? store.close() }
      return try store.models()
    } catch let error as StorageError where error.code == .notFound {
      return []
    }
  }

  private func run(_ arguments: [String]) throws {
    var command = try Tool.parseAsRoot(arguments)
    try command.run()
  }

  // MARK: Reports

  private func printTime(_ time: Duration) {
    let text = "time: " + String(format: "%.3f", time / .seconds(1)) + " s\n"
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Prints an error and lets the session go on.
  private func report(_ error: any Error) {
    let text: String
    if let error = error as? StorageError {
      text = ErrorReport.line(error)
    } else {
      text = Tool.fullMessage(for: error)
    }
    guard !text.isEmpty else { return }
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}
