/// How an assignment changes a property.
public enum AssignmentOperation: String, Sendable, Hashable, Codable, CaseIterable {
  case set, add, subtract, multiply
}
