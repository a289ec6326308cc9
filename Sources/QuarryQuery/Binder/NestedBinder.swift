import QuarryBackend

/// Binds tests of the value tree in one slot. Inside ANY and ALL it binds tests of an element.
struct NestedBinder {
  let name: String
  /// The form known for the value that paths begin at.
  private let root: NestedForm
  private let isElement: Bool
  /// The language in which the property is searched; nil for none.
  let language: SearchLanguage?

  init(_ binder: QueryBinder, _ slot: Int, _ path: PropertyPath) throws(StorageError) {
    let property = binder.property(slot)
    name = property.name
    language = property.search?.language
    isElement = false
    if let form = binder.form(slot) {
      root = form
    } else if property.type == .array {
      root = .array(NestedForm(property.elementType))
    } else {
      root = NestedForm(property.type)
    }
  }

  private init(name: String, root: NestedForm, language: SearchLanguage?) {
    self.name = name
    self.language = language
    self.root = root
    isElement = true
  }

  // MARK: Tests

  func compare(_ path: PropertyPath, _ comparison: Comparison, _ value: Value) throws(StorageError) -> NestedTest {
    let (members, form) = try find(path)
    guard !value.isNull else {
      // Nil has no order.
      return comparison == .equal || comparison == .notEqual
        ? .compare(path: members, comparison, .null) : .constant(false)
    }
    switch form {
    case .unknown: return Self.compare(members, comparison, value)
    case .nested(let reference):
      guard case .object = value, comparison == .equal || comparison == .notEqual else {
        throw invalid("\(words(path)) is a \(reference.shape.name) and cannot be compared with \(value.kind)")
      }
      return .compare(path: members, comparison, value)
    case .array(let element):
      guard case .array(let elements) = value, comparison == .equal || comparison == .notEqual else {
        throw invalid("\(words(path)) is an array and cannot be compared with \(value.kind)")
      }
      var fitted: [Value] = []
      for value in elements { fitted.append(try self.element(value, element)) }
      return .compare(path: members, comparison, .array(fitted))
    case .plain(let type):
      if case .notANumber = value.fitted(to: type) { return .constant(comparison == .notEqual) }
      return .compare(path: members, comparison, try element(value, form))
    case .foreign(let type): throw foreign(words(path), type)
    }
  }

  func count(_ path: PropertyPath, _ comparison: Comparison, _ value: Value) throws(StorageError) -> NestedTest {
    let (members, form) = try find(path)
    switch form {
    case .unknown, .array, .foreign: break
    case .plain(let type) where type.isCountable: break
    case .plain, .nested: throw invalid("\(words(path)) \(form.words), which has no count")
    }
    if value.isNull {
      // Nil has no order, and is the count of all that is no array, which no other comparison is true of.
      let isArray = NestedTest.count(path: members, .greaterOrEqual, 0)
      return comparison == .equal ? .negation(of: isArray) : comparison == .notEqual ? isArray : .constant(false)
    }
    switch value.fitted(to: .int64) {
    case .exact(let exact):
      return .count(path: members, comparison, Int64(clamping: exact.integer ?? 0))
    case .notANumber:
      return .constant(comparison == .notEqual)
    case .between(let below, let above):
      switch BetweenComparison(comparison, below: below, above: above) {
      case .constant(let result): return .constant(result)
      // A number of elements is never negative, so that `>= 0` says that there is one.
      case .present: return .count(path: members, .greaterOrEqual, 0)
      case .compare(let comparison, let bound):
        return .count(path: members, comparison, Int64(clamping: bound.integer ?? 0))
      }
    case .unreadable, .incomparable:
      throw invalid("a number of elements cannot be compared with \(value.kind)")
    }
  }

