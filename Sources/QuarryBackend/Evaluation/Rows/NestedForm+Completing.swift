extension NestedForm {
  /// Whether values of the form may lack a member that has a default.
  package var hasDefaults: Bool { reference?.shape.hasDefaults ?? false }

  /// The value as the program reads it: with the defaults of the members that it lacks.
  ///
  /// - Complexity: O(n) in the number of parts where the form has defaults, and no copy unless something is lacking.
  package func completing(_ value: Value) -> Value { completed(value) ?? value }

  /// The value with what it lacks, or nil where it lacks nothing.
  fileprivate func completed(_ value: Value) -> Value? {
    switch (self, value) {
    case (.array(let form), .array(let elements)):
      guard form.hasDefaults else { return nil }
      var result: [Value]?
      for (place, element) in elements.enumerated() {
        if let completed = form.completed(element) {
          if result == nil { result = Array(elements[..<place]) }
          result?.append(completed)
        } else {
          result?.append(element)
        }
      }
      return result.map { .array($0) }
    case (.nested(let reference), .object(let members)):
      let shape = reference.shape
      guard shape.hasDefaults else { return nil }
      return shape.completed(members).map { .object($0) }
    default:
      return nil
    }
  }
}

extension NestedShape {
  /// An object of the type as the program reads it: with the defaults of the members that it lacks.
  ///
  /// - Complexity: O(n) in the number of parts where there are defaults, and no copy unless something is lacking.
  package func completing(_ value: Value) -> Value {
    guard hasDefaults, case .object(let members) = value, let completed = completed(members) else { return value }
    return .object(completed)
  }

  /// The members with those that they lack, in their order; nil where they lack nothing.
  fileprivate func completed(_ members: [Value.Member]) -> [Value.Member]? {
    var result: [Value.Member]?
    var place = 0
    for known in incomplete {
      while place < members.count, members[place].name.utf8.lexicographicallyPrecedes(known.name.string.utf8) {
        result?.append(members[place])
        place += 1
      }
      let isThere = place < members.count && members[place].name.utf8.elementsEqual(known.name.string.utf8)
      if isThere {
        if let completed = known.form.completed(members[place].value) {
          if result == nil { result = Array(members[..<place]) }
          result?.append(Value.Member(known.name.string, completed))
        } else {
          result?.append(members[place])
        }
        place += 1
      } else if let value = known.defaultValue {
        if result == nil { result = Array(members[..<place]) }
        result?.append(Value.Member(known.name.string, value))
      }
    }
    result?.append(contentsOf: members[place...])
    return result
  }
}
