import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Reads a struct that `@Model` or `@Nested` is attached to.
struct ModelParser {
  /// The kind of type that the struct becomes.
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
  /// The place of a node.
  private(set) var locate: (Syntax) -> SourcePlace? = { _ in nil }
  /// Names of types declared in the struct as private, which only private columns may have.
  var privateTypes: Set<String> = []
  /// The types that the struct declares, by name.
  var types: [String: Syntax] = [:]
  var properties: [ParsedProperty] = []
  /// The other sides of references to the model.
  var relations: [RelationDescription] = []
  /// Properties that are in the struct and not in the store, with the reason why.
  var unstored: [String: String] = [:]
  /// Computed properties named `id`, for a better message.
  var computedID: Syntax?

  init(_ kind: Kind) {
    self.kind = kind
  }

  /// The description of the struct, or nil if it has errors.
  mutating func parse(
    _ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, in context: some MacroExpansionContext
  ) -> ModelDescription? {
    guard let declaration = parseMembers(declaration, in: context) else { return nil }
    let storedName = storedName(declaration, attribute)
    let originalName = originalName(storedName, attribute)
    let syncName = syncName(attribute)
    let initAccess = initAccess(attribute)
    let isSynced = isSynced(attribute)
    checkNames()
    checkSyncNames()
    let key = findKey(declaration)
    let indexes = parseIndexes(declaration.memberBlock.members, primaryKey: key?.count == 1 ? key?[0] : nil)
    checkMerges(key: key ?? [], indexes)
    if isSynced, let key { checkSyncedKey(key) }
    guard !diagnostics.hasErrors, let key else { return nil }
    return ModelDescription(
      typeName: model, storedName: storedName, originalName: originalName, syncName: syncName, access: access,
      initAccess: initAccess,
      properties: properties.map(\.description), keyMembers: key,
      generatesKey: key.contains { properties[$0].options.contains { $0.kind == .generated } }, isSynced: isSynced,
      indexes: indexes, relations: relations)
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
    if isType { types[named.name.text] = Syntax(named.name) }
    if let keys = declaration.as(EnumDeclSyntax.self), keys.name.text == "CodingKeys" {
      let cases = keys.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
      codingKeys = Set(cases.flatMap(\.elements).map { $0.name.identifier?.name ?? $0.name.text })
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
