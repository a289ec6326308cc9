/// A transaction of an engine that decides conditions on the rows of other models itself.
///
/// An engine need not: without it the rows of the other model are read first, and the list of their values takes the place
/// of the condition. The answers are the same.
public protocol SubqueryTransaction: BackendReadTransaction {
  /// Whether the engine decides every ``BoundPredicate/oneOfRows(slot:_:)`` in a condition.
  ///
  /// None must be left to the common evaluator, which does not know them.
  ///
  /// - Parameters:
  ///   - predicate: The condition.
  ///   - model: The id of the model that it is a condition on.
  /// - Throws: `invalidQuery` for a model that the schema lacks; `closed`, `transactionEnded`, `corrupt`, `io`.
  func decidesSubqueries(_ predicate: BoundPredicate, of model: ModelID) throws(StorageError) -> Bool
}
