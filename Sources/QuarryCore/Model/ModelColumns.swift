/// The columns of a model, one property each: `var year = Column<Int>("year", 2)`, or `let` where it is not assigned to.
@dynamicMemberLookup
public protocol ModelColumns: Sendable {
  /// Creates the columns.
  init()
}
