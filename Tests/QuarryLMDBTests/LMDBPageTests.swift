import CLMDB
import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

/// Pages that are read in place give what LMDB itself gives.
@Suite struct LMDBPageTests {
  let place: Place

  init() throws {
    place = try Place()
  }

  private typealias Entry = [[UInt8]]

  /// Keys of many lengths, with bytes that sort first and last.
  private func bytes(_ most: Int) -> [UInt8] {
    (0..<Int.random(in: 0...most)).map { _ in [0, 0, 1, 7, 200, 255].randomElement() ?? 0 }
  }

  private func entries(_ walk: LMDBWalk) throws(StorageError) -> [Entry] {
    defer { mdb_cursor_close(walk.cursor) }
    var result: [Entry] = []
    while try walk.advance() { result.append([Array(walk.keyBytes), Array(walk.valueBytes)]) }
    #expect(try !walk.advance())
    return result
  }

  private func values(_ walk: LMDBWalk, _ room: Int) throws(StorageError) -> [[UInt8]] {
    defer { mdb_cursor_close(walk.cursor) }
    let batch = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: room)
    defer { batch.deallocate() }
    var result: [[UInt8]] = []
    while true {
      let count = try walk.fill(batch)
      if count == 0 { return result }
      for value in batch[..<count] { result.append(Array(value)) }
    }
  }

  /// Trees of one entry and of several levels; keys of many lengths, with zeros; values with pages of their own.
  @Test(arguments: [1, 2, 60, 5_000])
  func everyRangeIsWalkedAsLMDBWalksIt(size: Int) throws {
    let engine = try place.open()
    var keys: [[UInt8]] = []
    try engine.write { tx throws(StorageError) in
      for _ in 0..<size {
        keys.append(bytes(9))
        try tx.put(1, keys.last ?? [], Int.random(in: 0..<100) == 0 ? Array(repeating: 3, count: 9_000) : bytes(60))
      }
    }
    let reader = try engine.beginRead()
    defer { reader.end() }
    let handle = try #require(reader.table.handle(1))
    for round in 0..<150 {
      let bounds = (0..<2).map { _ in
        switch Int.random(in: 0..<4) {
        case 0: [UInt8]?.none
        case 1: bytes(9)
        default: keys.randomElement()
        }
      }
      let range = KeyRange(lower: round == 0 ? nil : bounds[0], upper: round == 0 ? nil : bounds[1])
      for descending in [false, true] {
        func leaves() throws(StorageError) -> LMDBWalk { try reader.makeWalk(handle, range, descending: descending) }
        let expected = try entries(LMDBWalk(reader.transaction, handle, range, descending: descending))
        #expect(try leaves() is LMDBLeafWalk)
        #expect(try entries(leaves()) == expected, "\(range) \(descending)")
        for room in [1, 7, 64] { #expect(try values(leaves(), room) == expected.map { $0[1] }) }
        let counted = try leaves()
        #expect(try counted.countAll() == expected.count)
        mdb_cursor_close(counted.cursor)
      }
    }
  }

  /// Keys that are there, keys beside them, and values with pages of their own, in a transaction and by one call.
  @Test(arguments: [0, 1, 2, 60, 20_000])
  func everyKeyIsFoundThatLMDBFinds(size: Int) throws {
    let engine = try place.open()
    var keys: [[UInt8]] = []
    try engine.write { tx throws(StorageError) in
      try tx.put(12, [1], [1])
      _ = try tx.delete(12, [1])
      for number in 0..<size {
        keys.append(number % 2 == 0 ? bytes(12) : key(.random(in: 0..<1_000_000)) + bytes(3))
        let value = number % 90 == 7 ? Array(repeating: 3, count: 9_000 + number % 7_000) : bytes(60)
        try tx.put(31, keys.last ?? [], value)
      }
    }
    let reader = try engine.beginRead()
    defer { reader.end() }
    #expect(try reader.get(12, [1]) == nil)
    #expect(try engine.value(12, [1]) == nil)
    guard size > 0 else { return }
    #expect(LMDBSearch(31, reader.transaction, engine.environment) != nil)
    #expect(LMDBSearch(32, reader.transaction, engine.environment) == nil)
    let handle = try #require(reader.table.handle(31))
    for _ in 0..<4_000 {
      var key = Bool.random() ? bytes(12) : keys.randomElement() ?? []
      switch Int.random(in: 0..<6) {
      case 0: key.append(0)
      case 1 where !key.isEmpty: key.removeLast()
      case 2 where !key.isEmpty: key[key.count - 1] &+= 1
      default: break
      }
      var expected: [UInt8]?
      try lend(key) { bytes throws(StorageError) in
        expected = try LMDBTransaction.value(reader.transaction, handle, bytes).map { Array($0) }
      }
      #expect(try reader.get(31, key) == expected, "\(key)")
      #expect(try engine.value(31, key) == expected, "\(key)")
    }
  }

  /// Walks do not disturb each other, nor one that has read a part of a page by itself.
  @Test func waysOfReadingCanBeMixed() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for number in 0..<2_000 { try tx.put(1, key(number), key(number)) }
    }
    let reader = try engine.beginRead()
    defer { reader.end() }
    var first = try reader.cursor(1, .all, descending: false)
    var second = try reader.cursor(1, .all, descending: true)
    let batch = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 50)
    defer { batch.deallocate() }
    var (ascending, descending): ([[UInt8]], [[UInt8]]) = ([], [])
    while ascending.count < 2_000 {
      ascending.append(Array(try #require(try first.next()).value))
      for value in batch[..<(try first.fill(batch))] { ascending.append(Array(value)) }
      for value in batch[..<(try second.fill(batch))] { descending.append(Array(value)) }
      if let value = try second.next()?.value { descending.append(Array(value)) }
    }
    #expect(ascending == (0..<2_000).map(key))
    #expect(descending == ascending.reversed())
  }

  /// Offsets that leave the page, on every leaf page that has more than a few entries.
  @Test(arguments: ["place", "key", "value", "count"])
  func aDamagedPageIsAnError(what: String) throws {
    var engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for number in 0..<1_000 { try tx.put(1, key(number), key(number)) }
    }
    try engine.close()
    let file = URL(fileURLWithPath: place.path + "/data.mdb")
    var bytes = [UInt8](try Data(contentsOf: file))
    func number(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    for page in stride(from: 0, to: bytes.count, by: 4096) where number(page + 10) == 2 && number(page + 12) > 100 {
      let node = page + number(page + 16 + 2 * 20)
      let offset = ["place": page + 16 + 2 * 20, "key": node + 6, "value": node, "count": page + 12][what]
      let place = try #require(offset)
      bytes.replaceSubrange(place..<place + 2, with: [0xFE, 0xFF])
    }
    try Data(bytes).write(to: file)
    engine = try place.open()
    let reader = try engine.beginRead()
    defer { reader.end() }
    #expect(code { () throws(StorageError) in _ = try reader.keys(1) } == .corrupt)
    // A search meets a damaged place or key only where it looks.
    let codes = Set(
      (0..<1_000).map { number in
        code { () throws(StorageError) in _ = try reader.get(1, key(number)) }
      })
    #expect(codes.contains(.corrupt))
    #expect(codes.isSubset(of: [.corrupt, nil]))
    // LMDB itself looks for the last entry of a page by its count, wherever that leads.
    if what == "count" { return }
    #expect(code { () throws(StorageError) in _ = try reader.keys(1, descending: true) } == .corrupt)
  }
}
