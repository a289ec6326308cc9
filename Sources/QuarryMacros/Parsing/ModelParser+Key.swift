import SwiftSyntax

extension ModelParser {
  /// The greatest number of members of a compound key: `KeyMember.maximumCount` of QuarryBackend.
  static let maximumKeyMembers = 16

  /// The places of the properties that are the primary key: one, or the members of a compound key.
  mutating func findKey(_ declaration: StructDeclSyntax) -> [Int]? {
    let macros = declaration.memberBlock.members.compactMap { $0.decl.as(MacroExpansionDeclSyntax.self) }
      .filter { $0.macroName.text == "PrimaryKey" }
    guard let macro = macros.first else { return findPrimaryKey(declaration).map { [$0] } }
    if macros.count > 1 {
      diagnostics.error(.severalPrimaryKeys, "a model has one primary key, and this is a second one", at: macros[1])
    }
    checkAlone(macro)
    return parseKey(macro)
  }

  /// Checks that nothing else in the struct is the primary key, or has a name of the generated code.
  private mutating func checkAlone(_ macro: MacroExpansionDeclSyntax) {
    if let type = types["Key"] {
      diagnostics.error(
        .reservedMember, "#PrimaryKey generates a type 'Key'; this one needs another name", at: type)
    }
    for property in properties {
      for option in property.options where option.kind == .primaryKey {
        diagnostics.error(
          .severalPrimaryKeys, "a model has one primary key, and #PrimaryKey declares it", at: option.node)
      }
      for option in property.options where option.kind == .generated {
        diagnostics.error(
          .generatedKey, "a compound key cannot be generated: only a key of one property can", at: option.node)
      }
      if property.description.name == ModelDescription.keyName {
        diagnostics.error(
          .reservedName, "'\(ModelDescription.keyName)' is the store's name for the compound key", at: property.node)
      }
    }
  }

  private mutating func parseKey(_ macro: MacroExpansionDeclSyntax) -> [Int]? {
    if let argument = macro.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self),
      !isModel(argument.trimmedDescription)
    {
      diagnostics.error(
        .foreignIndex, "a primary key must be declared in the struct of its model, and this is '\(model)'", at: argument
      )
      return nil
    }
    guard let expression = macro.arguments.first?.expression,
      let index = parseIndex(expression, isUnique: true)
    else { return nil }
    var members: [Int] = []
    for column in index.columns {
      guard let place = properties.firstIndex(where: { $0.description.name == column.property }) else { return nil }
      if column.isReverse {
        diagnostics.error(.notLiteral, "a member of the primary key has no direction", at: expression)
      }
      if properties[place].description.type.isOptional {
        diagnostics.error(
          .optionalPrimaryKey,
          "'\(column.property)' is in the primary key and cannot be optional: every object has one",
          at: properties[place].typeNode)
      }
      members.append(place)
    }
    guard members.count > 1 else {
      diagnostics.error(
        .compoundKey, "a key of one property is marked there, with @Attribute(.primaryKey)", at: expression)
      return nil
    }
    guard members.count <= Self.maximumKeyMembers else {
      diagnostics.error(
        .compoundKey, "a primary key has at most \(Self.maximumKeyMembers) properties, and these are \(members.count)",
        at: expression)
      return nil
    }
    return members
  }
}
