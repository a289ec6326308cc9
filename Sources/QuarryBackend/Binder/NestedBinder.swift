/// Binds tests of the value tree in one slot. Inside ANY and ALL it binds tests of an element.
struct NestedBinder {
  /// What is known of the value that paths begin at.
  private enum Root {
    /// A nested value: its parts have no schema.
    case unknown
    /// An array whose elements have that type.
    case array(PropertyType?)
    /// An element, or something else, of a type that has no parts.
    case plain(PropertyType)
  }

  private let name: String
  private let root: Root
  private let isElement: Bool

  init(_ binder: QueryBinder, _ slot: Int, _ path: PropertyPath) throws(StorageError) {
    let property = binder.property(slot)
    name = property.name
    isElement = false
    switch property.type {
    case .nested: root = .unknown
    case .array: root = .array(property.elementType)
    default: root = .plain(property.type)
    }
  }

  private init(name: String, root: Root) {
    self.name = name
    self.root = root
    isElement = true
  }

  // MARK: Tests

  func compare(_ path: PropertyPath, _ comparison: Comparison, _ value: Value) throws(StorageError) -> NestedTest {
    let members = try members(of: path)
    guard !value.isNull else {
      // Nil has no order.
      return comparison == .equal || comparison == .notEqual
        ? .compare(path: members, comparison, .null) : .constant(false)
    }
    switch root {
    case .unknown: return Self.compare(members, comparison, value)
    case .array(let element):
      guard case .array(let elements) = value, comparison == .equal || comparison == .notEqual else {
        throw invalid("\(name) is an array and cannot be compared so with \(value.kind)")
      }
      var fitted: [Value] = []
      for value in elements { fitted.append(try self.element(value, element)) }
      return .compare(path: members, comparison, .array(fitted))
    case .plain(let type):
      if case .notANumber = value.fitted(to: type) { return .constant(comparison == .notEqual) }
      return .compare(path: members, comparison, try element(value, type))
    }
  }

  func count(_ path: PropertyPath, _ comparison: Comparison, _ value: Value) throws(StorageError) -> NestedTest {
    let members = try members(of: path)
    if case .plain(let type) = root, !type.isCountable {
      throw invalid("\(name) has elements of type \(type.name), which have no count")
    }
    if value.isNull {
      return comparison == .equal || comparison == .notEqual
        ? .compare(path: members, comparison, .null) : .constant(false)
    }
    switch value.fitted(to: .int64) {
    case .exact(let exact):
      return .count(path: members, comparison, Int64(clamping: exact.integer ?? 0))
    case .notANumber:
      return .constant(comparison == .notEqual)
    case .between(let below, let above):
      // A number of elements is never negative, so that `>= 0` says that there is one.
      switch comparison {
      case .equal: return .constant(false)
      case .notEqual: return .constant(true)
      case .less, .lessOrEqual:
        guard let below = below?.integer else { return .constant(false) }
        return above == nil
          ? .count(path: members, .greaterOrEqual, 0) : .count(path: members, .lessOrEqual, Int64(clamping: below))
      case .greater, .greaterOrEqual:
        guard let above = above?.integer else { return .constant(false) }
        return .count(path: members, .greaterOrEqual, below == nil ? 0 : Int64(clamping: above))
      }
    case .unreadable, .incomparable:
      throw invalid("a number of elements cannot be compared with \(value.kind)")
    }
  }

  func oneOf(_ path: PropertyPath, _ values: [Value]) throws(StorageError) -> NestedTest {
    let members = try members(of: path)
    var constants: [Value] = []
    var tests: [NestedTest] = []
    for value in values {
      // The comparison decides what the value becomes; only its constants are collected into one list.
      switch try compare(path, .equal, value) {
      case .compare(_, _, .null): tests.append(.compare(path: members, .equal, .null))
      case .compare(_, _, let value): constants.append(value)
      case let other: tests.append(other)
      }
    }
    if constants.count == 1 {
      tests.append(.compare(path: members, .equal, constants[0]))
    } else if !constants.isEmpty {
      tests.append(.oneOf(path: members, constants))
    }
    return .anyOf(tests)
  }

  func text(
    _ path: PropertyPath, _ operation: TextOperator, _ needle: String, _ options: TextOptions
  ) throws(StorageError) -> NestedTest {
    let members = try members(of: path)
    switch root {
    case .array:
      guard operation == .contains, options.isEmpty else {
        throw invalid("\(name) is an array: \(operation.rawValue) needs ANY or ALL before it")
      }
      return try containsElement(path, .string(needle))
    case .plain(let type) where type != .string && type != .url:
      throw invalid("\(operation.rawValue) needs a text, and elements of \(name) are \(type.name)")
    case .unknown, .plain:
      return .text(path: members, operation, needle, options)
    }
  }

  func containsElement(_ path: PropertyPath, _ value: Value) throws(StorageError) -> NestedTest {
    let members = try members(of: path)
    switch root {
    case .unknown:
      // Written as ANY, where a decimal of the query may stand for a Double.
      let test = Self.compare([], .equal, value)
      guard case .compare = test else { return .any(path: members, test) }
      return .containsElement(path: members, value)
    case .array(let element):
      return .containsElement(path: members, try self.element(value, element))
    case .plain(let type):
      throw invalid("\(isElement ? "an element of \(name)" : name) is \(type.name) and has no elements")
    }
  }

