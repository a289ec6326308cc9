import SwiftSyntax

/// What `@Model` says of sync, and the rules of `@Merge`.
extension ModelParser {
  /// Whether `synced: true` is among the arguments of the attribute.
  mutating func isSynced(_ attribute: AttributeSyntax) -> Bool {
    guard let argument = attribute.labeledArguments.first(where: { $0.label?.text == "synced" }) else { return false }
    guard let literal = argument.expression.as(BooleanLiteralExprSyntax.self) else {
      diagnostics.error(
        .notLiteral, "write true or false, because the macro sees only the source", at: argument.expression)
      return false
    }
    return literal.literal.tokenKind == .keyword(.true)
  }

  /// Checks a key that two stores may give to two objects. A store checks what the source does not show.
  mutating func checkSyncedKey(_ key: [Int]) {
    for property in key.map({ properties[$0] }) {
      let type = property.description.type
      guard type.isBuiltIn else { continue }
      let name = type.leaf.split(separator: ".").last.map(String.init) ?? type.leaf
      if let option = property.options.first(where: { $0.kind == .generated }), name != "UUID" {
        diagnostics.error(
          .syncedKey, "keys from the sequences of two stores collide: use a UUID as the key of a synced model",
          at: option.node)
      } else if ["Float", "Double"].contains(name) {
        diagnostics.error(.syncedKey, "a synced model cannot have a floating-point key", at: property.typeNode)
      }
    }
  }

  /// Checks that the rules of properties fit their types and places.
  mutating func checkMerges(key: [Int], _ indexes: [IndexDescription]) {
    let unique = Set(indexes.filter(\.isUnique).flatMap { $0.columns.map(\.property) })
    var groups: [String: [Syntax]] = [:]
    for (place, property) in properties.enumerated() {
      guard let merge = property.merge else { continue }
      let name = property.description.name
      if case .row(let group) = merge.rule { groups[group, default: []].append(merge.node) }
      if key.contains(place) {
        diagnostics.error(.mergeRule, "'\(name)' is in the primary key, which is never written again", at: merge.node)
      } else if !merge.isPlain, property.description.type.baseName == "Ref" {
        diagnostics.error(
          .mergeRule, "a reference is merged as a whole: only '.lww' and '.row(…)' fit it", at: merge.node)
      } else if !merge.isPlain, unique.contains(name) || property.options.contains(where: { $0.kind == .unique }) {
        diagnostics.error(
          .mergeRule, "'\(name)' is unique, so a merge cannot compute its value: only '.lww' and '.row(…)' fit it",
          at: merge.node)
      } else {
        check(merge, of: property.description)
      }
    }
    for (group, nodes) in groups.sorted(by: { $0.key < $1.key }) where nodes.count == 1 {
      diagnostics.error(.mergeRule, "no other property is in the group '\(group)'", at: nodes[0])
    }
  }

  private mutating func check(_ merge: ParsedMerge, of property: PropertyDescription) {
    let type = property.type
    let value = property.defaultValue
    switch merge.rule {
    case .counter:
      let isInteger = ["Int", "Int64", "Swift.Int", "Swift.Int64"].contains(type.leaf)
      if type.isArray || type.isOptional || type.isBuiltIn && !isInteger {
        diagnostics.error(
          .mergeRule, "a counter is an 'Int' or 'Int64' that is not optional, and this is '\(type.text)'",
          at: merge.node)
      } else if let value, value != "0" {
        diagnostics.error(
          .mergeRule, "a counter begins with 0 in its declaration; pass another first value to the init",
          at: merge.node)
      }
    case .set:
      let isFloat = ["Float", "Double", "Swift.Float", "Swift.Double"].contains(type.leaf)
      if !type.isArray || type.isOptional || isFloat {
        diagnostics.error(
          .mergeRule,
          "the rule '.set' is for an array that is not optional, of elements without floating point; "
            + "this is '\(type.text)'", at: merge.node)
      } else if let value, value != "[]" {
        diagnostics.error(
          .mergeRule, "a set begins empty in its declaration; pass other first elements to the init", at: merge.node)
      }
    case .max, .min:
      if type.isArray {
        diagnostics.error(.mergeRule, "an array has no order, so none is the greatest or least", at: merge.node)
      } else if merge.rule == .min, type.isOptional {
        diagnostics.error(
          .mergeRule, "nil is less than every value, so '.min' needs a property that is not optional", at: merge.node)
      }
    case .lww, .row: break
    }
  }
}
