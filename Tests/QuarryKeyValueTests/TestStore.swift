import Foundation
import QuarryBackend
import QuarryMemory
import QuarryTestSupport
import Testing

@testable import QuarryKeyValue

/// The engines that the backend is tested over.
enum EngineKind: String, CaseIterable, CustomTestStringConvertible {
  case sortedArray, sortedArrayWithoutCounts, sortedArrayOfShortKeys, memory

  var testDescription: String { rawValue }

  func backend() throws -> any Backend {
    switch self {
    case .sortedArray: try KeyValueBackend(SortedArrayEngine(), options: OpenOptions())
    case .sortedArrayWithoutCounts: try KeyValueBackend(SortedArrayEngine(countsRanges: false), options: OpenOptions())
    case .sortedArrayOfShortKeys:
      try KeyValueBackend(SortedArrayEngine(maximumKeyBytes: 16), options: OpenOptions())
    case .memory: try KeyValueBackend(MemoryEngine(), options: OpenOptions())
    }
  }
}

/// Books: a key, a unique value that may be nil, and columns of many types with indexes of all kinds.
enum Books {
  enum Slot {
    static let id = 0
    static let isbn = 1
    static let year = 2
    static let title = 3
    static let rating = 4
    static let author = 5
    static let shelf = 6
    static let place = 7
  }

  static func model(indexed: Bool = true) -> ModelSchema {
    ModelSchema(
      name: "Book",
      properties: [
        PropertySchema(name: "id", type: .int64),
        PropertySchema(name: "isbn", type: .string, isOptional: true),
        PropertySchema(name: "year", type: .int32),
        PropertySchema(name: "title", type: .string),
        PropertySchema(name: "rating", type: .double, isOptional: true),
        PropertySchema(name: "author", type: .string, isOptional: true),
        PropertySchema(name: "shelf", type: .int16),
        PropertySchema(name: "place", type: .int16, isOptional: true),
      ],
      primaryKey: Slot.id,
      indexes: indexed
        ? [
          IndexSchema(name: "byISBN", columns: [.init(slot: Slot.isbn)], isUnique: true),
          IndexSchema(name: "byYear", columns: [.init(slot: Slot.year)]),
          IndexSchema(name: "byRating", columns: [.init(slot: Slot.rating, isDescending: true)]),
          IndexSchema(
            name: "byAuthor", columns: [.init(slot: Slot.author), .init(slot: Slot.year, isDescending: true)]),
          IndexSchema(name: "byPlace", columns: [.init(slot: Slot.shelf), .init(slot: Slot.place)], isUnique: true),
        ] : [])
  }
}

/// A row of a book in the order of the slots. Shelf and place are unique together, so that the default has no place.
struct Book {
  var id: Int64
  var isbn: String?
  var year: Int32 = 2000
  var title = ""
  var rating: Double?
  var author: String?
  var shelf: Int16 = 0
  var place: Int16?

  var values: [Value] {
    [
      .int(id), isbn.map { .string($0) } ?? .null, .int(Int64(year)), .string(title),
      rating.map { .double($0) } ?? .null, author.map { .string($0) } ?? .null, .int(Int64(shelf)),
      place.map { .int(Int64($0)) } ?? .null,
    ]
  }
}

/// A backend with one model in it.
final class TestStore {
  let backend: any Backend
  let model: ModelSchema
  let layout: RowLayout

  init(_ backend: any Backend, _ model: ModelSchema = Books.model()) throws {
    self.backend = backend
    let transaction = try backend.beginWrite(WriteOptions())
    try transaction.apply(.createModel(model))
    self.model = try #require(transaction.schema.model(named: model.name))
    _ = try transaction.commit()
    layout = RowLayout(self.model)
  }

  convenience init(_ kind: EngineKind = .sortedArray, indexed: Bool = true) throws {
    try self.init(try kind.backend(), Books.model(indexed: indexed))
  }

  /// Runs the body in a write transaction, commits it, and finds the indexes sound before and the store after.
  @discardableResult
  func write<Result>(_ body: (any BackendWriteTransaction) throws -> Result) throws -> Result {
    let transaction = try backend.beginWrite(WriteOptions())
    defer { transaction.rollback() }
    let result = try body(transaction)
    #expect(try indexFaults(transaction) == [])
    _ = try transaction.commit()
    #expect(try backend.check() == [])
    return result
  }