  func quantified(_ path: PropertyPath, _ condition: PredicateTree, isAll: Bool) throws(StorageError) -> NestedTest {
    let members = try members(of: path)
    let element: Root
    switch root {
    case .unknown: element = .unknown
    case .array(let type): element = Self.root(of: type)
    case .plain(let type):
      throw invalid("\(isElement ? "an element of \(name)" : name) is \(type.name) and has no elements")
    }
    let test = try NestedBinder(name: name, root: element).bound(condition)
    return isAll ? .all(path: members, test) : .any(path: members, test)
  }

  // MARK: Conditions on an element

  private func bound(_ condition: PredicateTree) throws(StorageError) -> NestedTest {
    switch condition {
    case .constant(let value): return .constant(value)
    case .not(let condition): return .negation(of: try bound(condition))
    case .and(let conditions): return .allOf(try bound(conditions))
    case .or(let conditions): return .anyOf(try bound(conditions))
    case .compare(.value(let left), let comparison, .value(let right)):
      return .constant(try ConstantFolding.holds(left, comparison, right))
    case .compare(.property(let path), let comparison, .value(let value)):
      return try compare(path, comparison, value)
    case .compare(.value(let value), let comparison, .property(let path)):
      return try compare(path, comparison.mirrored, value)
    case .compare(.count(let path), let comparison, .value(let value)):
      return try count(path, comparison, value)
    case .compare(.value(let value), let comparison, .count(let path)):
      return try count(path, comparison.mirrored, value)
    case .compare:
      throw invalid("a part of an element of \(name) can be compared with a constant only")
    case .oneOf(.property(let path), let values): return try oneOf(path, values)
    case .oneOf(.count(let path), let values):
      var tests: [NestedTest] = []
      for value in values { tests.append(try count(path, .equal, value)) }
      return .anyOf(tests)
    case .oneOf(.value(let value), let values):
      for other in values where try ConstantFolding.holds(value, .equal, other) { return .constant(true) }
      return .constant(false)
    case .text(.property(let path), let operation, let needle, let options):
      return try text(path, operation, needle, options)
    case .text(.value(let value), let operation, let needle, let options):
      return .constant(try ConstantFolding.matches(value, operation, needle, options))
    case .oneOf(.arithmetic, _), .text(.arithmetic, _, _, _):
      throw invalid("a part of an element of \(name) cannot be calculated with")
    case .text(.count, _, _, _): throw invalid("a number of elements is no text")
    case .containsElement(let path, let value): return try containsElement(path, value)
    case .any(let path, let condition): return try quantified(path, condition, isAll: false)
    case .all(let path, let condition): return try quantified(path, condition, isAll: true)
    }
  }

  private func bound(_ conditions: [PredicateTree]) throws(StorageError) -> [NestedTest] {
    var result: [NestedTest] = []
    for condition in conditions { result.append(try bound(condition)) }
    return result
  }

  // MARK: Parts

  private static func root(of type: PropertyType?) -> Root {
    switch type {
    case nil, .nested: .unknown
    case .array: .array(nil)
    case .some(let type): .plain(type)
    }
  }

  /// The member names of a path from here on.
  private func members(of path: PropertyPath) throws(StorageError) -> [ByteString] {
    if isElement, !path.property.isEmpty {
      throw invalid("inside ANY and ALL only the element is looked at, not \(path.property)")
    }
    if let member = path.members.first {
      guard case .unknown = root else {
        throw invalid("\(isElement ? "an element of \(name)" : name) has no part \(member)")
      }
    }
    return path.members.map { ByteString($0) }
  }

  /// A constant as an element of that type, where that is known. Numbers between those of the type stay as they are:
  /// they are compared by their exact values.
  private func element(_ value: Value, _ type: PropertyType?) throws(StorageError) -> Value {
    guard let type, type.isOrdered, !value.isNull else { return value }
    switch value.fitted(to: type) {
    case .exact(let exact): return exact
    case .between, .notANumber: return value
    case .unreadable: throw invalid("\(value.text) cannot be read as \(type.name)")
    case .incomparable: throw invalid("elements of type \(type.name) cannot be compared with \(value.kind)")
    }
  }

  /// A comparison with what has no schema. There the decimal of a query's text may meet a Double, for which it stands
  /// for the nearest one, and so `score == 0.1` finds the Double 0.1 as well as the decimal.
  private static func compare(_ path: [ByteString], _ comparison: Comparison, _ value: Value) -> NestedTest {
    let plain = NestedTest.compare(path: path, comparison, value)
    guard case .decimal(let decimal) = value, !decimal.isNaN,
      case .exact(.double(let nearest)) = value.fitted(to: .double)
    else { return plain }
    let double = Value.double(nearest)
    let order = ValueOrder.compare(double, value)
    guard order != 0 else { return plain }
    let isNearest = NestedTest.compare(path: path, .equal, double)
    let isNotNearest = NestedTest.compare(path: path, .notEqual, double)
    // No Double lies between the two, so that only the nearest itself can be on the wrong side.
    switch comparison {
    case .equal: return .or([plain, isNearest])
    case .notEqual: return .and([plain, isNotNearest])
    case .less: return order < 0 ? .and([plain, isNotNearest]) : plain
    case .lessOrEqual: return order > 0 ? .or([plain, isNearest]) : plain
    case .greater: return order > 0 ? .and([plain, isNotNearest]) : plain
    case .greaterOrEqual: return order < 0 ? .or([plain, isNearest]) : plain
    }
  }

  private func invalid(_ message: String) -> StorageError {
    StorageError(.invalidQuery, message, property: name)
  }
}
