/// A query as a backend sees it: names have become slots, constants have the exact type of their column, the order
/// ends with the primary key. Made by ``QueryBinder``.
public struct BoundQuery: Sendable, Hashable {
  public var model: ModelID
  public var predicate: BoundPredicate
  /// Never empty: the last key is the primary key, in the direction of the key before it.
  public var order: [BoundSortKey]
  public var limit: Int?
  public var offset: Int
  /// The slots that the caller reads; nil for all. A cursor may leave other slots null, except the primary key.
  public var projection: [Int]?

  public init(
    model: ModelID, predicate: BoundPredicate = .constant(true), order: [BoundSortKey], limit: Int? = nil,
    offset: Int = 0, projection: [Int]? = nil
  ) {
    self.model = model
    self.predicate = predicate
    self.order = order
    self.limit = limit
    self.offset = offset
    self.projection = projection
  }
}

public struct BoundSortKey: Sendable, Hashable {
  public var slot: Int
  public var isDescending: Bool

  public init(slot: Int, isDescending: Bool = false) {
    self.slot = slot
    self.isDescending = isDescending
  }
}

/// A condition on a row, by slots. Two-valued: nil is never less or greater than anything, nil equals only nil, and
/// `not` is plain negation.
public indirect enum BoundPredicate: Sendable, Hashable {
  case constant(Bool)
  case isNull(slot: Int)
  /// Compares a slot with a constant that is not null and has exactly the slot's type. A null slot fulfils only
  /// `notEqual`. Floating point by IEEE 754: NaN equals nothing.
  case compare(slot: Int, Comparison, Value)
  /// Compares two slots of one or two types; numbers by their exact values. Nil equals nil.
  case compareSlots(Int, Comparison, Int)
  /// Compares two numbers that are calculated from slots, by their exact values. One without a value is nil.
  case calculated(BoundNumber, Comparison, BoundNumber)
  /// Membership in constants that are not null and have exactly the slot's type, sorted by ``ValueOrder`` and each
  /// once. A null slot is no member.
  case oneOf(slot: Int, [Value])
  /// A text operator on a slot of type string or url. A null slot fulfils none.
  case text(slot: Int, TextOperator, String, TextOptions)
  /// A test inside a nested value or an array.
  case nested(slot: Int, NestedTest)
  /// The row comes after the position in this order, by ``ValueOrder`` (null first ascending), for paging.
  case after([BoundSortKey], [Value])
  case not(BoundPredicate)
  case and([BoundPredicate])
  case or([BoundPredicate])
}

/// A test of a value tree. The paths inside are member names from the slot's value (or the element) on.
public indirect enum NestedTest: Sendable, Hashable {
  case constant(Bool)
  /// Compares the value at the path with a constant, which may be null. A missing member is nil. Values of different
  /// kinds are unequal and have no order; numbers compare by their exact values.
  case compare(path: [ByteString], Comparison, Value)
  /// Compares the number of elements of the array at the path, of the characters of the string or the bytes of the
  /// data; nil has none to compare and fulfils only `notEqual`.
  case count(path: [ByteString], Comparison, Int64)
  case oneOf(path: [ByteString], [Value])
  case text(path: [ByteString], TextOperator, String, TextOptions)
  case containsElement(path: [ByteString], Value)
  case any(path: [ByteString], NestedTest)
  case all(path: [ByteString], NestedTest)
  /// The test of the value with the defaults of the members that it lacks.
  case completing(NestedForm, NestedTest)
  case not(NestedTest)
  case and([NestedTest])
  case or([NestedTest])
}

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

/// Aggregates of the rows of a query, in groups. Order, limit and offset of the query choose the rows first where
/// they are given (``rows``), and groups come in the order of their keys by ``ValueOrder``.
public struct BoundAggregate: Sendable, Hashable {
  public struct Column: Sendable, Hashable {
    public var function: AggregateFunction
    /// Nil only for `count`, which then counts rows; with a slot `count` counts values that are not nil.
    public var slot: Int?

    public init(_ function: AggregateFunction, slot: Int? = nil) {
      self.function = function
      self.slot = slot
    }
  }

  public var rows: BoundQuery
  /// The slots to group by; empty for one group of all rows, which exists even without rows.
  public var groups: [Int]
  /// Empty for the distinct combinations of the groups' values.
  public var columns: [Column]

  public init(rows: BoundQuery, groups: [Int] = [], columns: [Column]) {
    self.rows = rows
    self.groups = groups
    self.columns = columns
  }
}

/// One group of an aggregate: the values of the grouped slots, then those of the columns.
public struct AggregateRow: Sendable, Hashable {
  public var groups: [Value]
  public var values: [Value]

  public init(groups: [Value], values: [Value]) {
    self.groups = groups
    self.values = values
  }
}
