import Foundation
import QuarryEngines
import Testing

@testable import QuarryTool

/// One command of the tool, as it describes itself: `quarry --experimental-dump-help`.
struct CommandDescription: Decodable {
  struct Name: Decodable {
    var kind: String
    var name: String

    /// As it is typed.
    var text: String { kind == "long" ? "--" + name : "-" + name }
  }
  struct Argument: Decodable {
    var kind: String
    var names: [Name]?
    var valueName: String?
  }
  var commandName: String
  var abstract: String?
  var arguments: [Argument]?
  var subcommands: [CommandDescription]?

  /// The options that are typed by long names, without those that every command has.
  var options: Set<String> {
    Set((arguments ?? []).flatMap { $0.names ?? [] }.map(\.text).filter { $0.hasPrefix("--") })
      .subtracting(["--help", "--version"])
  }

  /// This command and those below it, with their names as they are typed.
  var all: [(name: String, command: CommandDescription)] {
    [(commandName, self)] + (subcommands ?? []).flatMap { $0.all }.map { (commandName + " " + $0.name, $0.command) }
  }

  static func tool() throws -> CommandDescription {
    struct Tool: Decodable { var command: CommandDescription }
    let shop = try Workshop()
    let outcome = try Quarry.run(["--experimental-dump-help"], in: shop.directory)
    return try JSONDecoder().decode(Tool.self, from: Data(outcome.output.utf8)).command
  }
}

/// What the tool and its documents say about options is true.
@Suite struct HelpTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
  let shop: Workshop
  let tool: CommandDescription

  init() throws {
    shop = try Workshop()
    tool = try CommandDescription.tool()
  }

  /// The options of a text, as they are typed.
  func options(in text: some StringProtocol) -> Set<String> {
    Set(String(text).matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
  }

  @Test(arguments: HelpTopic.all.map(\.name))
  func aTopicIsPrinted(_ name: String) throws {
    let outcome = try shop.quarry("help", name)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix(name.uppercased().replacing("-", with: " ") + "\n"))
    #expect(outcome.lines.allSatisfy { $0.count <= 105 })
    #expect(try shop.quarry("help", "topics").output.contains(name))
    #expect(try shop.quarry("--help").output.contains(name))
  }

  @Test func anUnknownTopicIsWrongUsage() throws {
    #expect(try shop.quarry("help", "bogus").status == 64)
    #expect(try shop.quarry("help", "count").output.contains("USAGE: quarry count"))
  }

  @Test(arguments: HelpTopic.all.map(\.name))
  func everyOptionOfATopicExists(_ name: String) throws {
    let topic = try #require(HelpTopic.all.first { $0.name == name })
    let known = tool.all.reduce(into: Set<String>()) { $0.formUnion($1.command.options) }
    #expect(options(in: topic.text).subtracting(known).isEmpty)
  }

  @Test func theOptionsOfURLsAreThoseOfTheEngines() throws {
    for engine in EngineDescription.all {
      let lines = HelpTopic.urls.text.split(separator: "\n").map { $0.drop { $0 == " " } }
      let common = lines.compactMap { $0.prefixMatch(of: #/([a-zA-Z]+)=\S+ /#).map { String($0.output.1) } }
      let own = lines.filter { $0.hasPrefix(engine.scheme + ":") }
        .compactMap { $0.firstMatch(of: #/^[a-z]+: +([a-zA-Z]+)=/#).map { String($0.output.1) } }
      #expect((common + own).sorted() == engine.options, "\(engine.name)")
    }
  }

  /// The synopsis of each command in docs/command.md: by the command's name, its options.
  func synopses() throws -> [String: Set<String>] {
    let page = try String(contentsOf: Self.root.appending(path: "docs/command.md"), encoding: .utf8)
    let block = try #require(page.firstMatch(of: /```sh\n(quarry import(?:[^`]|`[^`])*)```/)).output.1
    var synopses: [String: Set<String>] = [:]
    var name = ""
    for line in block.split(separator: "\n") {
      if let match = line.prefixMatch(of: /quarry ([a-z-]+)( (?:new|list|export)\b)?/) {
        name = match.output.1 == "key" ? "key" + (match.output.2 ?? "") : String(match.output.1)
      }
      synopses[name, default: []].formUnion(options(in: line))
    }
    return synopses
  }

  @Test func theSynopsesAreTheCommands() throws {
    var synopses = try synopses()
    // The options of keys are described once, after the synopses; two commands that start other programs have sections.
    let keys: Set = [
      "--key-file", "--key-store", "--to-key-file", "--to-key-store", "--other-key-file", "--other-key-store",
    ]
    for (name, command) in tool.all where command.subcommands == nil && name != "quarry help" {
      let name = name.dropFirst("quarry ".count)
      guard let documented = synopses.removeValue(forKey: String(name)) else {
        #expect(["conformance", "benchmark"].contains(name), "docs/command.md has no synopsis of \(name)")
        continue
      }
      #expect(documented.subtracting(keys) == command.options.subtracting(keys), "\(name)")
    }
    #expect(synopses.isEmpty)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsArePrinted(_ shell: String) throws {
    let outcome = try shop.quarry("--generate-completion-script", shell)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    for (name, command) in tool.all where name.hasPrefix("quarry ") {
      #expect(outcome.output.contains(command.commandName), "\(shell): \(name)")
      for option in command.options { #expect(outcome.output.contains(option.dropFirst(2)), "\(shell): \(option)") }
    }
    // A shell that is installed accepts its script.
    let program = URL(filePath: "/bin/\(shell)")
    guard FileManager.default.isExecutableFile(atPath: program.path) else { return }
    try shop.write(outcome.output, "completions")
    #expect(try Quarry.run(["-n", "completions"], in: shop.directory, program: program).status == 0)
  }

  @Test func everyCommandHasAnAbstract() {
    for (name, command) in tool.all where name != "quarry help" {
      let abstract = command.abstract ?? ""
      #expect(abstract.hasSuffix(".") && abstract.count <= 100, "\(name): \(abstract)")
    }
  }
}
