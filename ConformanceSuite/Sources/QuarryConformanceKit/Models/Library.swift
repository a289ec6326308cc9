package import QuarryBackend
package import QuarryCore

/// A program in four versions, of which each has its own type of the same model.
package enum Library {
  package enum First: VersionedSchema {
    package static let version = 1
    package static let models: [any Model.Type] = [Book.self]

    /// Years are texts.
    package struct Book: Model, Equatable {
      package var id: Int
      package var title: String
      package var year: String

      package static let modelDefinition = ModelDefinition<Book>(
        name: "Book",
        properties: [
          PropertyDefinition("id", \Book.id, Int.self), PropertyDefinition("title", \Book.title, String.self),
          PropertyDefinition("year", \Book.year, String.self),
        ], primaryKey: "id")

      package struct Columns: ModelColumns {
        package let id = Column<Int>("id", 0)
        package var title = Column<String>("title", 1)
        package var year = Column<String>("year", 2)

        package init() {}
      }

      package var primaryKeyValue: Int { id }

      package init(id: Int, title: String, year: String) {
        (self.id, self.title, self.year) = (id, title, year)
      }

      package init(reading row: ModelReader) throws(StorageError) {
        (id, title, year) = (try row.get(0), try row.get(1), try row.get(2))
      }

      package func write(to row: ModelWriter) throws(StorageError) {
        try row.set(0, id)
        try row.set(1, title)
        try row.set(2, year)
      }
    }
  }

  package enum Second: VersionedSchema {
    package static let version = 2
    package static let models: [any Model.Type] = [Book.self]

    /// Years are numbers, and unique.
    package struct Book: Model, Equatable {
      package var id: Int
      var title: String
      var year: Int32

      package static let modelDefinition = ModelDefinition<Book>(
        name: "Book",
        properties: [
          PropertyDefinition("id", \Book.id, Int.self), PropertyDefinition("title", \Book.title, String.self),
          PropertyDefinition("year", \Book.year, Int32.self),
        ], primaryKey: "id", indexes: [IndexDefinition(["year"], isUnique: true)])

      package struct Columns: ModelColumns {
        let id = Column<Int>("id", 0)
        var title = Column<String>("title", 1)
        package var year = Column<Int32>("year", 2)

        package init() {}
      }

      package var primaryKeyValue: Int { id }

      package init(id: Int, title: String, year: Int32) {
        (self.id, self.title, self.year) = (id, title, year)
      }

      package init(reading row: ModelReader) throws(StorageError) {
        (id, title, year) = (try row.get(0), try row.get(1), try row.get(2))
      }

      package func write(to row: ModelWriter) throws(StorageError) {
        try row.set(0, id)
        try row.set(1, title)
        try row.set(2, year)
      }
    }
  }

  package enum Third: VersionedSchema {
    package static let version = 5
    package static let models: [any Model.Type] = [Book.self, Shelf.self]

    /// The title is called name, the year is wider, and there is a shelf. The model of shelves is new.
    package struct Book: Model, Equatable {
      var id: Int
      package var name: String
      var year: Int
      var shelf: Int?

      package static let modelDefinition = ModelDefinition<Book>(
        name: "Book",
        properties: [
          PropertyDefinition("id", \Book.id, Int.self),
          PropertyDefinition("name", \Book.name, String.self, originalName: "title"),
          PropertyDefinition("year", \Book.year, Int.self), PropertyDefinition("shelf", \Book.shelf, Int?.self),
        ], primaryKey: "id")

      package struct Columns: ModelColumns {
        let id = Column<Int>("id", 0)
        var name = Column<String>("name", 1)
        var year = Column<Int>("year", 2)
        var shelf = Column<Int?>("shelf", 3)

        package init() {}
      }

      package var primaryKeyValue: Int { id }

      package init(id: Int, name: String, year: Int, shelf: Int? = nil) {
        (self.id, self.name, self.year, self.shelf) = (id, name, year, shelf)
      }

      package init(reading row: ModelReader) throws(StorageError) {
        (id, name, year, shelf) = (try row.get(0), try row.get(1), try row.get(2), try row.get(3))
      }

      package func write(to row: ModelWriter) throws(StorageError) {
        try row.set(0, id)
        try row.set(1, name)
        try row.set(2, year)
        try row.set(3, shelf)
      }
    }

    package struct Shelf: Model, Equatable {
      var id: Int
      var books: Int

      package static let modelDefinition = ModelDefinition<Shelf>(
        name: "Shelf",
        properties: [
          PropertyDefinition("id", \Shelf.id, Int.self), PropertyDefinition("books", \Shelf.books, Int.self),
        ], primaryKey: "id")

      package struct Columns: ModelColumns {
        let id = Column<Int>("id", 0)
        var books = Column<Int>("books", 1)

        package init() {}
      }

      package var primaryKeyValue: Int { id }

      package init(id: Int, books: Int) { (self.id, self.books) = (id, books) }

      package init(reading row: ModelReader) throws(StorageError) { (id, books) = (try row.get(0), try row.get(1)) }

      package func write(to row: ModelWriter) throws(StorageError) {
        try row.set(0, id)
        try row.set(1, books)
      }
    }
  }

  /// From texts to numbers by a transformation, then by a body with something afterwards.
  package enum Plan: MigrationPlan {
    package static let schemas: [any VersionedSchema.Type] = [First.self, Second.self, Third.self]
    package static let stages: [MigrationStage] = [
      .custom(from: First.self, to: Second.self) { m in
        try m.transform(First.Book.self, to: Second.Book.self) { old in
          Int32(old.year).map { Second.Book(id: old.id, title: old.title, year: $0) }
        }
      },
      .custom(from: Second.self, to: Third.self) { m in
        try m.afterwards { tx in
          try tx.insert(Third.Shelf(id: 1, books: try tx.count(Third.Book.all)))
          try tx.assign(Third.Book.all) { $0.shelf = 1 }
        }
      },
    ]
  }

  /// The same versions in another order, without bodies where there need be none.
  package enum PlainPlan: MigrationPlan {
    package static let schemas: [any VersionedSchema.Type] = [Third.self, Second.self]
    package static let stages: [MigrationStage] = [.lightweight(from: Second.self, to: Third.self)]
  }
}
