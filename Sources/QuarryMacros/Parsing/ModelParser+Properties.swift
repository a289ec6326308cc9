import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelParser {
  mutating func parse(member: DeclSyntax) {
    if let variable = member.as(VariableDeclSyntax.self) {
      parse(variable)
    } else if let conditional = member.as(IfConfigDeclSyntax.self) {
      for found in conditional.storedMembers {
        diagnostics.error(
          .conditionalMember,
          "a macro cannot see which branch of '#if' is compiled, so what is stored cannot depend on it", at: found)
      }
    }
  }

  private mutating func parse(_ variable: VariableDeclSyntax) {
    let isStatic = variable.modifiers.contains(.static) || variable.modifiers.contains(.class)
    for binding in variable.bindings {
      if let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.identifier?.name,
        kind.generatedMembers.contains(name)
      {
        diagnostics.error(
          .reservedMember, "\(kind.attribute) generates a member '\(name)'; this one needs another name",
          at: binding.pattern)
      }
      if isStatic { continue }
      guard binding.isStored else {
        guard let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else { continue }
        let name = token.identifier?.name ?? token.text
        unstored[name] = "is computed"
        if name == "id" { computedID = Syntax(token) }
        continue
      }
      parse(binding, of: variable)
    }
  }

  private mutating func parse(_ binding: PatternBindingSyntax, of variable: VariableDeclSyntax) {
    let attributes = ParsedAttributes(variable.attributes, &diagnostics)
    guard let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
      diagnostics.error(
        .tuplePattern, "a property of \(kind.noun) must be declared by itself, not as part of a tuple",
        at: binding.pattern)
      return
    }
    let name = token.identifier?.name ?? token.text
    if kind == .nested, let codingKeys {
      guard codingKeys.contains(name) else {
        unstored[name] = "is not among CodingKeys"
        return
      }
      if let transient = attributes.transient {
        diagnostics.error(
          .codingKeys, "'\(name)' is a case of CodingKeys, so Codable stores it; remove one of the two", at: transient)
        return
      }
    }
    if attributes.transient != nil {
      unstored[name] = "is @Transient"
      checkTransient(binding, name, attributes, of: variable)
      return
    }
    if parseRelation(binding, token, attributes, of: variable) { return }
    guard checkStorage(binding, name, attributes, of: variable) else { return }
    guard let (type, typeNode) = type(of: binding, name, in: variable) else { return }
    let search = attributes.options.first { $0.kind == .searchable }
    properties.append(
      ParsedProperty(
        description: PropertyDescription(
          token: token.text, name: name, type: type, columnAccess: columnAccess(variable, type),
          columnSetter: columnSetter(binding, variable, columnAccess(variable, type)),
          defaultValue: binding.initializer?.value.constant(of: type),
          initialValue: initialValue(binding, in: variable),
          originalName: attributes.originalName, syncName: attributes.syncName?.text,
          deleteRule: attributes.relationship?.deleteRule,
          searchWeight: search?.weight, searchLanguage: search?.language, merge: attributes.merge?.text,
          location: locate(Syntax(token))),
        options: attributes.options, originalNameNode: attributes.originalNameNode, syncName: attributes.syncName,
        merge: attributes.merge,
        node: Syntax(token), typeNode: typeNode))
  }

  /// The value that an init gives the property unless its caller does.
  private func initialValue(_ binding: PatternBindingSyntax, in variable: VariableDeclSyntax) -> String? {
    if let value = binding.initializer?.value { return value.trimmedDescription }
    let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
    return isVariable && annotation(of: binding, in: variable)?.type.startsAsNil == true ? "nil" : nil
  }

  private mutating func checkTransient(
    _ binding: PatternBindingSyntax, _ name: String, _ attributes: ParsedAttributes, of variable: VariableDeclSyntax
  ) {
    if let option = attributes.options.first {
      if option.kind == .primaryKey {
        diagnostics.error(
          .transientPrimaryKey, "the primary key is stored, so it cannot be @Transient", at: option.node)
      } else {
        diagnostics.error(
          .transientAttribute, "a @Transient property cannot be \(option.kind.rawValue)", at: option.node)
      }
    }
    if let merge = attributes.merge {
      diagnostics.error(.transientAttribute, "a @Transient property cannot have a merge rule", at: merge.node)
    }
    if let relationship = attributes.relationship {
      diagnostics.error(.transientAttribute, "a @Transient property cannot be a relation", at: relationship.node)
      return
    }
    let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
    let startsAsNil = isVariable && annotation(of: binding, in: variable)?.type.startsAsNil == true
    guard binding.initializer == nil, !startsAsNil, attributes.wrapper == nil else { return }
    var changed = binding.with(\.trailingTrivia, [])
    changed.initializer = InitializerClauseSyntax(
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
      value: EditorPlaceholderExprSyntax(placeholder: .identifier("<#value#>")))
    changed.trailingComma = binding.trailingComma
    diagnostics.error(
      .transientWithoutValue,
      "'\(name)' is not stored, so it needs a default value for objects that are read from the store",
      at: binding.pattern,
      fixIts: [
        FixIt(
          .transientWithoutValue, "add a value", replacing: binding,
          with: changed.with(\.trailingTrivia, binding.trailingTrivia))
      ])
  }

  private mutating func checkStorage(
    _ binding: PatternBindingSyntax, _ name: String, _ attributes: ParsedAttributes, of variable: VariableDeclSyntax
  ) -> Bool {
    let transient = FixIt.addTransient(to: variable)
    for modifier in variable.modifiers {
      switch modifier.name.tokenKind {
      case .keyword(.lazy):
        diagnostics.error(
          .lazyProperty, "a lazy property cannot be stored: it has no value until it is read", at: modifier,
          fixIts: [transient(.lazyProperty)])
        return false
      case .keyword(.weak), .keyword(.unowned):
        diagnostics.error(
          .weakProperty, "a reference that is \(modifier.name.text) cannot be stored", at: modifier,
          fixIts: [transient(.weakProperty)])
        return false
      default:
        break
      }
    }
    if let wrapper = attributes.wrapper {
      diagnostics.error(
        .propertyWrapper,
        "'@\(wrapper.shortName)' may be a property wrapper, and a macro cannot see what that stores", at: wrapper,
        fixIts: [transient(.propertyWrapper)])
      return false
    }
    if variable.bindingSpecifier.tokenKind == .keyword(.let), let value = binding.initializer {
      diagnostics.error(
        .letWithValue,
        "'\(name)' has a constant value, so it cannot be read from the store", at: value.value,
        fixIts: [.makeVar(variable), .removeValue(binding)])
      return false
    }
    return true
  }

  /// The type of a property, and the node that messages about it point to.
  private mutating func type(
    of binding: PatternBindingSyntax, _ name: String, in variable: VariableDeclSyntax
  ) -> (StorableType, Syntax)? {
    let written = annotation(of: binding, in: variable)?.type
    let visible = binding.initializer?.value.visibleType
    let isModel = visible.map { ["Self", model].contains($0.trimmedDescription) } ?? false
    guard let type = written ?? (isModel ? nil : visible) else {
      missingType(binding, name)
      return nil
    }
    if kind == .nested, type.isCodableCollection { return (StorableType(codable: type), Syntax(type)) }
    do throws(StorableTypeError) {
      let storable = try StorableType(type, model: model)
      return (storable, written.map(Syntax.init) ?? Syntax(binding.pattern))
    } catch {
      if error.kind == .missingType {
        missingType(binding, name)
      } else {
        // An inferred type has no place of its own in the source.
        let node =
          written == nil ? Syntax(binding.initializer?.value ?? ExprSyntax(NilLiteralExprSyntax())) : error.node
        diagnostics.error(error.kind, error.message, at: node)
      }
      return nil
    }
  }

  private mutating func missingType(_ binding: PatternBindingSyntax, _ name: String) {
    var changed = binding
    changed.pattern = binding.pattern.with(\.trailingTrivia, [])
    changed.typeAnnotation = TypeAnnotationSyntax(
      colon: .colonToken(trailingTrivia: .space),
      type: IdentifierTypeSyntax(name: .identifier("<#Type#>")), trailingTrivia: .space)
    diagnostics.error(
      .missingType, "'\(name)' needs its type written, because the macro sees only the source", at: binding.pattern,
      fixIts: [FixIt(.missingType, "add the type", replacing: binding, with: changed)])
  }

  /// The type annotation of a binding: its own, or the annotation of the next one in `var a, b: Int`.
  func annotation(of binding: PatternBindingSyntax, in variable: VariableDeclSyntax) -> TypeAnnotationSyntax? {
    if let own = binding.typeAnnotation { return own }
    guard binding.initializer == nil,
      let place = variable.bindings.firstIndex(where: { $0.id == binding.id })
    else { return nil }
    return variable.bindings[place...].first { $0.typeAnnotation != nil }?.typeAnnotation
  }

  private func columnAccess(_ variable: VariableDeclSyntax, _ type: StorableType) -> String {
    columnAccess(variable, type.text)
  }

  /// The access level of the column of a property with that type, with a space after it, or nothing.
  func columnAccess(_ variable: VariableDeclSyntax, _ type: String) -> String {
    switch variable.modifiers.access {
    case .private:
      let names = type.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
      return privateTypes.isDisjoint(with: names) ? "fileprivate " : "private "
    case .fileprivate: return "fileprivate "
    case .public, .open: return access
    case .package: return access.isEmpty ? "" : "package "
    default: return ""
    }
  }

  /// Constants, and properties set in their own file alone, are not assigned to; observers of a property would be bypassed.
  private func columnSetter(
    _ binding: PatternBindingSyntax, _ variable: VariableDeclSyntax, _ columnAccess: String
  ) -> ColumnSetter? {
    guard variable.bindingSpecifier.tokenKind == .keyword(.var), binding.accessorBlock == nil else { return nil }
    switch variable.modifiers.setterAccess {
    case .private, .fileprivate: return nil
    // Where the column is visible no farther than that, the compiler would call the modifier redundant.
    case .internal where ["public ", "package "].contains(columnAccess): return ColumnSetter(modifier: "internal(set) ")
    case .package where columnAccess == "public ": return ColumnSetter(modifier: "package(set) ")
    default: return ColumnSetter()
    }
  }
}

