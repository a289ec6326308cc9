extension Model {
  /// Every object of the model.
  public static var all: Query<Self> { Query() }

  /// The objects that fulfil the condition: `Book.where { $0.year >= 1970 }`.
  ///
  /// - Parameter condition: The condition, with the columns of the model.
  public static func `where`(@ConditionBuilder _ condition: (Columns) -> Condition) -> Query<Self> {
    Query<Self>().where(condition)
  }

  /// The objects that fulfil a condition written as in NSPredicate: `try Book.where("year >= %@", 1970)`.
  ///
  /// - Parameters:
  ///   - format: The condition: names of properties, constants, `%@` for a value and `%K` for a name.
  ///   - arguments: The values for `%@` and `%K`, in their order.
  /// - Throws: As ``Query/where(_:_:)``.
  public static func `where`(_ format: String, _ arguments: (any Storable)?...) throws -> Query<Self> {
    try Query<Self>().where(format, arguments: arguments)
  }
}
