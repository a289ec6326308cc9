import SwiftSyntax

/// The type of a stored property as far as it can be seen in the source.
struct StorableType {
  /// The type that has a name of its own, without the optionals and arrays around it.
  var leaf: String
  private var prefix = ""
  private var suffix = ""
  var isOptional = false
  /// Whether it can be a property of a model; of a nested type there may be others, which Codable alone knows.
  private(set) var isStorable = true
  /// Whether it is an array, which has no order and so cannot be a key or in an index.
  var isArray = false
  /// The name of the type, or of an array's elements, without optional, module and arguments.
  var baseName: String?

  /// The type to write in generated code.
  var text: String { text(leaf: leaf) }

  /// The type with another name for its leaf.
  func text(leaf: String) -> String { prefix + leaf + suffix }

  /// Whether the leaf is known to be storable, because Quarry conforms it.
  var isBuiltIn: Bool {
    let name = leaf.split(separator: ".", maxSplits: 1).last.map(String.init) ?? leaf
    return Self.builtIn.contains(name) && ["", "Swift.", "Foundation."].contains(leaf.dropLast(name.count))
  }

  /// Whether a built-in type is one whose keys a store can give.
  var canBeGenerated: Bool {
    guard let name = leaf.split(separator: ".").last else { return false }
    return name.hasPrefix("Int") || name.hasPrefix("UInt") || name == "UUID"
  }

  private static let builtIn: Set = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float", "Double",
    "String", "Date", "Data", "UUID", "Decimal", "URL",
  ]
}

/// The reason why a type cannot be stored.
struct StorableTypeError: Error {
  var kind: ModelMessage.Kind
  var message: String
  var node: Syntax
}

extension StorableType {
  /// Reads a type, treating the spellings `T?`, `T!` and `Optional<T>` as one.
  ///
  /// - Parameter model: The name of the struct, for which `Self` is used.
  init(_ type: TypeSyntax, model: String) throws(StorableTypeError) {
    switch type.as(TypeSyntaxEnum.self) {
    case .optionalType(let optional):
      self = try Self(optional.wrappedType, model: model).wrapped(type)
    case .implicitlyUnwrappedOptionalType(let optional):
      self = try Self(optional.wrappedType, model: model).wrapped(type)
    case .arrayType(let array):
      self = try Self(array.element, model: model).inArray
    case .tupleType(let tuple):
      guard tuple.elements.count == 1, let only = tuple.elements.first, only.firstName == nil, only.ellipsis == nil
      else { throw Self.unsupported("a tuple", type, "make it a struct that is Codable and Storable") }
      self = try Self(only.type, model: model)
    case .identifierType(let named):
      try self.init(named: named.name, named.genericArgumentClause, type, model)
    case .memberType(let member):
      if let module = member.baseType.as(IdentifierTypeSyntax.self), module.name.text == "Swift" {
        try self.init(named: member.name, member.genericArgumentClause, type, model)
      } else {
        self.init(leaf: Self.text(type, model), baseName: member.name.text)
      }
    case .dictionaryType:
      throw Self.unsupported("a dictionary", type, "make it a struct that is Codable and Storable")
    case .functionType:
      throw Self.unsupported("a function", type, "mark the property @Transient")
    case .someOrAnyType(let existential) where existential.someOrAnySpecifier.tokenKind == .keyword(.any):
      throw Self.unsupported("an existential", type, "name one type that is Storable")
    case .someOrAnyType:
      throw Self.unsupported("an opaque type", type, "name one type that is Storable")
    case .compositionType:
      throw Self.unsupported("an existential", type, "name one type that is Storable")
    case .metatypeType:
      throw Self.unsupported("a metatype", type, "mark the property @Transient")
    case .attributedType(let attributed):
      self = try Self(attributed.baseType, model: model)
    case .missingType:
      throw StorableTypeError(kind: .missingType, message: "the type of the property is missing", node: Syntax(type))
    default:
      throw Self.unsupported("a value of the type '\(type.trimmedDescription)'", type, "name a type that is Storable")
    }
  }

  private init(
    named token: TokenSyntax, _ arguments: GenericArgumentClauseSyntax?, _ type: TypeSyntax, _ model: String
  ) throws(StorableTypeError) {
    let first = arguments?.arguments.first?.argument.as(TypeSyntax.self)
    switch (token.text, first) {
    case ("Optional", .some(let wrapped)):
      self = try Self(wrapped, model: model).wrapped(type)
    case ("Array", .some(let element)):
      self = try Self(element, model: model).inArray
    case ("Set", .some):
      throw Self.unsupported("a set", type, "use an array, or make it a struct that is Codable and Storable")
    case ("Dictionary", .some):
      throw Self.unsupported("a dictionary", type, "make it a struct that is Codable and Storable")
    case ("Any", _), ("AnyObject", _), ("AnyHashable", _):
      throw Self.unsupported("a value of the type '\(token.text)'", type, "name one type that is Storable")
    case ("Void", nil):
      throw Self.unsupported("a tuple", type, "make it a struct that is Codable and Storable")
    case ("_", _):
      throw StorableTypeError(kind: .missingType, message: "the type of the property is missing", node: Syntax(type))
    default:
      self.init(leaf: Self.text(type, model), baseName: token.text)
    }
  }

  private func wrapped(_ type: TypeSyntax) throws(StorableTypeError) -> StorableType {
    guard !isOptional else {
      throw StorableTypeError(
        kind: .nestedOptional, message: "an optional of an optional cannot be stored: the store has one nil",
        node: Syntax(type))
    }
    var copy = self
    copy.suffix += "?"
    copy.isOptional = true
    return copy
  }

  private var inArray: StorableType {
    var copy = self
    copy.prefix = "[" + prefix
    copy.suffix += "]"
    copy.isOptional = false
    copy.isArray = true
    return copy
  }

  private init(leaf: String, baseName: String) {
    self.leaf = leaf
    self.baseName = baseName
  }

  /// A type that is Codable and cannot be a property on its own.
  init(codable type: TypeSyntax) {
    leaf = type.trimmedDescription
    isOptional = type.is(OptionalTypeSyntax.self)
    isStorable = false
  }

  private static func unsupported(_ what: String, _ type: TypeSyntax, _ advice: String) -> StorableTypeError {
    StorableTypeError(kind: .unsupportedType, message: "\(what) cannot be stored; \(advice)", node: Syntax(type))
  }

  /// The type without comments, and with the struct's name for `Self`, which means another type inside `Columns`.
  private static func text(_ type: TypeSyntax, _ model: String) -> String {
    SelfRewriter(model: model).rewrite(type.trimmed).trimmedDescription
  }
}

private final class SelfRewriter: SyntaxRewriter {
  let model: String

  init(model: String) {
    self.model = model
  }

  override func visit(_ token: TokenSyntax) -> TokenSyntax {
    token.tokenKind == .keyword(.Self) ? token.with(\.tokenKind, .identifier(model)) : token
  }
}

extension TypeSyntax {
  /// Whether it is a dictionary or a set, or an optional or an array of them.
  var isCodableCollection: Bool {
    switch self.as(TypeSyntaxEnum.self) {
    case .dictionaryType: true
    case .optionalType(let optional): optional.wrappedType.isCodableCollection
    case .arrayType(let array): array.element.isCodableCollection
    case .identifierType(let named): ["Dictionary", "Set"].contains(named.name.text)
    default: false
    }
  }
}
