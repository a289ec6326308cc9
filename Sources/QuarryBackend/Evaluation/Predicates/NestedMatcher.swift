/// A test of value trees, with its functions made ready.
indirect enum NestedMatcher {
  case constant(Bool)
  case compare([ByteString], Comparison, Value)
  case count([ByteString], Comparison, Int64)
  case oneOf([ByteString], [Value])
  case function([ByteString], any FunctionMatcher)
  case any([ByteString], NestedMatcher)
  case all([ByteString], NestedMatcher)
  case completing(NestedForm, NestedMatcher)
  case not(NestedMatcher)
  case and([NestedMatcher])
  case or([NestedMatcher])

  init(_ test: NestedTest) throws(StorageError) {
    switch test {
    case .constant(let value): self = .constant(value)
    case .compare(let path, let comparison, let value): self = .compare(path, comparison, value)
    case .count(let path, let comparison, let count): self = .count(path, comparison, count)
    case .oneOf(let path, let values): self = .oneOf(path, values)
    case .function(let path, let call): self = .function(path, try call.function.matcher(call))
    case .any(let path, let test): self = .any(path, try NestedMatcher(test))
    case .all(let path, let test): self = .all(path, try NestedMatcher(test))
    case .completing(let form, let test): self = .completing(form, try NestedMatcher(test))
    case .not(let test): self = .not(try NestedMatcher(test))
    case .and(let tests): self = .and(try Self.matchers(tests))
    case .or(let tests): self = .or(try Self.matchers(tests))
    }
  }

  private static func matchers(_ tests: [NestedTest]) throws(StorageError) -> [NestedMatcher] {
    var matchers: [NestedMatcher] = []
    matchers.reserveCapacity(tests.count)
    for test in tests { matchers.append(try NestedMatcher(test)) }
    return matchers
  }

  /// Whether the value fulfils the test. A missing value is nil; a value that is no array has no elements.
  func matches(_ value: Value) throws(StorageError) -> Bool {
    switch self {
    case .constant(let result): return result
    case .compare(let path, let comparison, let other):
      return PredicateEquality.holds(Self.value(at: path, in: value), comparison, other)
    case .count(let path, let comparison, let count):
      guard let found = Self.value(at: path, in: value).elementCount else { return comparison == .notEqual }
      return comparison.holds(ValueOrder.order(Int64(found), count))
    case .oneOf(let path, let values):
      let found = Self.value(at: path, in: value)
      return values.contains { PredicateEquality.equal(found, $0) }
    case .function(let path, let matcher):
      let found = Self.value(at: path, in: value)
      return found.isNull ? false : try matcher.matches(found)
    case .any(let path, let test):
      for element in Self.elements(at: path, in: value) where try test.matches(element) { return true }
      return false
    case .all(let path, let test):
      for element in Self.elements(at: path, in: value) where try !test.matches(element) { return false }
      return true
    case .completing(let form, let test): return try test.matches(form.completing(value))
    case .not(let test): return try !test.matches(value)
    case .and(let tests):
      for test in tests where try !test.matches(value) { return false }
      return true
    case .or(let tests):
      for test in tests where try test.matches(value) { return true }
      return false
    }
  }

  private static func value(at path: [ByteString], in value: Value) -> Value {
    var value = value
    for name in path {
      guard case .object(let members) = value else { return .null }
      guard let member = members.first(where: { $0.name.utf8.elementsEqual(name.string.utf8) }) else { return .null }
      value = member.value
    }
    return value
  }

  private static func elements(at path: [ByteString], in value: Value) -> [Value] {
    guard case .array(let elements) = Self.value(at: path, in: value) else { return [] }
    return elements
  }
}
