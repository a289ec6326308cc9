package import QuarryBackend

/// How one table becomes a model.
package struct TablePlan: Sendable {
  /// The source of a property.
  enum Source: Sendable, Hashable {
    /// A column, by its name.
    case column(String, ForeignForm)
    /// The number that SQLite gives each row, by the name that reads it.
    case rowID(String)
    /// 1 for the first row, 2 for the second.
    case counted
    /// The bytes of a compound key, which its members give.
    case key
  }

  package var table: String
  /// The model, without ids of a store.
  package var model: ModelSchema
  /// For each property its source.
  var sources: [Source]
}

/// How tables of a database become models: the order in which they are filled, and what a person should know.
package struct AdoptionPlan: Sendable {
  /// Tables come after those that they refer to.
  package var tables: [TablePlan]
  /// Each a sentence.
  package var notes: [String]
}

extension AdoptionPlan {
  /// The names that models and properties get.
  package enum Naming: Sendable {
    /// Those of tables and columns.
    case original
    /// Those that Swift programs use: `Book`, `publishedOn`.
    case swift
  }

  /// Reads the declarations and the content of tables, each once, in bounded memory.
  ///
  /// - Parameters:
  ///   - tables: The names of the tables; nil for all that hold data of the program.
  ///   - modelName: The name of the model of a single table.
  ///   - stored: The models of the store that the tables get into.
  /// - Throws: `notFound`, `corrupt`, `io`; `invalidQuery` where nothing is to be adopted.
  package init(
    _ database: ForeignDatabase, tables: [String]? = nil, modelName: String? = nil, naming: Naming = .original,
    stored: [ModelSchema] = []
  ) throws(StorageError) {
    let builder = try AdoptionBuilder(database, naming: naming, stored: stored)
    let names = if let tables { tables } else { try builder.ownTables }
    try builder.read(names, modelName)
    self.tables = try builder.plans()
    notes = builder.notes
  }
}
