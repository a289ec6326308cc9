import SwiftSyntax

extension ModelParser {
  /// The place of the primary key among the properties.
  mutating func findPrimaryKey(_ declaration: StructDeclSyntax) -> Int? {
    var found: Int?
    for (place, property) in properties.enumerated() {
      for option in property.options where option.kind == .primaryKey {
        if let found {
          diagnostics.error(
            .severalPrimaryKeys,
            "a model has one primary key, and '\(properties[found].description.name)' is already marked",
            at: option.node)
        } else {
          found = place
        }
      }
    }
    found = found ?? properties.firstIndex { $0.description.name == "id" }
    checkGenerated(found)
    guard let found else {
      missingPrimaryKey(declaration)
      return nil
    }
    let key = properties[found]
    if key.description.type.isOptional {
      diagnostics.error(
        .optionalPrimaryKey, "the primary key '\(key.description.name)' cannot be optional: every object has one",
        at: key.typeNode)
    }
    checkOrder(of: key, "the primary key", at: key.typeNode)
    return found
  }

  /// Checks the properties that are to be generated.
  private mutating func checkGenerated(_ key: Int?) {
    for (place, property) in properties.enumerated() {
      guard let option = property.options.first(where: { $0.kind == .generated }) else { continue }
      let (name, type) = (property.description.name, property.description.type)
      if place != key {
        diagnostics.error(
          .generatedKey, "'\(name)' is not the primary key, and only a primary key can be generated", at: option.node)
      } else if type.isArray || type.isBuiltIn && !type.canBeGenerated {
        diagnostics.error(
          .generatedKey, "a key of the type '\(type.text)' cannot be generated; only an integer or a UUID can",
          at: property.typeNode)
      }
    }
  }

  private mutating func missingPrimaryKey(_ declaration: StructDeclSyntax) {
    // A property with an error of its own may have been the key.
    if diagnostics.hasErrors { return }
    if let computedID {
      diagnostics.error(
        .computedPrimaryKey,
        "'id' is computed, so it cannot be the primary key; mark a stored property with @Attribute(.primaryKey)",
        at: computedID)
    } else if unstored["id"] != nil {
      diagnostics.error(
        .transientPrimaryKey,
        "'id' is @Transient, so it cannot be the primary key; "
          + "mark a stored property with @Attribute(.primaryKey)",
        at: declaration.name)
    } else {
      diagnostics.error(
        .missingPrimaryKey,
        "'\(declaration.name.text)' has no primary key: "
          + "name a property 'id', or mark one with @Attribute(.primaryKey)",
        at: declaration.name)
    }
  }

  private mutating func checkOrder(of property: ParsedProperty, _ what: String, at node: Syntax) {
    if property.description.type.isArray {
      diagnostics.error(
        .unorderedIndexColumn, "\(what) cannot be an array, which has no order", at: node)
    }
  }

