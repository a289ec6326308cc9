// The program behind scripts/generate-calls.
import Foundation

/// Where the asynchronous form of a call goes, and how it makes the call.
struct Target {
  /// The type that has the asynchronous form, with its constraint.
  let extended: String
  /// The call that opens a transaction.
  let transaction: String
  /// The value in the transaction that has the synchronous form.
  let receiver: String
}

let targets: [String: Target] = [
  "ReadScope": Target(extended: "ReadableStore", transaction: "read", receiver: "tx"),
  "WriteScope": Target(extended: "Store", transaction: "write", receiver: "tx"),
  "Records": Target(extended: "Records where Scope: ReadableStore", transaction: "scope.read", receiver: "tx.records"),
  "Records where Scope: WriteScope": Target(
    extended: "Records where Scope == Store", transaction: "scope.write", receiver: "tx.records"),
  "Links": Target(extended: "Links", transaction: "store.write", receiver: "self"),
]

/// The names of other modules that declarations of calls have.
let namesOfModules: [(module: String, names: Set<String>)] = [
  ("Foundation", ["Progress"]),
  (
    "QuarryBackend",
    ["StorageError", "QueryPlan", "ModelSchema", "Value", "AggregateRow", "AggregateFunction", "SchemaChange"]
  ),
  ("QuarryQuery", ["QueryTree", "AssignmentTree"]), ("QuarryText", ["SearchQuery"]),
]

struct Failure: Error, CustomStringConvertible {
  let description: String
}

struct Parameter {
  var label: String?
  let name: String
  var type: String
  let defaultValue: String?

  var isPack: Bool { type.hasPrefix("repeat ") }

  /// The type in the asynchronous form: what another thread takes must be sendable, or given away.
  var sendingType: String {
    if type.contains("->") { return "sending @escaping \(type)" }
    if type.hasPrefix("repeat KeyPath<") { return "repeat any \(type.dropFirst("repeat ".count)) & Sendable" }
    if type.hasPrefix("KeyPath<") { return "any \(type) & Sendable" }
    if type.hasPrefix("some Sequence<") { return "sending \(type) & SendableMetatype" }
    return type
  }

  var declaration: String {
    let names = label.map { $0 == name ? name : "\($0) \(name)" } ?? "_ \(name)"
    return "\(names): \(sendingType)" + (defaultValue.map { " = \($0)" } ?? "")
  }

  var argument: String {
    let value = isPack ? "repeat each \(name)" : name
    return label.map { "\($0): \(value)" } ?? value
  }
}

/// The text in parts, divided at a character outside brackets.
func split(_ text: String, at separator: Character) -> [String] {
  var parts: [String] = [""]
  var depth = 0
  var before: Character = " "
  for character in text {
    if "([{<".contains(character) { depth += 1 }
    if ")]}".contains(character) || character == ">" && before != "-" { depth -= 1 }
    before = character
    if character == separator, depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
  }
  return parts.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
}

/// The place behind the bracket that closes the one at the start.
func end(of text: Substring, _ open: Character, _ close: Character) -> Substring.Index {
  var depth = 0
  var before: Character = " "
  for index in text.indices {
    let character = text[index]
    if character == open { depth += 1 }
    if character == close, !(close == ">" && before == "-") {
      depth -= 1
      if depth == 0 { return text.index(after: index) }
    }
    before = character
  }
  return text.endIndex
}

/// A call that is marked.
struct Call {
  var abstract: [String] = []
  var attributes: [String] = []
  var isOneStatement = false
  var name = ""
  var generics = ""
  var parameters: [Parameter] = []
  var result = ""
  var constraint = ""

