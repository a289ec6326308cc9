// The checks that @Model and @Nested generate for each property whose type they cannot inspect, on the line of the property. Only
// the first function of each kind can be called; the messages of the others name the replacement.

/// Reports types that cannot be stored, for `@Model` and `@Nested`.
public enum StoredTypeCheck {}

extension StoredTypeCheck {
  /// A property of a model can have the type.
  ///
  /// - Parameter type: The type of the property.
  public static func property<V: Storable>(_ type: V.Type) {}

  @available(
    *, unavailable,
    message: "an object cannot be stored inside another: refer to it with 'Ref<…>' or 'Ref<…>?' with its model"
  )
  public static func property<V: Model>(_ type: V.Type) {}

  @available(
    *, unavailable,
    message: "mark the struct @Nested, so that queries can name its members, or declare it 'Codable, Storable'"
  )
  @_disfavoredOverload
  public static func property<V: Decodable>(_ type: V.Type) {}
}

extension StoredTypeCheck {
  /// A property of a model can be an array of the type.
  ///
  /// - Parameter type: The type of the elements.
  public static func elements<V: Storable>(_ type: V.Type) {}

  @available(
    *, unavailable,
    message:
      "declare a list of objects as 'Links<…>' with their model, or 'Many<…>' if each of them has a 'Ref' to this one"
  )
  public static func elements<V: Model>(_ type: V.Type) {}

  @available(
    *, unavailable,
    message: "mark the struct @Nested, so that queries can name its members, or declare it 'Codable, Storable'"
  )
  @_disfavoredOverload
  public static func elements<V: Decodable>(_ type: V.Type) {}
}

extension StoredTypeCheck {
  /// A member of a nested value can have the type.
  ///
  /// - Parameter type: The type of the member.
  public static func member<V: Storable & Codable>(_ type: V.Type) {}

  @available(
    *, unavailable,
    message: "a member of a nested value is written as Codable writes it: declare its type 'Codable, Storable'"
  )
  @_disfavoredOverload
  public static func member<V: Storable>(_ type: V.Type) {}

  @available(
    *, unavailable,
    message: "a relation must be a property of a model: the store does not search nested values for references"
  )
  public static func member<V: Model>(_ type: V.Type) {}

  @available(
    *, unavailable,
    message: "mark the struct @Nested, so that queries can name its members, or declare it 'Codable, Storable'"
  )
  @_disfavoredOverload
  public static func member<V: Decodable>(_ type: V.Type) {}
}