  func oneOf(_ path: PropertyPath, _ values: [Value]) throws(StorageError) -> NestedTest {
    let members = try find(path).members
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

  /// A call of a function on the value at the path.
  func bound(
    _ function: any PredicateFunction, _ call: FunctionCall, _ path: PropertyPath
  ) throws(StorageError) -> NestedTest {
    switch try function.bind(call, to: try operand(path, isColumn: false)) {
    case .call(let call): return .function(path: try find(path).members, call)
    case .tree(let tree): return try bound(tree)
    }
  }

  /// The value at the path as an operand of a function.
  func operand(_ path: PropertyPath, isColumn: Bool) throws(StorageError) -> FunctionOperand {
    FunctionOperand(try find(path).form, isColumn: isColumn, words(path), self)
  }

  func quantified(_ path: PropertyPath, _ condition: PredicateTree, isAll: Bool) throws(StorageError) -> NestedTest {
    let (members, form) = try find(path)
    let element: NestedForm
    switch form {
    case .unknown, .foreign: element = .unknown
    case .array(let form): element = form
    case .plain, .nested: throw invalid("\(words(path)) \(form.words) and has no elements")
    }
    let test = try NestedBinder(name: name, root: element, language: language).bound(condition)
    return isAll ? .all(path: members, test) : .any(path: members, test)
  }

  // MARK: Parts

  /// The member names of a path from here on, and what is known of the value that they lead to.
  private func find(_ path: PropertyPath) throws(StorageError) -> (members: [ByteString], form: NestedForm) {
    if isElement, !path.property.isEmpty {
      throw invalid("inside ANY and ALL only the element can be tested, not \(path.property)")
    }
    var members: [ByteString] = []
    members.reserveCapacity(path.members.count)
    var form = root
    for name in path.members.lazy.map({ ByteString($0) }) {
      switch form {
      case .unknown, .foreign: form = .unknown
      case .nested(let reference): form = try member(name, of: reference.shape)
      case .array, .plain: throw invalid("\(words(members)) has no part \(name.string)")
      }
      members.append(name)
    }
    return (members, form)
  }

  private func member(_ member: ByteString, of shape: NestedShape) throws(StorageError) -> NestedForm {
    if let found = shape.member(member) { return found.form }
    let text = member.string.isEmpty ? "without a name" : member.string.shortened
    let hint = NearestName.suggestion(for: member.string, among: shape.members.map(\.name.string))
    throw invalid("\(shape.name) has no member \(text)\(hint)")
  }

  /// The path in the words of a message.
  private func words(_ path: PropertyPath) -> String { words(path.members.map { ByteString($0) }) }

  private func words(_ members: [ByteString]) -> String {
    guard isElement else { return ([name] + members.map(\.string)).joined(separator: ".") }
    let element = "an element of \(name)"
    return members.isEmpty ? element : "\(members.map(\.string).joined(separator: ".")) in \(element)"
  }

  /// A constant as an element of that type, where it is known. Numbers between those of the type stay as they are: they are
  /// compared by their exact values.
  func element(_ value: Value, _ form: NestedForm) throws(StorageError) -> Value {
    guard !value.isNull else { return value }
    switch (form, value) {
    case (.foreign(let type), _): throw foreign(words(PropertyPath.element), type)
    case (.nested, .object), (.array, .array): return value
    case (.nested, _), (.array, _):
      throw invalid("elements that are values with parts cannot be compared with \(value.kind)")
    default: break
    }
    guard case .plain(let type) = form, type.isOrdered else { return value }
    switch value.fitted(to: type) {
    case .exact(let exact): return exact
    case .between, .notANumber: return value
    case .unreadable: throw invalid("\(value.text) cannot be read as \(type.name)")
    case .incomparable: throw invalid("elements of type \(type.name) cannot be compared with \(value.kind)")
    }
  }

  func foreign(_ words: String, _ type: String) -> StorageError {
    StorageError.unsupported(
      .queryNested,
      "\(words): inside another value Codable writes a \(type), and not in the form in which it is stored itself"
    ).with(property: name)
  }

  /// Whether a constant of a query stands for a Double other than itself where nothing is known of the values.
  static func standsForDouble(_ value: Value) -> Bool {
    if case .compare = compare([], .equal, value) { return false }
    return true
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

  func invalid(_ message: String) -> StorageError {
    StorageError(.invalidQuery, message, property: name)
  }
}
