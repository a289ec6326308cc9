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
  ///
  /// - Parameters:
  ///   - property: The name of the property.
  ///   - operation: Whether the value is set, added, subtracted and so on.
  ///   - value: The value; binding brings it into the type of the property.
  public init(_ property: String, _ operation: AssignmentOperation, _ value: Value) {
    self.property = property
    self.operation = operation
    self.value = value
  }
}
