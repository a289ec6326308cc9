/// A change of one slot in a set-based update. The value has the slot's type.
public struct BoundAssignment: Sendable, Hashable {
  /// The slot that is changed.
  public var slot: Int
  /// How it is changed.
  public var operation: AssignmentOperation
  /// The value to set, or the number to calculate with.
  public var value: Value

  /// Creates a bound assignment.
  ///
  /// - Parameters:
  ///   - slot: The slot to assign to.
  ///   - operation: Whether the value is set, added, subtracted and so on.
  ///   - value: A value of exactly the slot's type.
  public init(slot: Int, operation: AssignmentOperation, value: Value) {
    self.slot = slot
    self.operation = operation
    self.value = value
  }
}
