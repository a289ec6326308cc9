import QuarryBackend

/// Changes of columns that the engine makes by itself: `tx.update(query, set: { $0.year += 1; $0.blurb = nil })`.
@dynamicMemberLookup
public struct Assignments<M: Model>: Sendable {
  var list: [AssignmentTree] = []
  var failure: StorageError?

  init() {}

  /// The column as something that can be added to, subtracted from or multiplied, or set to a literal.
  public subscript<V: Storable>(dynamicMember column: KeyPath<M.Columns, Column<V>>) -> Assigned<V> {
    get { Assigned(column: M.Columns()[keyPath: column].name, change: nil) }
    set {
      guard let change = newValue.change else { return }
      record(M.Columns()[keyPath: column].name, change.operation, change.value)
    }
  }

  /// The column as something that can be set to a value. There is nothing to read: the getter gives nil.
  @_disfavoredOverload
  public subscript<V: Storable>(dynamicMember column: KeyPath<M.Columns, Column<V>>) -> V? {
    get { nil }
    set { record(M.Columns()[keyPath: column].name, .set, Assigned<V>.stored(newValue)) }
  }

  private mutating func record(_ name: String, _ operation: AssignmentOperation, _ value: Result<Value, StorageError>) {
    do throws(StorageError) {
      list.append(AssignmentTree(name, operation, try value.get()))
    } catch {
      failure = failure ?? error.with(property: name)
    }
  }
}

/// A column in ``Assignments``.
public struct Assigned<V: Storable>: Sendable {
  struct Change: Sendable {
    var operation: AssignmentOperation
    var value: Result<Value, StorageError>
  }

  let column: String
  var change: Change?

  static func stored(_ value: some Storable) -> Result<Value, StorageError> {
    do throws(StorageError) {
      return .success(try value.storedValue())
    } catch {
      return .failure(error)
    }
  }

  init(column: String, change: Change?) {
    self.column = column
    self.change = change
  }

  /// The value itself.
  public static func value(_ value: V) -> Assigned {
    Assigned(column: "", change: Change(operation: .set, value: stored(value)))
  }

  mutating func apply(_ operation: AssignmentOperation, _ value: some Storable) {
    change = Change(operation: operation, value: Self.stored(value))
  }
}

extension Assigned where V: NumericStorable {
  public static func += (column: inout Assigned, value: V.Number) { column.apply(.add, value) }
  public static func -= (column: inout Assigned, value: V.Number) { column.apply(.subtract, value) }
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
