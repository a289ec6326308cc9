import SwiftSyntax

/// The names that the store has.
extension ModelParser {
  mutating func storedName(_ declaration: StructDeclSyntax, _ attribute: AttributeSyntax) -> String {
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

  mutating func originalName(_ storedName: String, _ attribute: AttributeSyntax) -> String? {
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

  /// The access level of the init that `init: .public` asks for, with a space after it; nil where none is.
  mutating func initAccess(_ attribute: AttributeSyntax) -> String? {
    guard let argument = attribute.labeledArguments.first(where: { $0.label?.text == "init" }),
      !argument.expression.is(NilLiteralExprSyntax.self)
    else { return nil }
    let name = argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    guard let name, ["public", "package", "internal"].contains(name) else {
      diagnostics.error(
        .notLiteral, "write .public, .package or .internal, because the macro sees only the source",
        at: argument.expression)
      return nil
    }
    return name == "internal" ? "" : name + " "
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

  mutating func checkNames() {
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
      // A name that only the case of its letters has changed is the property's own.
      if let other = seen[original.asciiFolded], other != property.description.name || other == original {
        diagnostics.error(
          .originalName, "'\(original)' is the name of a property that the model has now", at: node)
      }
    }
  }
}

extension String {
  /// The bytes with A to Z as a to z, by which the store compares names.
  var asciiFolded: [UInt8] {
    utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
  }
}
