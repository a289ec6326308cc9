import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// Queries that share the text and the statement of the first of their shape.
@Suite struct KeptSelectTests {
  private func store(_ count: Int64 = 60) throws -> TestStore {
    let store = try TestStore(TestModel.item)
    try store.insert(
      (1...count).map { id in
        StatementTests.item(id, rank: id, count: id % 5 == 0 ? nil : id % 7, score: id == 9 ? .nan : Double(id) / 2)
      })
    return store
  }

  /// The keys that SQLite gives to a query and those that the common evaluator gives.
  private func check(_ store: TestStore, _ query: BoundQuery, _ place: Int = #line) throws {
    let all = try store.fetch(store.query(order: query.order))
    let predicate = try CompiledPredicate(query.predicate, store.layout)
    var expected = try all.filter { values in
      try store.row(values).bytes.withUnsafeBytes { try predicate.matches($0) }
    }
    expected = Array(expected.dropFirst(query.offset))
    if let limit = query.limit { expected = Array(expected.prefix(limit)) }
    let found = try store.fetch(query)
    #expect(found.map { $0[0] } == expected.map { $0[0] }, "line \(place): \(query)")
    #expect(try store.read { try $0.count(query) } == expected.count, "line \(place): \(query)")
  }

  @Test func constantsOfOneShape() throws {
    let store = try store()
    for round in 0..<3 {
      for number in [3, 0, 40, 41, 100] as [Int64] {
        for comparison in [Comparison.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual] {
          try check(store, store.query(.compare(slot: 1, comparison, .int(number))))
          try check(store, store.query(.not(.compare(slot: 2, comparison, .int(number % 7)))))
          try check(store, store.query(.compare(slot: 3, comparison, .double(number == 41 ? .nan : Double(number)))))
          try check(
            store,
            store.query(
              .and([
                .compare(slot: 1, comparison, .int(number)),
                .or([.isNull(slot: 2), .compare(slot: 2, .less, .int(Int64(round) + 2))]),
              ])))
        }
      }
    }
  }

  @Test func limitsAndOffsetsOfOneShape() throws {
    let store = try store()
    let orders = [false, true].map { [BoundSortKey(slot: 0, isDescending: $0)] }
    for number in [0, 1, 7, 59, 60, 61] {
      for order in orders {
        let predicate = BoundPredicate.compare(slot: 0, .greaterOrEqual, .int(Int64(number)))
        try check(store, store.query(predicate, order: order, limit: number))
        try check(store, store.query(predicate, order: order, limit: number, offset: 2))
        try check(store, store.query(predicate, order: order, offset: number))
        try check(store, store.query(predicate, order: order, limit: nil))
      }
    }
  }

  @Test func projectionsAreShapes() throws {
    let store = try store(10)
    var query = store.query(.compare(slot: 1, .less, .int(4)))
    for _ in 0..<2 {
      query.projection = nil
      #expect(try store.fetch(query).map { $0[3] } == [.double(0.5), .double(1), .double(1.5)])
      #expect(try store.fetch(query).map { $0[1] } == [.int(1), .int(2), .int(3)])
      query.projection = [3]
      #expect(try store.fetch(query).map { $0[3] } == [.double(0.5), .double(1), .double(1.5)])
      // What is not asked for is not read.
      #expect(try store.fetch(query).map { $0[1] } == [.null, .null, .null])
      query.projection = [1, 3]
      #expect(try store.fetch(query).map { $0[1] } == [.int(1), .int(2), .int(3)])
    }
  }

  @Test func cursorsOfOneShapeAtOnce() throws {
    let store = try store()
    try store.read { transaction in
      var cursors: [(least: Int64, cursor: any RowCursor)] = []
      for least in [1, 20, 50] as [Int64] {
        let query = store.query(.compare(slot: 0, .greaterOrEqual, .int(least)))
        cursors.append((least, try transaction.cursor(query)))
      }
      let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 4)
      rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
      defer { rows.deallocate() }
      var found: [Int64: [Int64]] = [:]
      var isMore = true
      while isMore {
        isMore = false
        for (least, cursor) in cursors {
          let count = try cursor.fill(rows)
          if count > 0 { isMore = true }
          for row in rows[..<count] {
            guard case .int(let id) = try TestStore.values(row, store.layout)[0] else { continue }
            found[least, default: []].append(id)
          }
        }
      }
      for (least, cursor) in cursors {
        #expect(found[least] == Array(least...60))
        cursor.close()
        cursor.close()
      }
      // Rows of a cursor stay when the one before it, whose memory it has, is closed again.
      let first = try transaction.cursor(store.query(.compare(slot: 0, .equal, .int(5))))
      first.close()
      let second = try transaction.cursor(store.query(.compare(slot: 0, .equal, .int(6))))
      #expect(try second.fill(rows) == 1)
      first.close()
      let third = try transaction.cursor(store.query(.compare(slot: 0, .equal, .int(7))))
      let row = rows[0]
      let others = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 4)
      others.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
      defer { others.deallocate() }
      #expect(try third.fill(others) == 1)
      #expect(try TestStore.values(row, store.layout)[0] == .int(6))
      #expect(try TestStore.values(others[0], store.layout)[0] == .int(7))
    }
  }

  @Test func moreShapesThanAreKept() throws {
    let store = try store()
    for _ in 0..<3 {
      for parts in 1...12 {
        let predicate = BoundPredicate.and(
          (0..<parts).map { .compare(slot: 0, .notEqual, .int(Int64($0))) })
        try check(store, store.query(predicate))
      }
    }
  }

  @Test func aChangeOfTheSchemaEndsThem() throws {
    let store = try store()
    let query = store.query(.compare(slot: 2, .greater, .int(3)))
    try check(store, query)
    try store.write { transaction in
      #expect(try TestStore.fetch(transaction, query, store.layout).count == 19)
      try transaction.apply(.dropIndex(store.id, index: transaction.schema.models[0].indexes[1].id))
      #expect(try TestStore.fetch(transaction, query, store.layout).count == 19)
    }
    try check(store, query)
    try check(store, store.query(.compare(slot: 2, .greater, .int(5))))
  }
}
