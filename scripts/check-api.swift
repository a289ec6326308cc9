// Makes the lists of scripts/check-api from the compiler's symbol graphs, and looks for what has no documentation.
//
//   check-api GRAPHS LISTS MODULE[+] ...
//
// reads the symbol graphs in the folder GRAPHS and writes a list for each module into the folder LISTS. Of a module with a
// plus sign every symbol needs a documentation comment with an abstract of at most 150 characters. Names in the
// documentation catalogues of the modules must exist, and what QuarryCore's public declarations name of other modules must come with it.
import Foundation

struct Graph: Decodable {
  var symbols: [Symbol]
  var relationships: [Relationship]
}

struct Constraint: Decodable {
  var kind: String
  var lhs: String
  var rhs: String

  var text: String {
    switch kind {
    case "conformance", "superclass": "\(lhs): \(rhs)"
    default: "\(lhs) == \(rhs)"
    }
  }
}

struct Symbol: Decodable {
  struct Kind: Decodable { var identifier: String }
  struct Identifier: Decodable { var precise: String }
  struct Fragment: Decodable {
    var kind: String
    var spelling: String
    var preciseIdentifier: String?

    /// The module of the type that is named here, from the compiler's name of the type: `s:13QuarryBackend5ValueO`.
    var module: String? {
      guard kind == "typeIdentifier", let match = preciseIdentifier?.prefixMatch(of: /s:(\d+)(.+)/) else { return nil }
      return Int(match.output.1).map { String(match.output.2.prefix($0)) }
    }
  }
  struct Extension: Decodable { var constraints: [Constraint]? }
  struct Availability: Decodable {
    var domain: String?
    var isUnconditionallyUnavailable: Bool?
    var isUnconditionallyDeprecated: Bool?
  }
  struct Location: Decodable {
    struct Position: Decodable { var line: Int }
    var uri: String
    var position: Position
  }
  struct Comment: Decodable {
    struct Line: Decodable { var text: String }
    var lines: [Line]

    /// The first paragraph, in one line.
    var abstract: String {
      lines.map { $0.text.trimmingCharacters(in: .whitespaces) }.drop(while: \.isEmpty).prefix { !$0.isEmpty }
        .joined(separator: " ")
    }
  }

  var kind: Kind
  var identifier: Identifier
  var pathComponents: [String]
  var declarationFragments: [Fragment]?
  var docComment: Comment?
  var swiftExtension: Extension?
  var availability: [Availability]?
  var location: Location?

  var path: String { pathComponents.joined(separator: ".") }

  var owner: String { pathComponents.dropLast().joined(separator: ".") }

  /// The path, the declaration as the compiler writes it, and the conditions of the extension that it stands in.
  var line: String {
    let declaration = (declarationFragments ?? []).map(\.spelling).joined()
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    var line = "\(path): \(declaration)"
    let constraints = swiftExtension?.constraints ?? []
    if !constraints.isEmpty { line += " [where \(constraints.map(\.text).sorted().joined(separator: ", "))]" }
    if availability?.contains(where: { $0.isUnconditionallyUnavailable == true }) == true { line += " [unavailable]" }
    if availability?.contains(where: { $0.isUnconditionallyDeprecated == true }) == true { line += " [deprecated]" }
    return line
  }
}

struct Relationship: Decodable {
  struct Origin: Decodable {}
  var kind: String
  var source: String
  var target: String
  var targetFallback: String?
  var sourceOrigin: Origin?
  var swiftConstraints: [Constraint]?
}

struct Module {
  var name: String
  var symbols: [Symbol] = []
  var relationships: [Relationship] = []

  init(name: String, graphs: URL) throws {
    self.name = name
    for file in try FileManager.default.contentsOfDirectory(at: graphs, includingPropertiesForKeys: nil) {
      let title = file.lastPathComponent
      guard title == "\(name).symbols.json" || title.hasPrefix("\(name)@") else { continue }
      let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
      symbols += graph.symbols
      relationships += graph.relationships
    }
  }

  /// The lines of the list: symbols and conformances.
  func lines(paths: [String: String]) -> [String] {
    let implied: Set = ["Copyable", "Escapable", "SendableMetatype"]
    let owners = Dictionary(symbols.map { ($0.identifier.precise, $0.owner) }, uniquingKeysWith: { $1 })
    let members = relationships.filter { $0.kind == "memberOf" && paths[$0.target] == nil }
    let extended = Dictionary(
      members.compactMap { member in owners[member.source].map { (member.target, $0) } }, uniquingKeysWith: { $1 })
    var lines = Set(symbols.map(\.line))
    for relationship in relationships where ["conformsTo", "inheritsFrom"].contains(relationship.kind) {
      // Of a type of the system that the module extends, only what this package makes it conform to.
      let own = paths[relationship.source]
      if own == nil && paths[relationship.target] == nil { continue }
      let source = own ?? extended[relationship.source] ?? relationship.source
      let full = paths[relationship.target] ?? relationship.targetFallback ?? relationship.target
      let target = full.split(separator: ".").last.map(String.init) ?? full
      if implied.contains(target) { continue }
      var line = "\(source): conforms to \(target)"
      let constraints = relationship.swiftConstraints ?? []
      if !constraints.isEmpty { line += " [where \(constraints.map(\.text).sorted().joined(separator: ", "))]" }
      lines.insert(line)
    }
    return lines.sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
  }

