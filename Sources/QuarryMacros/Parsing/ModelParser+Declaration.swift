import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The errors of a declaration that are found before its members are read.
extension ModelParser {
  mutating func checkKind(_ declaration: some DeclGroupSyntax) -> StructDeclSyntax? {
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

  mutating func checkDeclaration(_ declaration: StructDeclSyntax, in context: some MacroExpansionContext) {
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
    // A private declaration at the top level is private to the file.
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
