import QuarryBackend
import QuarryQuery

// `$0.year.isBetween(1970, 1979)`: as `(1970...1979).contains($0.year)`, for bounds of which the first may be the greater one.

extension Column where Value: Comparable {
  /// Whether the value lies between two others, both included. It is false if the first one is the greater one.
  ///
  /// - Parameters:
  ///   - low: The least value.
  ///   - high: The greatest value.
  public func isBetween(_ low: Value, _ high: Value) -> Condition { .between(operand, low, high) }
}

extension Column {
  /// Whether the value lies between two others, both included. It is false of nil.
  ///
  /// - Parameters:
  ///   - low: The least value.
  ///   - high: The greatest value.
  public func isBetween<V: Storable & Comparable>(_ low: V, _ high: V) -> Condition where Value == V? {
    .between(operand, low, high)
  }
}

extension ElementColumn where Value: Comparable {
  /// Whether the element or member lies between two others, both included.
  ///
  /// - Parameters:
  ///   - low: The least value.
  ///   - high: The greatest value.
  public func isBetween(_ low: Value, _ high: Value) -> Condition { .between(operand, low, high) }
}

extension ElementColumn {
  /// Whether the element or member lies between two others, both included. It is false of nil.
  ///
  /// - Parameters:
  ///   - low: The least value.
  ///   - high: The greatest value.
  public func isBetween<V: Storable & Comparable>(_ low: V, _ high: V) -> Condition where Value == V? {
    .between(operand, low, high)
  }
}

extension Condition {
  fileprivate static func between(_ operand: Operand, _ low: some Storable, _ high: some Storable) -> Condition {
    do throws(StorageError) {
      return Condition(.between(operand, .value(try low.storedValue()), .value(try high.storedValue())))
    } catch {
      return Condition(.constant(false), failure: error)
    }
  }
}
