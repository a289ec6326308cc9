public import QuarryBackend

/// A change of one property in `assign(query)`, by name.
public struct AssignmentTree: Sendable, Hashable, Codable {
  public var property: String
  public var operation: AssignmentOperation
  public var value: Value

  public init(_ property: String, _ operation: AssignmentOperation, _ value: Value) {
    self.property = property
    self.operation = operation
    self.value = value
  }
}
