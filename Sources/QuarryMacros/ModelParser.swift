import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Reads a struct that `@Model` or `@Nested` is attached to.
struct ModelParser {
  /// What the struct is to become.
  enum Kind {
    case model, nested
  }

  let kind: Kind
  var diagnostics = Diagnostics()
  /// The struct's name.
  private(set) var model = ""
  /// The access level of the struct with a space after it, or nothing.
  private(set) var access = ""
  /// The names of the cases of `CodingKeys`, where the struct has them.
  var codingKeys: Set<String>?
  /// Where a node stands.
  private(set) var locate: (Syntax) -> SourcePlace? = { _ in nil }
  /// Names of types declared in the struct as private, which only private columns may have.
  var privateTypes: Set<String> = []
  var properties: [ParsedProperty] = []
  /// Properties that are in the struct and not in the store, with the reason why.
  var unstored: [String: String] = [:]
  /// Computed properties named `id`, for a better message.
  var computedID: Syntax?

  init(_ kind: Kind) {
    self.kind = kind
  }

  /// What the struct says, or nil if it has errors.
  mutating func parse(
    _ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, in context: some MacroExpansionContext
  ) -> ModelDescription? {
    guard let declaration = parseMembers(declaration, in: context) else { return nil }
    let storedName = storedName(declaration, attribute)
    let originalName = originalName(storedName, attribute)
    checkNames()
    let primaryKey = findPrimaryKey(declaration)
    let indexes = parseIndexes(declaration.memberBlock.members, primaryKey: primaryKey)
    guard !diagnostics.hasErrors, let primaryKey else { return nil }
    return ModelDescription(
      typeName: model, storedName: storedName, originalName: originalName, access: access,
      properties: properties.map(\.description), primaryKey: primaryKey, indexes: indexes)
  }

