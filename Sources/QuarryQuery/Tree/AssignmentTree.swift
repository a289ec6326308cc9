public import QuarryBackend

/// A change of one property in `assign(query)`, by name.
public struct AssignmentTree: Sendable, Hashable, Codable {
  /// The name of the property.
  public var property: String
  /// How it is changed.
  public var operation: AssignmentOperation
  /// The value to set, or the number to calculate with.
  public var value: Value

  /// A change of the property with that name.
  public init(_ property: String, _ operation: AssignmentOperation, _ value: Value) {
    self.property = property
    self.operation = operation
    self.value = value
  }
}
