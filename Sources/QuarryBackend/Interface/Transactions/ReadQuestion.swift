/// A read of a transaction, one of several that are asked at once: ``BackendReadTransaction/answers(_:)``.
public enum ReadQuestion: Sendable {
  /// Which of the keys no row has: ``BackendReadTransaction/missing(_:_:)``.
  case missing(ModelID, [Key])
  /// The rows of a query, which are few: ``BackendReadTransaction/cursor(_:)``.
  case rows(BoundQuery)
}

/// The answer to a ``ReadQuestion``.
public enum ReadAnswer: Sendable, Hashable {
  /// The places of the keys that no row has, ascending.
  case missing([Int])
  /// The rows in the order of the query.
  case rows([Row])
}