  /// Reads what models and nested types have alike.
  mutating func parseMembers(
    _ declaration: some DeclGroupSyntax, in context: some MacroExpansionContext
  ) -> StructDeclSyntax? {
    guard let declaration = checkKind(declaration) else { return nil }
    model = declaration.name.text
    access = Self.access(of: declaration, in: context)
    locate = { node in
      context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath).map {
        SourcePlace(file: $0.file.description, line: $0.line.description)
      }
    }
    checkDeclaration(declaration, in: context)
    for member in declaration.memberBlock.members { collectType(member.decl) }
    for member in declaration.memberBlock.members { parse(member: member.decl) }
    return declaration
  }

  private mutating func checkKind(_ declaration: some DeclGroupSyntax) -> StructDeclSyntax? {
    if let found = declaration.as(StructDeclSyntax.self) { return found }
    var fixIts: [FixIt] = []
    if let found = declaration.as(ClassDeclSyntax.self) {
      fixIts.append(
        FixIt(
          .needsStruct, "make it a struct", replacing: found.classKeyword,
          with: found.classKeyword.with(\.tokenKind, .keyword(.struct))))
    }
    let keyword = declaration.introducer.text
    diagnostics.error(
      .needsStruct,
      "\(kind.attribute) is for structs, because \(kind.copied); "
        + "this is \("aeiou".contains(keyword.prefix(1)) ? "an" : "a") \(keyword)",
      at: declaration.introducer, fixIts: fixIts)
    return nil
  }

  private mutating func checkDeclaration(_ declaration: StructDeclSyntax, in context: some MacroExpansionContext) {
    if let clause = declaration.genericParameterClause {
      diagnostics.error(.generic, "\(kind.noun) cannot be generic: \(kind.unique)", at: clause)
    } else if context.lexicalContext.contains(where: \.isGeneric) {
      diagnostics.error(
        .generic, "\(kind.noun) cannot be inside a generic type: \(kind.unique)", at: declaration.name)
    }
    if context.lexicalContext.contains(where: \.isCode) {
      diagnostics.error(
        .local, "\(kind.noun) cannot be declared inside a function: its conformance needs an extension",
        at: declaration.name)
    }
    checkReach(declaration, in: context)
    let inherited = declaration.inheritanceClause?.inheritedTypes ?? []
    for type in inherited {
      if type.type.names(kind.conformance) {
        diagnostics.error(
          .conformanceWritten, "\(kind.attribute) writes the conformance to \(kind.conformance) itself", at: type,
          fixIts: [.removeConformance(type, from: declaration)])
      } else if type.type.is(SuppressedTypeSyntax.self) {
        diagnostics.error(
          .noncopyable, "\(kind.noun) is copied in and out of the store, so it must be copyable", at: type)
      }
    }
  }

  /// Checks that an extension at the file's top level, which the macro writes, sees the struct.
  private mutating func checkReach(_ declaration: StructDeclSyntax, in context: some MacroExpansionContext) {
    let outer = context.lexicalContext.filter { $0.isProtocol((any DeclGroupSyntax).self) }
    // What is private at the top level is private to the file.
    for type in ([Syntax(declaration)] + outer).dropLast() {
      let modifiers = type.asProtocol((any WithModifiersSyntax).self)?.modifiers ?? []
      guard let modifier = modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }) else { continue }
      let isOwn = type == Syntax(declaration)
      let message =
        "\(kind.noun) inside a type cannot be private, because its conformance is in an extension outside"
      diagnostics.error(
        .privateNested,
        isOwn
          ? message
          : "\(kind.noun) cannot be inside a private type inside another type, "
            + "because its conformance is in an extension outside",
        at: isOwn ? Syntax(modifier) : Syntax(declaration.name),
        fixIts: isOwn
          ? [
            FixIt(
              .privateNested, "make it fileprivate", replacing: modifier.name,
              with: modifier.name.with(\.tokenKind, .keyword(.fileprivate)))
          ] : [])
      return
    }
  }

  private mutating func storedName(_ declaration: StructDeclSyntax, _ attribute: AttributeSyntax) -> String {
    guard let argument = attribute.labeledArguments.first(where: { $0.label?.text == "name" }),
      !argument.expression.is(NilLiteralExprSyntax.self)
    else {
      let name = declaration.name.identifier?.name ?? model
      check(name: name, of: "model", at: declaration.name)
      return name
    }
    guard let name = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
      diagnostics.error(
        .notLiteral, "the name must be a string literal, because the macro sees only the source",
        at: argument.expression)
      return ""
    }
    check(name: name, of: "model", at: argument.expression)
    return name
  }

  private mutating func originalName(_ storedName: String, _ attribute: AttributeSyntax) -> String? {
    guard let argument = attribute.labeledArguments.first(where: { $0.label?.text == "originalName" }),
      !argument.expression.is(NilLiteralExprSyntax.self)
    else { return nil }
    guard let name = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue, !name.isEmpty else {
      diagnostics.error(
        .notLiteral, "the original name must be a string literal and not empty, because the macro sees only the source",
        at: argument.expression)
      return nil
    }
    if name.utf8.elementsEqual(storedName.utf8) {
      diagnostics.error(.originalName, "'\(name)' is the name that the model has now", at: argument.expression)
    }
    return name
  }

  private mutating func collectType(_ declaration: DeclSyntax) {
    guard let named = declaration.asProtocol((any NamedDeclSyntax).self),
      let modified = declaration.asProtocol((any WithModifiersSyntax).self)
    else { return }
    let isType =
      declaration.isProtocol((any DeclGroupSyntax).self) || declaration.is(TypeAliasDeclSyntax.self)
    if isType, modified.modifiers.contains(where: { $0.name.tokenKind == .keyword(.private) }) {
      privateTypes.insert(named.name.text)
    }
    if isType, named.name.text == "Columns" {
      diagnostics.error(
        .reservedMember, "\(kind.attribute) generates a type 'Columns'; this one needs another name", at: named.name)
    }
    if let keys = declaration.as(EnumDeclSyntax.self), keys.name.text == "CodingKeys" {
      let cases = keys.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
      codingKeys = Set(cases.flatMap(\.elements).map { $0.name.identifier?.name ?? $0.name.text })
    }
  }

  /// Checks a name by the rules of the store, which every engine can keep.
  mutating func check(name: String, of kind: String, at node: some SyntaxProtocol) {
    let folded = name.asciiFolded
    if name.isEmpty || name.utf8.contains(0) {
      diagnostics.error(.emptyName, "the name of a \(kind) cannot be empty or have a NUL in it", at: node)
    }
    if let prefix = ["_quarry", "sqlite_"].first(where: { folded.starts(with: $0.utf8) }) {
      diagnostics.error(.reservedName, "names that begin with '\(prefix)' are reserved", at: node)
    }
    if name.utf8.count > Self.maximumNameBytes {
      diagnostics.error(
        .longName,
        "the name of a \(kind) has at most \(Self.maximumNameBytes) UTF-8 bytes; this one has \(name.utf8.count)",
        at: node)
    }
  }

  static let maximumNameBytes = 63

  private mutating func checkNames() {
    var seen: [[UInt8]: String] = [:]
    for property in properties {
      let name = property.description.name
      check(name: name, of: "property", at: property.node)
      if let other = seen[name.asciiFolded], other != name {
        diagnostics.error(
          .nameClash, "'\(name)' and '\(other)' differ only in case, and the store has one name for both",
          at: property.node)
      }
      seen[name.asciiFolded] = name
    }
    for property in properties {
      guard let original = property.description.originalName, let node = property.originalNameNode else { continue }
      if seen[original.asciiFolded] != nil {
        diagnostics.error(
          .originalName, "'\(original)' is the name of a property that the model has now", at: node)
      }
    }
  }
}

