public import QuarryBackend

/// A model as a table: what a selection has to know of it.
public protocol SQLTable: Sendable {
  /// The model whose rows the table has.
  var model: ModelSchema { get }
  /// The quoted name.
  var name: String { get }
  /// The SQL of the database that has the table.
  var dialect: any SQLDialect { get }
  /// The column of a slot, by its names in SQL.
  ///
  /// - Parameter slot: The number of a slot of the model.
  /// - Throws: `invalidQuery` when there is none.
  func named(_ slot: Int) throws(StorageError) -> SQLColumn
}

/// The tables of a database, which conditions on other models' rows lead to.
public protocol SQLTables: Sendable {
  /// The table of a model; nil when there is none.
  ///
  /// - Parameter model: The id of a model of the stored schema.
  func table(of model: ModelID) -> (any SQLTable)?
}
