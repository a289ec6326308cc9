import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import QuarryMacros

/// The macros as the module Quarry declares them.
let quarryMacros: [String: MacroSpec] = [
  "Model": MacroSpec(type: ModelMacro.self, conformances: ["Model"]),
  "Nested": MacroSpec(type: NestedMacro.self, conformances: ["NestedModel"]),
  "Relationship": MacroSpec(type: RelationshipMacro.self),
  "_QuarryMany": MacroSpec(type: ManyMacro.self), "_QuarryLinks": MacroSpec(type: LinksMacro.self),
  "Attribute": MacroSpec(type: AttributeMacro.self),
  "Transient": MacroSpec(type: TransientMacro.self),
  "Index": MacroSpec(type: IndexMacro.self),
  "Unique": MacroSpec(type: UniqueMacro.self), "PrimaryKey": MacroSpec(type: PrimaryKeyMacro.self),
]

/// Expects a source to expand to another one without a message.
func expectExpansion(
  of source: String, to expanded: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  assertMacroExpansion(
    source, expandedSource: expanded, macroSpecs: quarryMacros, indentationWidth: .spaces(2),
    failureHandler: { Issue.record(Comment(rawValue: $0.message), sourceLocation: sourceLocation) })
}

/// A source after its macros were expanded.
struct Expansion {
  /// A message as tests compare it.
  struct Message: Equatable {
    var kind: ModelMessage.Kind?
    /// Where it points, in bytes from the start of the source.
    var offset: Int
    var isError: Bool
    /// The source after each of its fix-its.
    var fixed: [String]
    /// The words, which are for people and not compared.
    var text: String

    static func == (left: Message, right: Message) -> Bool {
      left.kind == right.kind && left.offset == right.offset && left.isError == right.isError
        && left.fixed == right.fixed
    }
  }

  let text: String
  let messages: [Message]

  /// The text with types in place of their aliases.
  var spelledOut: String {
    var result = text
    for match in text.matches(of: /typealias (\w+) = QuarryCore\.StoredForm<(.+)>\.Value/) {
      result = result.replacing("Columns.\(match.1)", with: match.2).replacing(match.1, with: match.2)
    }
    return result
  }

  /// - Parameter conformances: What the type of an attached macro does not conform to yet.
  init(_ source: String, conformances: [String] = ["Model"]) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    var macros = quarryMacros
    macros["Model"] = MacroSpec(type: ModelMacro.self, conformances: conformances.map { "\(raw: $0)" })
    if conformances.isEmpty { macros["Nested"] = MacroSpec(type: NestedMacro.self, conformances: []) }
    text =
      file.expand(
        macroSpecs: macros,
        contextGenerator: { node in
          BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
        }, indentationWidth: .spaces(2)
      ).description
    messages = context.diagnostics.map { diagnostic in
      Message(
        kind: (diagnostic.diagMessage as? ModelMessage)?.kind,
        offset: context.offset(of: diagnostic.position, in: diagnostic.node),
        isError: diagnostic.diagMessage.severity == .error,
        fixed: diagnostic.fixIts.map { context.apply($0, to: source) }, text: diagnostic.message)
    }
  }
}

extension BasicMacroExpansionContext {
  fileprivate func offset(of position: AbsolutePosition, in node: Syntax) -> Int {
    location(for: position, anchoredAt: node, fileName: "Test.swift").offset
  }

  fileprivate func apply(_ fix: FixIt, to source: String) -> String {
    var bytes = Array(source.utf8)
    for change in fix.changes {
      guard case .replace(let old, let new) = change else { continue }
      let start = offset(of: old.position, in: old)
      bytes.replaceSubrange(start..<start + old.totalLength.utf8Length, with: new.description.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Expects one message and no expansion. A triangle in the source shows where the message points.
func expectError(
  _ kind: ModelMessage.Kind, _ marked: String, fixed: [String] = [], conformances: [String] = ["Model"],
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  let parts = marked.split(separator: "▸", omittingEmptySubsequences: false)
  let expansion = Expansion(parts.joined(), conformances: conformances)
  let expected = Expansion.Message(
    kind: kind, offset: parts[0].utf8.count, isError: true, fixed: fixed, text: "")
  #expect(expansion.messages == [expected], sourceLocation: sourceLocation)
  #expect(!expansion.text.contains("QuarryCore."), sourceLocation: sourceLocation)
}
