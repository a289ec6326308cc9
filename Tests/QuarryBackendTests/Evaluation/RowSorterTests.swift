import Foundation
import QuarryTestSupport
import Testing

@testable import QuarryBackend

@Suite struct RowSorterTests {
  static func sorted(
    _ rows: [[UInt8]], _ keys: [BoundSortKey], bound: Int? = nil, offset: Int = 0, batch: Int = 7
  ) throws -> [[UInt8]] {
    let sorter = RowSorter(RowOrder(keys, Everything.layout), bound: bound)
    for row in rows { try row.withUnsafeBytes { try sorter.add($0) } }
    try sorter.finish(skipping: offset)
    let buffer = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: batch)
    defer { buffer.deallocate() }
    var result: [[UInt8]] = []
    while true {
      let count = try sorter.fill(buffer)
      if count == 0 { break }
      result += buffer[..<count].map { Array($0) }
    }
    #expect(try sorter.fill(buffer) == 0)
    sorter.close()
    sorter.close()
    return result
  }

  /// Rows of every age with distinct primary keys, by what they hold and as bytes.
  static func rows(_ count: Int, _ generator: inout SeededGenerator) throws -> [(values: [Value], bytes: [UInt8])] {
    try (0..<count).map { index in
      var values = Everything.random(&generator)
      values[0] = .int(Int64(index))
      let age = Everything.ages.randomElement(using: &generator)!
      return (Everything.seen(values, age: age), try Everything.bytes(values, age: age))
    }.shuffled(using: &generator)
  }

  static let sortable = Everything.model.properties.indices.filter { Everything.model.properties[$0].type.isOrdered }

  @Test(arguments: sortable) func byEveryProperty(_ slot: Int) throws {
    var generator = SeededGenerator(seed: UInt64(slot))
    let rows = try Self.rows(80, &generator)
    for isDescending in [false, true] {
      let keys = [
        BoundSortKey(slot: slot, isDescending: isDescending), BoundSortKey(slot: 0, isDescending: isDescending),
      ]
      let expected = Reference.sorted(rows.map(\.values), keys).map { $0[0] }
      let byKey = Dictionary(uniqueKeysWithValues: rows.map { ($0.bytes, $0.values[0]) })
      #expect(try Self.sorted(rows.map(\.bytes), keys).map { byKey[$0] } == expected)
    }
  }

  @Test(arguments: [0, 1, 2, 10, 99, 100, 101, 1000]) func aBoundGivesTheFirstOfTheFullSort(_ bound: Int) throws {
    var generator = SeededGenerator(seed: UInt64(bound))
    for _ in 0..<6 {
      let rows = try Self.rows(100, &generator).map(\.bytes)
      let keys =
        (0..<2).map { _ in
          BoundSortKey(
            slot: Self.sortable.randomElement(using: &generator)!, isDescending: Bool.random(using: &generator))
        } + [BoundSortKey(slot: 0)]
      let full = try Self.sorted(rows, keys)
      #expect(try Self.sorted(rows, keys, bound: bound) == Array(full.prefix(bound)))
      let offset = Int.random(in: 0...20, using: &generator)
      #expect(try Self.sorted(rows, keys, bound: bound, offset: offset) == Array(full.prefix(bound).dropFirst(offset)))
    }
  }

  @Test func aBoundedSortReusesMemory() throws {
    let sorter = RowSorter(RowOrder([BoundSortKey(slot: 0, isDescending: true)], Everything.layout), bound: 10)
    var generator = SeededGenerator(seed: 1)
    var values = Everything.random(&generator)
    // Every row replaces another, and each is larger than those before it.
    for index in 0..<3000 {
      values[0] = .int(Int64(index))
      values[Everything.slot("string")] = .string(String(repeating: "x", count: index))
      try Everything.bytes(values).withUnsafeBytes { try sorter.add($0) }
    }
    #expect(sorter.memoryBytes < 4 << 20)
    try sorter.finish(skipping: 0)
    let buffer = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 20)
    defer { buffer.deallocate() }
    let count = try sorter.fill(buffer)
    let keys = try buffer[..<count].map {
      try RowView($0, Everything.layout).value(Everything.layout.keySlot, Everything.layout)
    }
    #expect(keys == (2990..<3000).reversed().map { .int($0) })
  }

  @Test func comparingRowsAgreesWithSorting() throws {
    var generator = SeededGenerator(seed: 3)
    let rows = try Self.rows(30, &generator)
    for slot in Self.sortable {
      for isDescending in [false, true] {
        let keys = [BoundSortKey(slot: slot, isDescending: isDescending)]
        let order = RowOrder(keys, Everything.layout)
        for a in rows {
          for b in rows {
            let result = try a.bytes.withUnsafeBytes { a in try b.bytes.withUnsafeBytes { try order.compare(a, $0) } }
            let expected = Reference.total(a.values[slot], b.values[slot]) * (isDescending ? -1 : 1)
            #expect(result.signum() == expected)
          }
        }
      }
    }
  }

  @Test func anUnknownSlotIsRefused() throws {
    var generator = SeededGenerator(seed: 4)
    let row = try Everything.bytes(Everything.random(&generator))
    let error = #expect(throws: StorageError.self) { try Self.sorted([row], [BoundSortKey(slot: 1000)]) }
    #expect(error?.code == .invalidQuery)
  }

  @Test func valuesWithoutAnOrderAreRefused() throws {
    var generator = SeededGenerator(seed: 4)
    var values = Everything.random(&generator)
    values[Everything.slot("list")] = .array([])
    let row = try Everything.bytes(values)
    let error = #expect(throws: StorageError.self) {
      try Self.sorted([row], [BoundSortKey(slot: Everything.slot("list"))])
    }
    #expect(error?.code == .unsupported)
  }

  @Test func damagedRowsAreCorrupt() {
    let error = #expect(throws: StorageError.self) { try Self.sorted([[1, 2]], [BoundSortKey(slot: 0)]) }
    #expect(error?.code == .corrupt)
  }
}