extension PatternBindingSyntax {
  /// Whether the property is stored: it has no accessors, or observers only.
  var isStored: Bool {
    switch accessorBlock?.accessors {
    case nil: true
    case .getter: false
    case .accessors(let accessors):
      accessors.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
    }
  }
}

extension TypeSyntax {
  /// Whether a variable of the type is nil without a value: `Int?` and `Int!`, and not `Optional<Int>`.
  fileprivate var startsAsNil: Bool {
    self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }
}

extension IfConfigDeclSyntax {
  /// The members in the branches, which `@Model` would have to read.
  fileprivate var storedMembers: [Syntax] {
    var found: [Syntax] = []
    for clause in clauses {
      guard case .decls(let members) = clause.elements else { continue }
      for member in members {
        if let variable = member.decl.as(VariableDeclSyntax.self) {
          let isStatic = variable.modifiers.contains(.static)
          if !isStatic, let binding = variable.bindings.first(where: \.isStored) {
            found.append(Syntax(binding.pattern))
          }
        } else if let macro = member.decl.as(MacroExpansionDeclSyntax.self), macro.isOfModel {
          found.append(Syntax(macro))
        } else if let nested = member.decl.as(IfConfigDeclSyntax.self) {
          found += nested.storedMembers
        }
      }
    }
    return found
  }
}