extension ModelParser {
  private static func access(of declaration: StructDeclSyntax, in context: some MacroExpansionContext) -> String {
    var written = declaration.modifiers.access
    if written == nil, let parent = context.lexicalContext.first?.as(ExtensionDeclSyntax.self) {
      // `public extension Library { @Model struct Book {…} }` makes the struct public.
      written = parent.modifiers.access
    }
    switch written {
    case .public, .open: return "public "
    case .package: return "package "
    // Members of a private type are visible as far as the type is.
    default: return ""
    }
  }
}

extension DeclModifierListSyntax {
  /// The access level of the setter where it has one of its own.
  var setterAccess: Keyword? {
    for modifier in self where modifier.detail?.detail.text == "set" {
      if case .keyword(let keyword) = modifier.name.tokenKind { return keyword }
    }
    return nil
  }

  /// The access level, not that of a setter.
  var access: Keyword? {
    for modifier in self where modifier.detail == nil {
      if case .keyword(let keyword) = modifier.name.tokenKind,
        [.public, .open, .package, .internal, .fileprivate, .private].contains(keyword)
      {
        return keyword
      }
    }
    return nil
  }

  func contains(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}

extension Syntax {
  fileprivate var isGeneric: Bool {
    asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
      && isProtocol((any DeclGroupSyntax).self)
  }

  /// Whether declarations inside it are local.
  fileprivate var isCode: Bool {
    self.is(FunctionDeclSyntax.self) || self.is(InitializerDeclSyntax.self) || self.is(DeinitializerDeclSyntax.self)
      || self.is(AccessorDeclSyntax.self) || self.is(ClosureExprSyntax.self) || self.is(SubscriptDeclSyntax.self)
      || self.is(PatternBindingSyntax.self)
  }
}

extension TypeSyntax {
  /// Whether it is that protocol of Quarry, with its module or without.
  fileprivate func names(_ conformance: String) -> Bool {
    ["", "Quarry.", "QuarryCore."].contains { trimmedDescription == $0 + conformance }
  }
}

extension ModelParser.Kind {
  /// The attribute of the struct.
  var attribute: String {
    switch self {
    case .model: "@Model"
    case .nested: "@Nested"
    }
  }

  /// What the struct is called in a sentence.
  var noun: String {
    switch self {
    case .model: "a model"
    case .nested: "a nested type"
    }
  }

  /// The protocol that it gets.
  fileprivate var conformance: String {
    switch self {
    case .model: "Model"
    case .nested: "NestedModel"
    }
  }

  /// The names of the properties that it gets, beside the type `Columns`.
  var generatedMembers: Set<String> {
    switch self {
    case .model: ["modelDefinition", "primaryKeyValue", "Columns"]
    case .nested: ["nestedDefinition", "Columns"]
    }
  }

  fileprivate var copied: String {
    switch self {
    case .model: "an object is a value that is copied in and out of the store"
    case .nested: "a nested value is copied in and out of the store with its object"
    }
  }

  fileprivate var unique: String {
    switch self {
    case .model: "the store has one table for it"
    case .nested: "there is one list of its members"
    }
  }
}

extension FixIt {
  fileprivate static func removeConformance(_ type: InheritedTypeSyntax, from declaration: StructDeclSyntax) -> FixIt {
    let message = "remove ': \(type.type.trimmedDescription)'"
    guard let clause = declaration.inheritanceClause, clause.inheritedTypes.count > 1 else {
      return FixIt(
        .conformanceWritten, message, replacing: declaration,
        with: declaration.with(\.inheritanceClause, nil)
          .with(\.name, declaration.name.with(\.trailingTrivia, .space)))
    }
    var rest = clause.inheritedTypes.filter { $0.id != type.id }
    if let last = rest.indices.last {
      rest[last] = rest[last].with(\.trailingComma, nil).with(\.trailingTrivia, .space)
    }
    return FixIt(.conformanceWritten, message, replacing: clause.inheritedTypes, with: rest)
  }
}

extension AttributeSyntax {
  /// The name without its module.
  var shortName: String {
    attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.as(IdentifierTypeSyntax.self)?.name.text
      ?? attributeName.trimmedDescription
  }

  var labeledArguments: [LabeledExprSyntax] {
    guard case .argumentList(let list) = arguments else { return [] }
    return Array(list)
  }
}

extension String {
  /// The bytes with A to Z as a to z, by which the store compares names.
  var asciiFolded: [UInt8] {
    utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
  }
}
