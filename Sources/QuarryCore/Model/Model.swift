public import QuarryBackend

/// A struct that can be stored: its properties, its primary key, and how it is read from and written to a row.
///
/// `@Model` from the module Quarry writes a conformance; by hand it looks like this:
///
/// ```swift
/// struct Book: Model {
///   let id: UUID
///   var title: String
///
///   static let modelDefinition = ModelDefinition<Book>(
///     name: "Book",
///     properties: [
///       PropertyDefinition("id", \Book.id, UUID.self),
///       PropertyDefinition("title", \Book.title, String.self),
///     ],
///     primaryKey: "id")
///
///   struct Columns: ModelColumns {
///     let id = Column<UUID>("id", 0)
///     var title = Column<String>("title", 1)
///     init() {}
///   }
///
///   var primaryKeyValue: UUID { id }
///
///   init(reading row: ModelReader) throws(StorageError) {
///     id = try row.get(0)
///     title = try row.get(1)
///   }
///
///   func write(to row: ModelWriter) throws(StorageError) {
///     try row.set(0, id)
///     try row.set(1, title)
///   }
/// }
/// ```
///
/// The numbers are places in `properties`. A conformance that contradicts itself gets an error from the store, never
/// wrong data: each read and write compares its type with the property's.
///
/// A column is a variable of `Columns` where the program may set the property. It is a constant where the property is a constant,
/// is set by its own type alone, or has observers. An assignment by the engine would bypass observers. `assign` does not compile
/// for a constant.
public protocol Model: Sendable {
  /// The type of the primary key.
  associatedtype PrimaryKey: Storable & Hashable
  /// The columns that typed queries name.
  associatedtype Columns: ModelColumns

  /// The stored structure: kept in a `static let`, so that it is created once.
  static var modelDefinition: ModelDefinition<Self> { get }

  /// The primary key.
  var primaryKeyValue: PrimaryKey { get }

  /// Reads an object from a row.
  ///
  /// - Parameter row: The row, which is valid only inside the call.
  /// - Throws: The errors of ``ModelReader/get(_:as:)``. An implementation may throw `invalidValue` for an object that it
  ///   refuses.
  init(reading row: ModelReader) throws(StorageError)

  /// Writes every property to a row.
  ///
  /// - Parameter row: The row, which is valid only inside the call.
  /// - Throws: The errors of ``ModelWriter/set(_:_:)``.
  func write(to row: ModelWriter) throws(StorageError)
}
