import SwiftDiagnostics
import SwiftSyntax

/// A message of a macro about source that it cannot or should not expand.
struct ModelMessage: DiagnosticMessage, Error {
  /// The kinds of message, for tests and tools.
  enum Kind: String {
    // The struct.
    case needsStruct, generic, local, privateNested, noncopyable, conformanceWritten, reservedMember, modelName
    // Properties.
    case conditionalMember, tuplePattern, lazyProperty, weakProperty, propertyWrapper, letWithValue
    case missingType, unsupportedType, nestedOptional, transientWithoutValue
    // Relations.
    case relationType, relationInverse, relationForm, relationList, nestedRelation, deleteRule
    case reservedName, longName, emptyName, nameClash
    // Nested types.
    case codingKeys, modelAndNested
    // The primary key.
    case missingPrimaryKey, computedPrimaryKey, transientPrimaryKey, severalPrimaryKeys, optionalPrimaryKey
    case generatedKey, compoundKey
    // Options and indexes.
    case notLiteral, unknownOption, misplaced, transientAttribute, originalName, syncName, emptyIndex, nestedIndexColumn
    case mergeRule, syncedKey
    case unknownIndexColumn, repeatedIndexColumn, unorderedIndexColumn, foreignIndex, redundantIndex
  }

  let kind: Kind
  let message: String
  var severity: DiagnosticSeverity = .error

  var diagnosticID: MessageID { Self.id(kind) }

  static func id(_ kind: Kind) -> MessageID {
    MessageID(domain: "QuarryMacros", id: kind.rawValue)
  }
}

/// The description of a fix-it.
struct ModelFix: FixItMessage {
  let kind: ModelMessage.Kind
  let message: String

  var fixItID: MessageID { ModelMessage.id(kind) }
}

extension FixIt {
  /// A fix-it that replaces a node.
  init(_ kind: ModelMessage.Kind, _ message: String, replacing old: some SyntaxProtocol, with new: some SyntaxProtocol)
  {
    self.init(
      message: ModelFix(kind: kind, message: message),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }
}

/// The messages of one expansion.
struct Diagnostics {
  private(set) var all: [Diagnostic] = []
  private(set) var hasErrors = false

  mutating func error(
    _ kind: ModelMessage.Kind, _ message: String, at node: some SyntaxProtocol, fixIts: [FixIt] = []
  ) {
    hasErrors = true
    all.append(Diagnostic(node: node, message: ModelMessage(kind: kind, message: message), fixIts: fixIts))
  }

  mutating func warning(_ kind: ModelMessage.Kind, _ message: String, at node: some SyntaxProtocol) {
    all.append(
      Diagnostic(node: node, message: ModelMessage(kind: kind, message: message, severity: .warning)))
  }
}
