import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelParser {
  /// Reads a property that is a list of other objects, and reports a property that cannot be a relation.
  ///
  /// - Returns: Whether the property is completely handled: it is not stored.
  mutating func parseRelation(
    _ binding: PatternBindingSyntax, _ token: TokenSyntax, _ attributes: ParsedAttributes,
    of variable: VariableDeclSyntax
  ) -> Bool {
    guard let written = annotation(of: binding, in: variable)?.type else {
      guard let relationship = attributes.relationship else { return false }
      relationType(relationship, nil)
      return true
    }
    let (type, isOptional) = written.wrapped
    let relation = RelationType(type)
    guard relation != nil || attributes.relationship != nil else { return false }
    guard kind == .model else {
      diagnostics.error(
        .nestedRelation,
        "a relation must be a property of a model: the store does not search nested values for references",
        at: attributes.relationship.map { Syntax($0.node) } ?? Syntax(written))
      return true
    }
    switch relation {
    case .many(let object):
      parseMany(of: object, written, isOptional, binding, token, attributes, of: variable)
      return true
    case .links(let target):
      parseLinks(to: target, written, isOptional, binding, token, attributes, of: variable)
      return true
    case .references(let target):
      list(of: target, written)
      return true
    case .reference(let target):
      return !checkReference(to: target, written, isOptional, attributes)
    case nil:
      if let relationship = attributes.relationship { relationType(relationship, written) }
      return true
    }
  }

  /// Checks the arguments of `@Relationship` for a reference.
  private mutating func checkReference(
    to target: TypeSyntax, _ written: TypeSyntax, _ isOptional: Bool, _ attributes: ParsedAttributes
  ) -> Bool {
    guard let relationship = attributes.relationship else { return true }
    if let inverse = relationship.inverse {
      diagnostics.error(
        .relationInverse,
        "the inverse is declared on the other side, where nothing is stored: a property of the type 'Many' of "
          + "'\(target.trimmedDescription)'",
        at: inverse, fixIts: [.removeArgument(inverse, from: relationship.node)])
      return false
    }
    if relationship.deleteRule == "nullify", !isOptional, let node = relationship.deleteRuleNode {
      diagnostics.error(
        .deleteRule, "the reference cannot become nil, because its type is not optional", at: node,
        fixIts: [
          FixIt(
            .deleteRule, "make it optional", replacing: written,
            with: TypeSyntax("\(raw: written.trimmedDescription)?").with(\.trailingTrivia, written.trailingTrivia))
        ])
      return false
    }
    return true
  }

  private mutating func parseMany(
    of object: TypeSyntax, _ written: TypeSyntax, _ isOptional: Bool, _ binding: PatternBindingSyntax,
    _ token: TokenSyntax, _ attributes: ParsedAttributes, of variable: VariableDeclSyntax
  ) {
    let name = token.identifier?.name ?? token.text
    unstored[name] = "is the other side of a reference"
    guard checkForm(of: binding, name, written, isOptional, attributes, of: variable) else { return }
    guard let relationship = attributes.relationship, let inverse = relationship.inverse else {
      let advice = "'inverse: \\\(object.trimmedDescription).<#property#>'"
      diagnostics.error(
        .relationInverse,
        "'\(name)' needs the property of '\(object.trimmedDescription)' that refers to '\(model)': "
          + "'@Relationship(inverse: \\\(object.trimmedDescription).…)'",
        at: attributes.relationship.map { Syntax($0.node) } ?? Syntax(written),
        fixIts: [
          attributes.relationship.map { .addInverse(to: $0.node, of: object) }
            ?? .addRelationship(to: variable, of: object, "add \(advice)")
        ])
      return
    }
    guard let path = inverse.expression.as(KeyPathExprSyntax.self), path.components.count == 1,
      path.components.first?.component.is(KeyPathPropertyComponentSyntax.self) == true
    else {
      diagnostics.error(
        .relationInverse,
        "the inverse is written as a key path of a property of '\(object.trimmedDescription)': a macro sees only the "
          + "source",
        at: inverse.expression)
      return
    }
    guard path.root != nil else {
      let root = path.with(\.root, object.trimmed)
      diagnostics.error(
        .relationInverse, "the inverse needs its type written", at: path,
        fixIts: [FixIt(.relationInverse, "write '\(root.trimmedDescription)'", replacing: path, with: root)])
      return
    }
    relations.append(
      RelationDescription(
        token: token.text, name: name, object: object.trimmedDescription == "Self" ? model : object.trimmedDescription,
        columnAccess: columnAccess(variable, object.trimmedDescription), inverse: path.trimmedDescription,
        deleteRule: relationship.deleteRule))
  }

  /// Checks that a property can be computed in place of being stored.
  mutating func checkForm(
    of binding: PatternBindingSyntax, _ name: String, _ written: TypeSyntax, _ isOptional: Bool,
    _ attributes: ParsedAttributes, of variable: VariableDeclSyntax
  ) -> Bool {
    if variable.bindingSpecifier.tokenKind == .keyword(.let) {
      diagnostics.error(
        .relationForm, "'\(name)' is computed from the object's key, so it must be a variable",
        at: variable.bindingSpecifier,
        fixIts: [
          FixIt(
            .relationForm, "change 'let' to 'var'", replacing: variable.bindingSpecifier,
            with: variable.bindingSpecifier.with(\.tokenKind, .keyword(.var)))
        ])
      return false
    }
    if isOptional {
      let type = written.wrapped.type
      diagnostics.error(
        .relationForm, "'\(name)' is never nil: it is empty if no object refers to this one", at: written,
        fixIts: [
          FixIt(
            .relationForm, "remove the optional", replacing: written,
            with: type.trimmed.with(\.trailingTrivia, written.trailingTrivia))
        ])
      return false
    }
    if let value = binding.initializer {
      var changed = binding
      changed.initializer = nil
      changed.typeAnnotation = binding.typeAnnotation?.with(\.trailingTrivia, [])
      changed.typeAnnotation?.type.trailingTrivia = []
      diagnostics.error(
        .relationForm, "'\(name)' has no value of its own: it contains the objects that refer to this one",
        at: value.value,
        fixIts: [
          FixIt(
            .relationForm, "remove the value", replacing: binding,
            with: changed.with(\.trailingTrivia, binding.trailingTrivia))
        ])
      return false
    }
    if let option = attributes.options.first {
      diagnostics.error(
        .relationForm, "'\(name)' has no column, so it cannot be \(option.kind.rawValue)", at: option.node)
      return false
    }
    if let merge = attributes.merge {
      diagnostics.error(
        .relationForm, "'\(name)' has no column, so it cannot have a merge rule: stores join lists link by link",
        at: merge.node)
      return false
    }
    if let node = attributes.originalNameNode {
      diagnostics.error(.relationForm, "'\(name)' has no column, so it cannot have an original name", at: node)
      return false
    }
    if let node = attributes.syncName?.node {
      diagnostics.error(.relationForm, "'\(name)' has no column, so it cannot have a sync name", at: node)
      return false
    }
    return true
  }

  /// A list of references, or of objects.
  private mutating func list(of target: TypeSyntax, _ written: TypeSyntax) {
    let many = "Many<\(target.trimmedDescription)>"
    diagnostics.error(
      .relationList,
      "a list of objects is not stored with the one that has them: each '\(target.trimmedDescription)' has a "
        + "'Ref<\(model)>', and this is the other side, '\(many)'",
      at: written, fixIts: [.replaceType(written, with: many, .relationList)])
  }

  /// `@Relationship` on a property that is neither `Ref` nor `Many`.
  private mutating func relationType(_ relationship: ParsedRelationship, _ written: TypeSyntax?) {
    guard let written else {
      diagnostics.error(
        .relationType,
        "@Relationship is for properties whose type is written: 'Ref<…>', 'Ref<…>?', 'Many<…>' or 'Links<…>'",
        at: relationship.node)
      return
    }
    let (type, isOptional) = written.wrapped
    if let element = type.arrayElement {
      list(of: element.wrapped.type, written)
      return
    }
    let isBuiltIn = (try? StorableType(type, model: model))?.isBuiltIn ?? true
    guard !isBuiltIn else {
      diagnostics.error(
        .relationType,
        "@Relationship is for references to other objects, 'Ref<…>' and 'Ref<…>?', their other sides, 'Many<…>', and "
          + "'Links<…>'",
        at: relationship.node)
      return
    }
    let reference = "Ref<\(type.trimmedDescription)>\(isOptional ? "?" : "")"
    diagnostics.error(
      .relationType, "an object cannot be stored inside another: refer to it with '\(reference)'", at: written,
      fixIts: [.replaceType(written, with: reference, .relationType)])
  }
}

