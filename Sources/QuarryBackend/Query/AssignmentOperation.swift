/// How an assignment changes a property.
public enum AssignmentOperation: String, Sendable, Hashable, Codable, CaseIterable {
  /// How the new value follows from the operand and the old value.
  case set, add, subtract, multiply
}
