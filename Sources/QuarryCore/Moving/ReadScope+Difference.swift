import QuarryBackend

extension ReadScope {
  /// Calls the body with every difference of two stores: versions, models, properties, indexes, and objects by their keys.
  ///
  /// The stores may be of different engines, frozen, or two states of one. Declarations of a model come before its objects,
  /// models in the order of their names, and objects in the order of their keys. Objects are compared bit by bit in the
  /// properties that both stores have with the same type.
  ///
  /// - Parameter body: A closure that returns whether to continue.
  /// - Throws: The body's errors; `corrupt` for a row that cannot be read.
  /// - Complexity: O(n) in the number of objects of both, in bounded memory.
  public func forEachDifference(
    from other: some ReadScope, _ body: (StoreDifference) throws -> Bool
  ) throws {
    try readingAndCalling { first in try StoreComparer.compare(first, other, body) }
  }

  /// The differences of two stores, none when they have the same. See ``ReadScope/forEachDifference(from:_:)``.
  ///
  /// - Parameter limit: The greatest number of differences in the result.
  /// - Throws: `corrupt` for a row that cannot be read.
  // calls: async
  public func differences(from other: some ReadableStore, limit: Int = .max) throws -> [StoreDifference] {
    try readingAndCalling { first in try StoreComparer.differences(first, from: other, limit) }
  }
}
