/// A query over one model, by names: what the three fronts build, what is stored and sent, and what is bound to a
/// schema before a backend sees it (``BoundQuery``).
public struct QueryTree: Sendable, Hashable, Codable {
  /// The name of the model.
  public var model: String
  public var predicate: PredicateTree
  public var order: [SortKey]
  public var limit: Int?
  public var offset: Int
  /// The position after which results begin, for paging.
  public var position: PagePosition?

  public init(
    model: String, predicate: PredicateTree = .constant(true), order: [SortKey] = [], limit: Int? = nil,
    offset: Int = 0,
    position: PagePosition? = nil
  ) {
    self.model = model
    self.predicate = predicate
    self.order = order
    self.limit = limit
    self.offset = offset
    self.position = position
  }

  /// One key of an order.
  public struct SortKey: Sendable, Hashable, Codable {
    public var property: String
    public var isDescending: Bool

    public init(_ property: String, isDescending: Bool = false) {
      self.property = property
      self.isDescending = isDescending
    }

    public static func == (left: SortKey, right: SortKey) -> Bool {
      left.property.utf8.elementsEqual(right.property.utf8) && left.isDescending == right.isDescending
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(bytesOf: property)
      hasher.combine(isDescending)
    }
  }

  /// The place of a row in an order: the values of the sort keys and the primary key of the last row of a page.
  public struct PagePosition: Sendable, Hashable, Codable {
    public var values: [Value]
    public var key: Value
    /// Identifies the query that the position belongs to, so that one of another query is refused.
    public var fingerprint: UInt64

    public init(values: [Value], key: Value, fingerprint: UInt64) {
      self.values = values
      self.key = key
      self.fingerprint = fingerprint
    }
  }
}

/// What a predicate compares: a property, a part of one, a constant, or what is calculated from these.
public enum Operand: Sendable, Hashable {
  case property(PropertyPath)
  /// The number of elements of an array, of characters of a string, of bytes of data. Nothing else has one.
  case count(PropertyPath)
  case value(Value)
  /// The result of arithmetic with numbers; nil where a side is, and of a division by zero.
  indirect case arithmetic(Operand, ArithmeticOperator, Operand)
}

/// How a predicate calculates. Integers are divided as in Swift: towards zero, with a remainder of the dividend's sign.
public enum ArithmeticOperator: String, Sendable, Hashable, Codable, CaseIterable {
  case add, subtract, multiply, divide, remainder
}

/// A property, or a part of a nested value in it.
public struct PropertyPath: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The property's name. Empty inside `any` and `all`: the element itself.
  public var property: String
  /// The names of the members to follow inside a nested value.
  public var members: [String]

  public init(_ property: String, members: [String] = []) {
    self.property = property
    self.members = members
  }

  /// The element that `any` or `all` is looking at.
  public static let element = PropertyPath("")

  public var description: String { ([property] + members).joined(separator: ".") }

  public static func == (left: PropertyPath, right: PropertyPath) -> Bool {
    left.property.utf8.elementsEqual(right.property.utf8)
      && left.members.elementsEqual(right.members) { $0.utf8.elementsEqual($1.utf8) }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: property)
    for member in members { hasher.combine(bytesOf: member) }
  }
}

public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

  /// The comparison with its sides exchanged.
  public var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

public enum TextOperator: String, Sendable, Hashable, Codable, CaseIterable {
  /// Equality; with no options the same as a comparison.
  case equal
  case contains, hasPrefix, hasSuffix
  /// The whole string matches a pattern in which `*` stands for any run and `?` for one Unicode scalar; a backslash
  /// takes the meaning from the next scalar.
  case like
}

/// How strings are folded before a text operator looks at them: Foundation's folding without a locale.
public struct TextOptions: OptionSet, Sendable, Hashable, Codable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let caseInsensitive = TextOptions(rawValue: 1)
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
  /// `[cd]`: what people who search mean, in any language.
  public static let caseAndDiacriticInsensitive: TextOptions = [.caseInsensitive, .diacriticInsensitive]
}

/// A condition on a row, by names.
public indirect enum PredicateTree: Sendable, Hashable {
  case constant(Bool)
  case compare(Operand, Comparison, Operand)
  /// Membership; a null among the values matches nil.
  case oneOf(Operand, [Value])
  case text(Operand, TextOperator, String, TextOptions)
  /// Whether an array has an element that is equal to the value.
  case containsElement(PropertyPath, Value)
  /// Whether an element of the array fulfils the condition, whose paths begin at ``PropertyPath/element``.
  case any(PropertyPath, PredicateTree)
  /// Whether every element does. True of an empty array and of nil.
  case all(PropertyPath, PredicateTree)
  case not(PredicateTree)
  case and([PredicateTree])
  case or([PredicateTree])
}

/// A change of one property in `assign(query)`, by name.
public struct AssignmentTree: Sendable, Hashable, Codable {
  public var property: String
  public var operation: AssignmentOperation
  public var value: Value

  public init(_ property: String, _ operation: AssignmentOperation, _ value: Value) {
    self.property = property
    self.operation = operation
    self.value = value
  }
}

public enum AssignmentOperation: String, Sendable, Hashable, Codable, CaseIterable {
  case set, add, subtract, multiply
}

public enum AggregateFunction: String, Sendable, Hashable, Codable, CaseIterable {
  case count, sum, average, min, max
}