  /// The indexes of the properties' options, in their order, followed by the indexes of `#Index` and `#Unique`.
  mutating func parseIndexes(_ members: MemberBlockItemListSyntax, primaryKey: Int?) -> [IndexDescription] {
    var found: [(index: IndexDescription, node: Syntax)] = []
    for property in properties {
      let options = property.options.filter { $0.kind == .unique || $0.kind == .indexed }
      // Unique properties are indexed.
      guard let option = options.first(where: { $0.kind == .unique }) ?? options.first else { continue }
      checkOrder(of: property, "a property with an index", at: property.typeNode)
      let column = IndexDescription.Column(property: property.description.name)
      found.append((IndexDescription(columns: [column], isUnique: option.kind == .unique), option.node))
    }
    for member in members {
      guard let macro = member.decl.as(MacroExpansionDeclSyntax.self), macro.isIndex else { continue }
      if let argument = macro.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self),
        !isModel(argument.trimmedDescription)
      {
        diagnostics.error(
          .foreignIndex, "an index must be declared in the struct of its model, and this is '\(model)'", at: argument)
        continue
      }
      for argument in macro.arguments {
        if let index = parseIndex(argument.expression, isUnique: macro.macroName.text == "Unique") {
          found.append((index, Syntax(argument.expression)))
        }
      }
    }
    return distinct(found, primaryKey: primaryKey.map { properties[$0].description.name })
  }

  func isModel(_ text: String) -> Bool {
    text == "Self" || text == model || text.hasSuffix("." + model)
  }

  mutating func parseIndex(_ expression: ExprSyntax, isUnique: Bool) -> IndexDescription? {
    guard let list = expression.as(ArrayExprSyntax.self) else {
      diagnostics.error(
        .notLiteral, "the properties must be written as a list, because the macro sees only the source", at: expression)
      return nil
    }
    var columns: [IndexDescription.Column] = []
    for element in list.elements {
      guard let column = parseColumn(element.expression, isUnique) else { return nil }
      guard !columns.contains(where: { $0.property == column.property }) else {
        diagnostics.error(.repeatedIndexColumn, "'\(column.property)' is in the list twice", at: element.expression)
        return nil
      }
      columns.append(column)
    }
    guard !columns.isEmpty else {
      diagnostics.error(.emptyIndex, "the list needs at least one property", at: expression)
      return nil
    }
    return IndexDescription(columns: columns, isUnique: isUnique)
  }

  private mutating func parseColumn(_ expression: ExprSyntax, _ isUnique: Bool) -> IndexDescription.Column? {
    var isReverse = false
    var path = expression.as(KeyPathExprSyntax.self)
    if let call = expression.as(FunctionCallExprSyntax.self),
      let direction = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text,
      ["forward", "reverse"].contains(direction), call.arguments.count == 1
    {
      isReverse = direction == "reverse"
      path = call.arguments.first?.expression.as(KeyPathExprSyntax.self)
    }
    guard let path else {
      diagnostics.error(
        .notLiteral, "write a column as a key path, '\\.name', because the macro sees only the source",
        at: expression)
      return nil
    }
    guard path.components.count == 1,
      let component = path.components.first?.component.as(KeyPathPropertyComponentSyntax.self)
    else {
      diagnostics.error(
        .nestedIndexColumn, "a column must be a property of the model itself, not of one of its values", at: path)
      return nil
    }
    let name = component.declName.baseName.identifier?.name ?? component.declName.baseName.text
    guard let property = properties.first(where: { $0.description.name == name }) else {
      // A property with an error of its own is not among them.
      if let reason = unstored[name] {
        diagnostics.error(.unknownIndexColumn, "'\(name)' \(reason), so it cannot be in an index", at: path)
      } else if !diagnostics.hasErrors {
        diagnostics.error(.unknownIndexColumn, "'\(model)' has no stored property '\(name)'", at: path)
      }
      return nil
    }
    checkOrder(of: property, "a property with an index", at: Syntax(path))
    return IndexDescription.Column(property: name, isReverse: isReverse)
  }

  /// The indexes without the ones that another makes superfluous, each with a name of its own.
  private mutating func distinct(
    _ found: [(index: IndexDescription, node: Syntax)], primaryKey: String?
  ) -> [IndexDescription] {
    var kept: [IndexDescription] = []
    for (place, (index, node)) in found.enumerated() {
      if index.columns.count == 1, index.columns[0].property == primaryKey {
        diagnostics.warning(.redundantIndex, "the primary key is already unique and indexed", at: node)
        continue
      }
      let same = found.indices.filter { $0 != place && found[$0].index.columns == index.columns }
      let better = same.contains { other in
        found[other].index.isUnique && !index.isUnique
          || found[other].index.isUnique == index.isUnique && other < place
      }
      if better {
        diagnostics.warning(.redundantIndex, "this index is already declared", at: node)
        continue
      }
      kept.append(index)
    }
    var names: Set<[UInt8]> = []
    for place in kept.indices {
      kept[place].name = kept[place].nameIfNeeded(taken: names)
      names.insert((kept[place].name ?? kept[place].defaultName).asciiFolded)
    }
    return kept
  }
}

extension IndexDescription {
  /// The name that a definition gives an index without one.
  fileprivate var defaultName: String { columns.map(\.property).joined(separator: "_") }

  /// A name where the default one hides a direction, is taken, or is too long.
  fileprivate func nameIfNeeded(taken: Set<[UInt8]>) -> String? {
    let limit = ModelParser.maximumNameBytes
    let base = columns.map { $0.isReverse ? $0.property + "_desc" : $0.property }.joined(separator: "_")
    var name = base
    var number = 1
    while name.utf8.count > limit || taken.contains(name.asciiFolded) {
      let suffix = number == 1 && base.utf8.count > limit ? "_" + base.shortHash : "_\(number + 1)"
      var head = base
      while head.utf8.count + suffix.utf8.count > limit { head.unicodeScalars.removeLast() }
      name = head + suffix
      number += 1
    }
    return name == defaultName ? nil : name
  }
}

extension String {
  /// Eight hexadecimal digits that are the same in every run (FNV-1a).
  fileprivate var shortHash: String {
    var hash: UInt32 = 0x811C_9DC5
    for byte in utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension MacroExpansionDeclSyntax {
  /// Whether it is `#Index` or `#Unique`.
  var isIndex: Bool { ["Index", "Unique"].contains(macroName.text) }

  /// Whether `@Model` reads it.
  var isOfModel: Bool { isIndex || macroName.text == "PrimaryKey" }
}