  /// What is wrong with the documentation comments, each with its symbol. A symbol that fulfils a requirement has the comment
  /// of the requirement.
  func badlyDocumented() -> [(symbol: Symbol, defect: String)] {
    let fulfilling = Set(relationships.lazy.filter { $0.sourceOrigin != nil }.map(\.source))
    return symbols.compactMap { symbol in
      guard let comment = symbol.docComment else {
        return fulfilling.contains(symbol.identifier.precise) ? nil : (symbol, "has no documentation comment")
      }
      let abstract = comment.abstract
      if abstract.isEmpty || abstract.hasPrefix("- ") {
        return (symbol, "has a documentation comment without an abstract")
      }
      if abstract.count > 150 { return (symbol, "has an abstract of \(abstract.count) characters; the limit is 150") }
      return nil
    }
  }

  /// The types of other modules of the package that public declarations of the core name and `Exports.swift` does not
  /// bring, so that a program would have to import their module. `Row`, `Key` and `Schema` stay out of the program's way.
  func notExported() throws -> [String] {
    guard name == "QuarryCore" else { return [] }
    let file = "Sources/\(name)/Exports.swift"
    let exports = try String(contentsOfFile: file, encoding: .utf8)
    let exported = Set(exports.matches(of: /public import (?:[a-z]+ )?([A-Za-z.]+)/).map { String($0.output.1) })
    var missing: Set<String> = []
    for symbol in symbols {
      var previous = ""
      for fragment in symbol.declarationFragments ?? [] {
        defer { previous = fragment.spelling }
        guard let module = fragment.module, module.hasPrefix("Quarry"), module != name, !previous.hasSuffix(".") else {
          continue
        }
        if ["Row", "Key", "Schema"].contains(fragment.spelling) || exported.contains(module) { continue }
        let full = "\(module).\(fragment.spelling)"
        if !exported.contains(full) { missing.insert("\(file): \(symbol.path) names \(full), which is not exported") }
      }
    }
    return missing.sorted()
  }

  /// The names in double backquotes of the module's documentation catalogue, each with its place.
  func named() throws -> [(place: String, name: String)] {
    var named: [(place: String, name: String)] = []
    for root in ["Sources", "ConformanceSuite/Sources"] {
      let folder = "\(root)/\(name)/Documentation.docc"
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for file in files.sorted() where file.hasSuffix(".md") {
        let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
          for match in line.matches(of: /``([^`]+)``/) {
            named.append(("\(folder)/\(file):\(index + 1)", String(match.output.1)))
          }
        }
      }
    }
    return named
  }
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count > 2 else {
  FileHandle.standardError.write(Data("usage: check-api GRAPHS LISTS MODULE[+] ...\n".utf8))
  exit(64)
}
let graphs = URL(fileURLWithPath: arguments[1])
let lists = URL(fileURLWithPath: arguments[2])
let asked = arguments.dropFirst(2)
let modules = try asked.map { try Module(name: $0.trimmingCharacters(in: ["+"]), graphs: graphs) }
var paths: [String: String] = [:]
var known: Set<String> = []
for module in modules {
  known.insert(module.name)
  for symbol in module.symbols {
    paths[symbol.identifier.precise] = symbol.path
    known.insert("\(module.name)/\(symbol.pathComponents.joined(separator: "/"))")
  }
}

var complaints: [String] = []
let root = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).absoluteString
for (name, module) in zip(asked, modules) {
  let text = module.lines(paths: paths).joined(separator: "\n") + "\n"
  try text.write(to: lists.appending(path: "\(module.name).txt"), atomically: true, encoding: .utf8)
  if name.hasSuffix("+") {
    complaints += module.badlyDocumented().map { symbol, defect in
      var place = symbol.location.map { "\($0.uri):\($0.position.line + 1)" } ?? module.name
      if let range = place.range(of: root) { place.removeSubrange(range) }
      return "\(place): \(symbol.path) \(defect)"
    }.sorted()
  }
  complaints += try module.notExported()
  for (place, name) in try module.named() {
    let path = name.replacing(/-[0-9a-z]+$/, with: "")
    if !known.contains(path) && !known.contains("\(module.name)/\(path)") {
      complaints.append("\(place): there is no \(name)")
    }
  }
}
for complaint in complaints { FileHandle.standardError.write(Data("error: \(complaint)\n".utf8)) }
exit(complaints.isEmpty ? 0 : 1)