extension FixIt {
  fileprivate static func replaceType(_ old: TypeSyntax, with text: String, _ kind: ModelMessage.Kind) -> FixIt {
    FixIt(
      kind, "write '\(text)'", replacing: old,
      with: TypeSyntax("\(raw: text)").with(\.leadingTrivia, old.leadingTrivia)
        .with(\.trailingTrivia, old.trailingTrivia))
  }

  fileprivate static func addInverse(to attribute: AttributeSyntax, of object: TypeSyntax) -> FixIt {
    let inverse = "inverse: \\\(object.trimmedDescription).<#property#>"
    let arguments = attribute.labeledArguments.map { $0.with(\.trailingComma, nil).trimmedDescription } + [inverse]
    let name = attribute.attributeName.trimmedDescription
    return FixIt(
      .relationInverse, "add '\(inverse)'", replacing: attribute,
      with: AttributeSyntax("@\(raw: name)(\(raw: arguments.joined(separator: ", ")))")
        .with(\.leadingTrivia, attribute.leadingTrivia).with(\.trailingTrivia, attribute.trailingTrivia))
  }

  fileprivate static func addRelationship(
    to variable: VariableDeclSyntax, of object: TypeSyntax, _ message: String
  ) -> FixIt {
    let text = "@Relationship(inverse: \\\(object.trimmedDescription).<#property#>)"
    var changed = variable.with(\.leadingTrivia, [])
    changed.attributes.insert(
      .attribute(AttributeSyntax("\(raw: text)").with(\.trailingTrivia, .space)), at: changed.attributes.startIndex)
    return FixIt(
      .relationInverse, message, replacing: variable, with: changed.with(\.leadingTrivia, variable.leadingTrivia))
  }

  /// Removes an argument, and the parentheses with the last one.
  static func removeArgument(_ argument: LabeledExprSyntax, from attribute: AttributeSyntax) -> FixIt {
    let rest = attribute.labeledArguments.filter { $0.id != argument.id }
      .map { $0.with(\.trailingComma, nil).trimmedDescription }
    let name = attribute.attributeName.trimmedDescription
    let arguments = rest.isEmpty ? "" : "(\(rest.joined(separator: ", ")))"
    return FixIt(
      .relationInverse, "remove the inverse", replacing: attribute,
      with: AttributeSyntax("@\(raw: name)\(raw: arguments)")
        .with(\.leadingTrivia, attribute.leadingTrivia).with(\.trailingTrivia, attribute.trailingTrivia))
  }
}
