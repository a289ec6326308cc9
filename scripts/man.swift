// Writes manual pages for scripts/man: manual-pages TOOL FOLDER.
//
// The tool describes its commands by --experimental-dump-help, and its topics by `help topics` and `help TOPIC`.
import Foundation

struct Name: Decodable {
  var kind: String
  var name: String
  var text: String { kind == "long" ? "--" + name : "-" + name }
}

struct Argument: Decodable {
  var abstract: String?
  var discussion: String?
  var kind: String
  var names: [Name]?
  var valueName: String?
  var isOptional: Bool
  var isRepeating: Bool
  var shouldDisplay: Bool
  var defaultValue: String?

  /// As it is typed, in roff: what is typed literally is bold, and what is replaced is italic.
  var usage: String {
    let value = valueName.map { "\\fI\(roff($0))\\fR" } ?? ""
    let names = (names ?? []).map { "\\fB\(roff($0.text))\\fR" }
    switch kind {
    case "positional": return value
    case "flag": return names.joined(separator: ", ")
    default: return names.joined(separator: ", ") + " " + value
    }
  }

  var synopsis: String {
    let repeated = isRepeating ? usage + " ..." : usage
    return isOptional ? "[\(repeated)]" : repeated
  }
}

struct Command: Decodable {
  var commandName: String
  var abstract: String?
  var discussion: String?
  var arguments: [Argument]?
  var subcommands: [Command]?
}

struct Tool: Decodable { var command: Command }

/// A text in roff: no character begins a request or an escape.
func roff(_ text: some StringProtocol) -> String {
  String(text).replacing("\\", with: "\\e").replacing("-", with: "\\-").split(
    separator: "\n", omittingEmptySubsequences: false
  )
  .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : String($0) }.joined(separator: "\n")
}

struct Manual {
  let tool: URL
  let folder: URL
  let topics: [(name: String, abstract: String)]

  init(tool: URL, folder: URL) throws {
    (self.tool, self.folder) = (tool, folder)
    topics = try Self.output(of: tool, ["help", "topics"]).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      return parts.count == 2 ? (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) : nil
    }
  }

  static func output(of tool: URL, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = tool
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return String(decoding: data, as: UTF8.self)
  }

  func write() throws {
    let json = Data(try Self.output(of: tool, ["--experimental-dump-help"]).utf8)
    try write(try JSONDecoder().decode(Tool.self, from: json).command, path: [])
    for topic in topics {
      let text = try Self.output(of: tool, ["help", topic.name])
      // Without the heading, which repeats the name, and as it is printed.
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
      var page = header("quarry-\(topic.name)", topic.abstract)
      page += ".SH DESCRIPTION\n.nf\n\(roff(lines.joined(separator: "\n")))\n.fi\n"
      try page.write(to: folder.appending(path: "quarry-\(topic.name).1"), atomically: true, encoding: .utf8)
    }
  }

  private func header(_ name: String, _ abstract: String) -> String {
    """
    .TH "\(name.uppercased())" "1" "" "Quarry" "Quarry Manual"
    .SH NAME
    \(name) \\- \(roff(abstract.hasSuffix(".") ? String(abstract.dropLast()) : abstract))

    """
  }

  private func write(_ command: Command, path: [String]) throws {
    guard command.commandName != "help" else { return }
    let path = path + [command.commandName]
    let name = path.joined(separator: "-")
    let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
    let subcommands = (command.subcommands ?? []).filter { $0.commandName != "help" }
    var page = header(name, command.abstract ?? "")
    page += ".SH SYNOPSIS\n\\fB\(roff(path.joined(separator: " ")))\\fR\n"
    page += subcommands.isEmpty ? arguments.map { $0.synopsis + "\n" }.joined() : "\\fIcommand\\fR ...\n"
    if let discussion = command.discussion, !discussion.isEmpty {
      let paragraphs = discussion.split(separator: "\n").map { roff($0) }
      page += ".SH DESCRIPTION\n" + paragraphs.joined(separator: "\n.PP\n") + "\n"
    }
    if !arguments.isEmpty { page += ".SH OPTIONS\n" }
    for argument in arguments {
      page += ".TP\n\(argument.usage)\n"
      page += [argument.abstract, argument.discussion].compactMap { $0 }.map { roff($0) + "\n" }.joined()
      if let value = argument.defaultValue { page += "The default is \(roff(value)).\n" }
    }
    if !subcommands.isEmpty {
      page += ".SH COMMANDS\n"
      for subcommand in subcommands {
        page += ".TP\n\\fB\(roff(name))\\-\(roff(subcommand.commandName))\\fR(1)\n\(roff(subcommand.abstract ?? ""))\n"
      }
    }
    if path.count == 1 {
      page += ".SH TOPICS\n"
      for topic in topics { page += ".TP\n\\fBquarry\\-\(roff(topic.name))\\fR(1)\n\(roff(topic.abstract))\n" }
    }
    let others = path.count == 1 ? [] : ["quarry"] + topics.map { "quarry-\($0.name)" }
    if !others.isEmpty {
      page += ".SH SEE ALSO\n" + others.map { "\\fB\(roff($0))\\fR(1)" }.joined(separator: ",\n") + "\n"
    }
    try page.write(to: folder.appending(path: "\(name).1"), atomically: true, encoding: .utf8)
    for subcommand in subcommands { try write(subcommand, path: path) }
  }
}

guard CommandLine.arguments.count == 3 else {
  print("usage: manual-pages TOOL FOLDER")
  exit(64)
}
let folder = URL(filePath: CommandLine.arguments[2])
do {
  try Manual(tool: URL(filePath: CommandLine.arguments[1]), folder: folder).write()
} catch {
  FileHandle.standardError.write(Data("error: \(CommandLine.arguments[1]) does not describe itself: \(error)\n".utf8))
  exit(1)
}
