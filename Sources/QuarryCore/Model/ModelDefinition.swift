/// What is stored of a model.
public final class ModelDefinition<M: Model>: Sendable {
  /// The number of ``untyped``, here too because every call of a store needs it.
  @usableFromInline let number: Int
  let untyped: AnyModelDefinition
  private let keyPaths: [(PropertyKeyPath<M>, String)]

  /// - Parameters:
  ///   - name: The name of the model in the store.
  ///   - properties: All stored properties.
  ///   - primaryKey: The name of the property that is the primary key.
  ///   - indexes: Indexes beside the primary key.
  public init(
    name: String, properties: [PropertyDefinition<M>], primaryKey: String, indexes: [IndexDefinition] = []
  ) {
    untyped = AnyModelDefinition(
      name: name, properties: properties.map(\.stored), primaryKey: primaryKey, indexes: indexes)
    number = untyped.number
    keyPaths = properties.map { ($0.property, $0.name) }
  }

  /// The name of the model in the store.
  public var name: String { untyped.name }

  /// The stored name of the property with that key path, if it is one.
  ///
  /// - Complexity: O(n) in the number of properties.
  public func name(of keyPath: PartialKeyPath<M>) -> String? {
    keyPaths.first { $0.0.matches(keyPath) }?.1
  }
}
