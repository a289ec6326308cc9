public import QuarryBackend
import QuarryQuery

/// Changes of columns that the engine makes by itself: `tx.assign(query) { $0.year += 1; $0.blurb = nil }`.
///
/// Only what a program may set in the struct can be assigned to: the columns that are variables of the model's
/// ``ModelColumns``. Assigning to another does not compile.
@dynamicMemberLookup
public struct Assignments<M: Model>: Sendable {
  @usableFromInline var list = AssignmentList()

  @inlinable
  init() {}

  /// The column as something that can be added to, subtracted from or multiplied, or set to a literal.
  @inlinable
  public subscript<V: Storable>(dynamicMember column: WritableKeyPath<M.Columns, Column<V>>) -> Assigned<V> {
    get { Assigned(column: M.Columns()[keyPath: column].name, change: nil) }
    @inline(__always)
    set {
      guard let change = newValue.change else { return }
      record(M.Columns()[keyPath: column], change.operation, change.value)
    }
  }

  /// The column as something that can be set to a value. It cannot be read: the getter returns nil.
  @_disfavoredOverload
  @inlinable
  public subscript<V: Storable>(dynamicMember column: WritableKeyPath<M.Columns, Column<V>>) -> V? {
    get { nil }
    // Inlined, so that the compiler finds the column and no key path is created.
    @inline(__always)
    set { record(M.Columns()[keyPath: column], .set, Assigned<V>.stored(newValue)) }
  }

  @inlinable @inline(__always)
  mutating func record<V: Storable>(
    _ column: Column<V>, _ operation: AssignmentOperation, _ value: Result<Value, StorageError>
  ) {
    switch value {
    case .success(let value):
      list.append(
        AssignmentList.Element(
          name: column.literal, index: column.index, type: V.storedType.type, operation: operation, value: value))
    case .failure(let error): list.failure = list.failure ?? error.with(property: column.name)
    }
  }
}

/// The assignments of a closure in their order, without the model's type.
@usableFromInline
struct AssignmentList: Sendable {
  @usableFromInline
  struct Element: Sendable {
    @usableFromInline let name: StaticString
    /// The property's place in the model's definition.
    @usableFromInline let index: Int
    @usableFromInline let type: PropertyType
    @usableFromInline let operation: AssignmentOperation
    @usableFromInline let value: Value

    @inlinable
    init(name: StaticString, index: Int, type: PropertyType, operation: AssignmentOperation, value: Value) {
      self.name = name
      self.index = index
      self.type = type
      self.operation = operation
      self.value = value
    }
  }

  /// The first element, kept separately, so that a single one, which is the rule, needs no array.
  ///
  /// Not optional, because an optional of it is copied and destroyed out of line: ``count`` says whether it is one.
  private(set) var first = Element(name: "", index: -1, type: .bool, operation: .set, value: .null)
  private(set) var count = 0
  private(set) var others: [Element] = []
  @usableFromInline var failure: StorageError?

  @usableFromInline
  init() {}

  @usableFromInline
  mutating func append(_ element: consuming Element) {
    if count == 0 { first = element } else { others.append(element) }
    count += 1
  }

  /// The assignments as trees.
  ///
  /// - Throws: The error of a value.
  func trees(_ binding: ModelBinding) throws(StorageError) -> [AssignmentTree] {
    if let failure { throw failure.with(model: binding.name) }
    guard count > 0 else { return [] }
    return ([first] + others).map { AssignmentTree($0.name.description, $0.operation, $0.value) }
  }
}

/// A column in ``Assignments``.
public struct Assigned<V: Storable>: Sendable {
  @usableFromInline
  struct Change: Sendable {
    @usableFromInline var operation: AssignmentOperation
    @usableFromInline var value: Result<Value, StorageError>

    @usableFromInline
    init(operation: AssignmentOperation, value: Result<Value, StorageError>) {
      self.operation = operation
      self.value = value
    }
  }

  @usableFromInline let column: String
  @usableFromInline var change: Change?

  @inlinable
  static func stored(_ value: some Storable) -> Result<Value, StorageError> {
    do throws(StorageError) {
      return .success(try value.storedValue())
    } catch {
      return .failure(error)
    }
  }

  @inlinable
  init(column: String, change: Change?) {
    self.column = column
    self.change = change
  }

  /// The value itself.
  ///
  /// - Parameter value: The value to assign.
  public static func value(_ value: V) -> Assigned {
    Assigned(column: "", change: Change(operation: .set, value: stored(value)))
  }

  mutating func apply(_ operation: AssignmentOperation, _ value: some Storable) {
    change = Change(operation: operation, value: Self.stored(value))
  }
}

extension Assigned where V: NumericStorable {
  /// Adds the number to the column's; nil stays nil.
  public static func += (column: inout Assigned, value: V.Number) { column.apply(.add, value) }
  /// Subtracts the number from the column's; nil stays nil.
  public static func -= (column: inout Assigned, value: V.Number) { column.apply(.subtract, value) }
  /// Multiplies the column's number by this one; nil stays nil.
  public static func *= (column: inout Assigned, value: V.Number) { column.apply(.multiply, value) }
}

extension Assigned: ExpressibleByIntegerLiteral where V: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: V.IntegerLiteralType) { self = .value(V(integerLiteral: value)) }
}

extension Assigned: ExpressibleByFloatLiteral where V: ExpressibleByFloatLiteral {
  public init(floatLiteral value: V.FloatLiteralType) { self = .value(V(floatLiteral: value)) }
}

extension Assigned: ExpressibleByBooleanLiteral where V: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: V.BooleanLiteralType) { self = .value(V(booleanLiteral: value)) }
}

extension Assigned: ExpressibleByUnicodeScalarLiteral where V: ExpressibleByUnicodeScalarLiteral {
  public init(unicodeScalarLiteral value: V.UnicodeScalarLiteralType) { self = .value(V(unicodeScalarLiteral: value)) }
}

extension Assigned: ExpressibleByExtendedGraphemeClusterLiteral where V: ExpressibleByExtendedGraphemeClusterLiteral {
  public init(extendedGraphemeClusterLiteral value: V.ExtendedGraphemeClusterLiteralType) {
    self = .value(V(extendedGraphemeClusterLiteral: value))
  }
}

extension Assigned: ExpressibleByStringLiteral where V: ExpressibleByStringLiteral {
  public init(stringLiteral value: V.StringLiteralType) { self = .value(V(stringLiteral: value)) }
}

extension Assigned: ExpressibleByNilLiteral where V: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self = .value(V(nilLiteral: nilLiteral)) }
}
