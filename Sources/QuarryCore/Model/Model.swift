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
/// A column is a variable of `Columns` where the program may set the property, and a constant where the property is a
/// constant, is set by its own type alone or has observers, which an assignment by the engine would pass over: then
/// `assign` does not compile for it.
public protocol Model: Sendable {
  /// The type of the primary key.
  associatedtype PrimaryKey: Storable & Hashable
  /// The columns that typed queries name.
  associatedtype Columns: ModelColumns

  /// What is stored: kept in a `static let`, so that it is made once.
  static var modelDefinition: ModelDefinition<Self> { get }

  /// The primary key.
  var primaryKeyValue: PrimaryKey { get }

  /// Reads an object from a row.
  init(reading row: ModelReader) throws(StorageError)

  /// Writes every property to a row.
  func write(to row: ModelWriter) throws(StorageError)
}

/// The columns of a model, one property each: `var year = Column<Int>("year", 2)`, or `let` where it is not assigned to.
public protocol ModelColumns: Sendable {
  init()
}

/// A column of a model in a query.
@frozen
public struct Column<Value: Storable>: Sendable {
  // A plain value, so that making the columns of a model costs nothing where one of them is looked up.
  @usableFromInline let literal: StaticString
  /// The property's place in the model's definition.
  public let index: Int

  @inlinable
  public init(_ name: StaticString, _ index: Int) {
    literal = name
    self.index = index
  }

  /// The property's name as it is stored.
  public var name: String { literal.description }
}

/// What is stored of a model.
public final class ModelDefinition<M: Model>: AnyModelDefinition, @unchecked Sendable {
  // Unchecked because the superclass is not final; all stored properties of both are immutable and Sendable.

  /// - Parameters:
  ///   - name: The name of the model in the store.
  ///   - properties: All stored properties.
  ///   - primaryKey: The name of the property that is the primary key.
  ///   - indexes: Indexes beside the primary key.
  public init(
    name: String, properties: [PropertyDefinition<M>], primaryKey: String, indexes: [IndexDefinition] = []
  ) {
    keyPaths = properties.map { ($0.property, $0.name) }
    super.init(name: name, properties: properties.map(\.stored), primaryKey: primaryKey, indexes: indexes)
  }

  private let keyPaths: [(PropertyKeyPath<M>, String)]

  /// The stored name of the property with that key path, if it is one.
  ///
  /// - Complexity: O(n) in the number of properties.
  public func name(of keyPath: PartialKeyPath<M>) -> String? {
    keyPaths.first { $0.0.matches(keyPath) }?.1
  }
}

/// A property of a model's definition.
public struct PropertyDefinition<M: Model>: Sendable {
  let name: String
  let property: PropertyKeyPath<M>
  let stored: StoredProperty

  /// - Parameters:
  ///   - name: The property's name in the store.
  ///   - keyPath: The property, stored in the struct itself. It need not be Sendable, because that of a struct in a
  ///     module that is isolated to the main actor is not.
  ///   - type: Its type.
  ///   - defaultValue: What objects have that were stored before the property was added, when it is a constant.
  ///   - originalName: The name that the property had in the store before it was renamed, for migrations. Opening a
  ///     store does nothing with it.
  public init<V: Storable>(
    _ name: String, _ keyPath: KeyPath<M, V>, _ type: V.Type, default defaultValue: V? = nil,
    originalName: String? = nil
  ) {
    self.name = name
    property = PropertyKeyPath(keyPath)
    stored = StoredProperty(name: name, originalName: originalName, type: V.storedType) {
      () throws(StorageError) -> Value? in
      try defaultValue?.storedValue()
    }
  }
}

/// A property without its Swift type.
struct StoredProperty: Sendable {
  let name: String
  let originalName: String?
  let type: StoredType
  let defaultValue: Result<Value?, StorageError>

  init(
    name: String, originalName: String?, type: StoredType, defaultValue: () throws(StorageError) -> Value?
  ) {
    self.name = name
    self.originalName = originalName
    self.type = type
    do throws(StorageError) {
      self.defaultValue = .success(try defaultValue())
    } catch {
      self.defaultValue = .failure(error)
    }
  }
}

/// An index of a model's definition.
public struct IndexDefinition: Sendable, Hashable {
  /// A column of an index.
  public struct Column: Sendable, Hashable, ExpressibleByStringLiteral {
    public var property: String
    public var order: SortDirection

    public init(_ property: String, order: SortDirection = .forward) {
      self.property = property
      self.order = order
    }

    public init(stringLiteral value: String) {
      self.init(value)
    }
  }

  public var name: String?
  public var columns: [Column]
  public var isUnique: Bool

  /// - Parameter name: The index's name in the store; made of the names of its columns when nil.
  public init(_ columns: [Column], isUnique: Bool = false, name: String? = nil) {
    self.columns = columns
    self.isUnique = isUnique
    self.name = name
  }

  var storedName: String { name ?? columns.map(\.property).joined(separator: "_") }
}

/// The direction of a sort or of a column of an index.
public enum SortDirection: String, Sendable, Hashable, Codable {
  /// From the least value to the greatest; nil first.
  case forward
  /// From the greatest value to the least; nil last.
  case reverse
}