  /// - Parameter declaration: `public func` and all before the body, in one line.
  init(_ declaration: String, constraint marked: String) throws {
    attributes = ["@_disfavoredOverload", "@discardableResult"].filter(declaration.contains)
    guard let start = declaration.range(of: "public func ") else {
      throw Failure(description: "no public func: \(declaration)")
    }
    var rest = declaration[start.upperBound...]
    name = String(rest.prefix { $0 != "<" && $0 != "(" })
    rest = rest.dropFirst(name.count)
    if rest.first == "<" {
      let end = end(of: rest, "<", ">")
      generics = String(rest[..<end])
      rest = rest[end...]
    }
    let end = end(of: rest, "(", ")")
    for text in split(String(rest[..<end].dropFirst().dropLast()), at: ",") {
      parameters.append(try Self.parameter(text))
    }
    rest = rest[end...]
    if let arrow = rest.range(of: "-> ") {
      var parts = rest[arrow.upperBound...].trimmingCharacters(in: .whitespaces).components(separatedBy: " where ")
      result = parts.removeFirst()
      constraint = parts.joined()
    }
    constraint = [constraint, marked].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static func parameter(_ text: String) throws -> Parameter {
    guard let colon = text.firstIndex(of: ":") else { throw Failure(description: "no parameter: \(text)") }
    let names = text[..<colon].split(separator: " ").map(String.init)
    let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    var type = value
    var defaultValue: String?
    if let equals = value.range(of: " = ") {
      type = String(value[..<equals.lowerBound])
      defaultValue = String(value[equals.upperBound...])
    }
    return Parameter(
      label: names[0] == "_" ? nil : names[0], name: names.last ?? "", type: type, defaultValue: defaultValue)
  }

  func text(_ target: Target) -> String {
    var lines = abstract
    lines += [
      "  ///",
      "  /// The call runs on a thread of its own.",
      "  ///",
      "  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.",
    ]
    lines += attributes.map { "  \($0)" }
    var parameters = parameters
    var arguments = parameters
    for place in parameters.indices where parameters[place].type == "some WriteScope" {
      parameters[place] = Parameter(label: parameters[place].label, name: "store", type: "Store", defaultValue: nil)
      arguments[place] = Parameter(label: parameters[place].label, name: "tx", type: "", defaultValue: nil)
    }
    var signature =
      "  public func \(name)\(generics)(\(parameters.map(\.declaration).joined(separator: ", "))) async throws"
    if !result.isEmpty { signature += " -> \(result)" }
    if !constraint.isEmpty { signature += " where \(constraint)" }
    let isWrite = target.transaction.hasSuffix("write")
    let transaction = target.transaction + (isOneStatement ? "OneCall" : isWrite ? "Call" : "")
    lines += [
      signature + " {",
      "    try await \(transaction) { tx in try \(target.receiver).\(name)(\(arguments.map(\.argument).joined(separator: ", "))) }",
      "  }",
    ]
    return lines.joined(separator: "\n")
  }
}

/// The marked calls of a file, in extensions.
func generated(_ text: String) throws -> String? {
  let lines = text.components(separatedBy: "\n")
  var extended = ""
  var output: [(Target, [String])] = []
  var place = 0
  while place < lines.count {
    let line = lines[place]
    if line.hasPrefix("extension "), line.hasSuffix("{") {
      extended = line.dropFirst("extension ".count).dropLast().trimmingCharacters(in: .whitespaces)
    }
    guard line.hasPrefix("  // calls: async") else {
      place += 1
      continue
    }
    guard let target = targets[extended] else {
      throw Failure(description: "no asynchronous form of a call on \(extended)")
    }
    var comment: [String] = []
    var above = place - 1
    while above >= 0, lines[above].hasPrefix("  ///") {
      comment.insert(lines[above], at: 0)
      above -= 1
    }
    let constraint = line.dropFirst("  // calls: async".count).trimmingCharacters(in: .whitespaces)
    var declaration: [String] = []
    place += 1
    // The body begins in the first line of the declaration that ends outside its parameters with a brace.
    while place < lines.count {
      declaration.append(lines[place].trimmingCharacters(in: .whitespaces))
      let joined = declaration.joined(separator: " ")
      if joined.hasSuffix("{"), joined.filter({ $0 == "(" }).count == joined.filter({ $0 == ")" }).count { break }
      place += 1
    }
    let joined = declaration.joined(separator: " ").replacingOccurrences(of: "( ", with: "(")
      .replacingOccurrences(of: " )", with: ")")
    var call = try Call(
      String(joined.dropLast()), constraint: constraint.replacingOccurrences(of: "where ", with: ""))
    call.abstract = Array(comment.prefix { $0 != "  ///" })
    var body = place + 1
    while body < lines.count, lines[body] != "  }" {
      if lines[body].contains("asOneStatement: true") { call.isOneStatement = true }
      body += 1
    }
    let form = call.text(target)
    if output.last?.0.extended == target.extended {
      output[output.count - 1].1.append(form)
    } else {
      output.append((target, [form]))
    }
  }
  guard !output.isEmpty else { return nil }
  var result = "// Written by scripts/generate-calls. Change the calls that are marked there.\n\n"
  let declarations = output.flatMap(\.1).flatMap { $0.components(separatedBy: "\n") }.filter {
    $0.hasPrefix("  public func")
  }
  // A member such as `(each C).Value` is no name of a module.
  let words = Set(declarations.joined(separator: " ").split { !$0.isLetter && $0 != "." }.map(String.init))
  let imports = namesOfModules.filter { !words.isDisjoint(with: $0.names) }.map { "public import \($0.module)" }
  if !imports.isEmpty { result += imports.joined(separator: "\n") + "\n\n" }
  result += output.map { "extension \($0.0.extended) {\n\($0.1.joined(separator: "\n\n"))\n}\n" }.joined(
    separator: "\n")
  return result
}

func swiftFiles(_ folder: String) -> [String] {
  (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
    .filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
}

/// The public functions of an extension, type or protocol, by the type.
func functions(in folder: String) throws -> [(type: String, declaration: String, isGenerated: Bool)] {
  var found: [(type: String, declaration: String, isGenerated: Bool)] = []
  // What nothing can call is no call: it only has a message.
  for path in swiftFiles(folder) where !path.hasSuffix("+Unavailable.swift") {
    var type = ""
    var isProtocol = false
    for line in try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n") {
      if let match = line.prefixMatch(of: /(public )?(final )?(extension|class|protocol|struct|enum) (\w+)/) {
        type = String(match.4)
        isProtocol = match.3 == "protocol"
      }
      guard
        line.hasPrefix("  public func ") || line.hasPrefix("  public static func ")
          || isProtocol && line.hasPrefix("  func ")
      else { continue }
      found.append((type, line.trimmingCharacters(in: .whitespaces), path.contains("/Calls/")))
    }
  }
  return found
}

/// Prints the number of functions on a store.
///
/// - Returns: Whether those that are written by hand are few enough.
func count(_ folder: String) throws -> Bool {
  let all = try functions(in: folder)
  func number(_ types: Set<String>, generated: Bool = false) -> Int {
    all.count { types.contains($0.type) && $0.isGenerated == generated }
  }
  let own = number(["Store", "ReadableStore"])
  let shared = number(["ReadScope", "WriteScope"])
  let generated = number(["Store", "ReadableStore"], generated: true)
  print("functions of stores alone, written by hand: \(own), of \(most) at most")
  print("calls of scopes, written once for transactions, stores and frozen stores: \(shared), of \(most) at most")
  print("asynchronous forms on stores, generated: \(generated)")
  return own <= most && shared <= most
}

/// The greatest number of functions that are written by hand, on a store and on the scopes.
let most = 60

do {
  let arguments = CommandLine.arguments
  if arguments.count == 3, arguments[1] == "--count" { exit(try count(arguments[2]) ? 0 : 1) }
  guard arguments.count == 3 else { throw Failure(description: "usage: generate-calls SOURCES OUTPUT") }
  let (sources, output) = (arguments[1], arguments[2])
  for path in swiftFiles(sources) where !path.contains("/Calls/") {
    guard let text = try generated(String(contentsOfFile: path, encoding: .utf8)) else { continue }
    let name = URL(fileURLWithPath: path).lastPathComponent
      .replacingOccurrences(of: "ReadScope+", with: "ReadableStore+")
      .replacingOccurrences(of: "WriteScope+", with: "Store+")
    let renamed = name.replacingOccurrences(of: ".swift", with: "+Async.swift")
    try text.write(toFile: "\(output)/\(renamed)", atomically: true, encoding: .utf8)
  }
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(1)
}