  func read<Result>(_ body: (any BackendReadTransaction) throws -> Result) throws -> Result {
    let transaction = try backend.beginRead()
    defer { transaction.end() }
    return try body(transaction)
  }

  // MARK: Rows

  func bytes(_ values: [Value], _ layout: RowLayout? = nil) throws -> [UInt8] {
    let layout = layout ?? self.layout
    let writer = RowWriter(layout)
    writer.begin()
    for (slot, value) in zip(layout.slots, values) where !value.isNull { try writer.set(slot, value: value) }
    return Array(try writer.finish())
  }

  func insert(_ transaction: any BackendWriteTransaction, _ books: [Book]) throws {
    try insert(transaction, books.map(\.values))
  }

  func insert(_ transaction: any BackendWriteTransaction, _ rows: [[Value]]) throws {
    var batch = RowBatch()
    for row in rows { try bytes(row).withUnsafeBytes { batch.append($0) } }
    try transaction.insert(model.id, batch)
  }

  @discardableResult
  func upsert(
    _ transaction: any BackendWriteTransaction, _ books: [Book], _ policy: UpsertPolicy = .replace
  ) throws -> Int {
    var batch = RowBatch()
    for book in books { try bytes(book.values).withUnsafeBytes { batch.append($0) } }
    return try transaction.upsert(model.id, batch, policy)
  }

  func update(
    _ transaction: any BackendWriteTransaction, _ book: Book, slots: [Int]? = nil, expected: Book? = nil,
    expectedSlots: [Int]? = nil
  ) throws {
    try bytes(book.values).withUnsafeBytes { row in
      if let expected {
        try bytes(expected.values).withUnsafeBytes {
          try transaction.update(model.id, row, slots: slots, expected: $0, expectedSlots: expectedSlots)
        }
      } else {
        try transaction.update(model.id, row, slots: slots, expected: nil, expectedSlots: nil)
      }
    }
  }

  func key(_ id: Int64) throws -> Key { try Key.primary(.int(id), model) }

  func get(_ transaction: any BackendReadTransaction, _ id: Int64) throws -> [Value]? {
    try key(id).bytes.withUnsafeBytes { key in try transaction.row(model.id, key).map { try values($0) } }
  }

  func values(_ row: UnsafeRawBufferPointer, _ layout: RowLayout? = nil) throws -> [Value] {
    let layout = layout ?? self.layout
    let view = try RowView(row, layout)
    return try layout.slots.map { try view.value($0, layout) }
  }

  // MARK: Queries

  func query(
    _ predicate: BoundPredicate = .constant(true), order: [BoundSortKey] = [], limit: Int? = nil, offset: Int = 0
  ) -> BoundQuery {
    let direction = order.last?.isDescending ?? false
    let isWhole = order.contains { $0.slot == model.primaryKey }
    return BoundQuery(
      model: model.id, predicate: predicate,
      order: isWhole ? order : order + [BoundSortKey(slot: model.primaryKey, isDescending: direction)],
      limit: limit, offset: offset)
  }

  func rows(_ transaction: any BackendReadTransaction, _ query: BoundQuery) throws -> [[Value]] {
    let cursor = try transaction.cursor(query)
    defer { cursor.close() }
    let layout = transaction.schema.model(id: model.id).map(RowLayout.init) ?? layout
    var result: [[Value]] = []
    let batch = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 100)
    batch.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    defer { batch.deallocate() }
    while case let count = try cursor.fill(batch), count > 0 {
      for place in 0..<count { result.append(try values(batch[place], layout)) }
    }
    return result
  }

  func ids(_ transaction: any BackendReadTransaction, _ query: BoundQuery) throws -> [Int64] {
    try rows(transaction, query).map { row in
      guard case .int(let id) = row[0] else { return -1 }
      return id
    }
  }

  func ids(_ query: BoundQuery) throws -> [Int64] {
    try read { try ids($0, query) }
  }

  func explain(_ query: BoundQuery) throws -> QueryPlan {
    try read { try $0.explain(query) }
  }
}

/// The code of the error that the body throws, nil when it throws none.
func thrownCode(_ body: () throws -> Void) -> StorageError.Code? {
  failure(body)?.code
}
