import SwiftSyntax

/// The relation that a property's type expresses, as far as the source shows it.
enum RelationType {
  /// `Ref<Author>`.
  case reference(TypeSyntax)
  /// `Many<Book>`.
  case many(TypeSyntax)
  /// `Links<Tag>`.
  case links(TypeSyntax)
  /// `[Ref<Book>]`, of which nothing is kept whole.
  case references(TypeSyntax)

  /// - Parameter type: The type of a property without optionals around it.
  init?(_ type: TypeSyntax) {
    if let target = type.argument(of: "Ref") {
      self = .reference(target)
    } else if let object = type.argument(of: "Many") {
      self = .many(object)
    } else if let target = type.argument(of: "Links") {
      self = .links(target)
    } else if let element = type.arrayElement?.wrapped.type, let target = element.argument(of: "Ref") {
      self = .references(target)
    } else {
      return nil
    }
  }
}

extension TypeSyntax {
  /// The type without optionals and parentheses around it, and whether it had optionals.
  var wrapped: (type: TypeSyntax, isOptional: Bool) {
    switch self.as(TypeSyntaxEnum.self) {
    case .optionalType(let optional): (optional.wrappedType.wrapped.type, true)
    case .implicitlyUnwrappedOptionalType(let optional): (optional.wrappedType.wrapped.type, true)
    case .tupleType(let tuple):
      if tuple.elements.count == 1, let only = tuple.elements.first { only.type.wrapped } else { (self, false) }
    default:
      if let argument = onlyArgument, nameOfGeneric == "Optional" {
        (argument.wrapped.type, true)
      } else {
        (self, false)
      }
    }
  }

  /// The type of the elements of an array.
  var arrayElement: TypeSyntax? {
    if let array = self.as(ArrayTypeSyntax.self) { return array.element }
    return ["Array", "Set"].contains(nameOfGeneric) ? onlyArgument : nil
  }

  /// The argument of a generic type of Quarry, with its module or without.
  fileprivate func argument(of name: String) -> TypeSyntax? {
    nameOfGeneric == name ? onlyArgument : nil
  }

  private var nameOfGeneric: String? {
    if let member = self.as(MemberTypeSyntax.self) {
      let module = member.baseType.trimmedDescription
      return ["Quarry", "QuarryCore", "Swift"].contains(module) ? member.name.text : nil
    }
    return self.as(IdentifierTypeSyntax.self)?.name.text
  }

  private var onlyArgument: TypeSyntax? {
    let clause =
      self.as(MemberTypeSyntax.self)?.genericArgumentClause
      ?? self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
    guard let clause, clause.arguments.count == 1 else { return nil }
    return clause.arguments.first?.argument.as(TypeSyntax.self)
  }
}
