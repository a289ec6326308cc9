/// A change of one slot in a set-based update. The value has the slot's type.
public struct BoundAssignment: Sendable, Hashable {
  public var slot: Int
  public var operation: AssignmentOperation
  public var value: Value

  public init(slot: Int, operation: AssignmentOperation, value: Value) {
    self.slot = slot
    self.operation = operation
    self.value = value
  }
}