extension FixIt {
  fileprivate static func addTransient(to variable: VariableDeclSyntax) -> (ModelMessage.Kind) -> FixIt {
    { kind in
      let attribute = AttributeSyntax(
        attributeName: IdentifierTypeSyntax(name: .identifier("Transient")), trailingTrivia: .space)
      var changed = variable.with(\.leadingTrivia, [])
      changed.attributes.insert(.attribute(attribute), at: changed.attributes.startIndex)
      return FixIt(
        kind, "mark it @Transient", replacing: variable, with: changed.with(\.leadingTrivia, variable.leadingTrivia))
    }
  }

  fileprivate static func makeVar(_ variable: VariableDeclSyntax) -> FixIt {
    FixIt(
      .letWithValue, "change 'let' to 'var'", replacing: variable.bindingSpecifier,
      with: variable.bindingSpecifier.with(\.tokenKind, .keyword(.var)))
  }

  fileprivate static func removeValue(_ binding: PatternBindingSyntax) -> FixIt {
    var changed = binding
    changed.initializer = nil
    if binding.typeAnnotation == nil {
      let type = binding.initializer?.value.visibleType?.trimmedDescription ?? "<#Type#>"
      changed.pattern = binding.pattern.with(\.trailingTrivia, [])
      changed.typeAnnotation = TypeAnnotationSyntax(
        colon: .colonToken(trailingTrivia: .space), type: TypeSyntax(IdentifierTypeSyntax(name: .identifier(type))))
    }
    return FixIt(
      .letWithValue, "remove the value", replacing: binding,
      with: changed.with(\.trailingTrivia, binding.trailingTrivia))
  }
}
