import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// Which log belongs to a plain database.
@Suite struct LogNoteTests {
  private static func salts(_ first: UInt32, _ second: UInt32) -> UInt64 {
    // As they stand in the file, the first byte first.
    UInt64(first.byteSwapped) | UInt64(second.byteSwapped) << 32
  }

  @Test func aLogIsToldByItsSalts() {
    let own = Self.salts(700, 1)
    #expect(LogNote.verdict(own, ofLog: own) == .own)
    #expect(LogNote.verdict(LogNote.unknown, ofLog: own) == .own)
    #expect(LogNote.verdict(LogNote.none, ofLog: own) == .foreign)
    // What SQLite makes of the salts of the log before: one more, and something else.
    #expect(LogNote.verdict(own, ofLog: Self.salts(699, 9)) == .old)
    #expect(LogNote.verdict(own, ofLog: Self.salts(701, 9)) == .foreign)
    #expect(LogNote.verdict(own, ofLog: Self.salts(700, 2)) == .foreign)
    #expect(LogNote.verdict(Self.salts(0, 5), ofLog: Self.salts(UInt32.max, 5)) == .old)
  }

  private static func note(_ path: String) throws -> UInt64 {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))[..<4096]
    #expect(Array(bytes).withUnsafeBytes { PageChecksum.verdict($0.baseAddress!, number: 0) } == .right)
    return Array(bytes).withUnsafeBytes { $0.loadLittleEndian(PageChecksum.logPlace, as: UInt64.self) }
  }

  private static func logSalts(_ path: String) throws -> UInt64 {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
    return try #require(bytes.withUnsafeBytes { LogHeader($0) }).salts
  }

  @Test func theFirstPageNamesTheLogThatSQLiteWrites() throws {
    let folder = try ScratchFolder()
    let path = folder.url.path + "/a.db"
    let model = ModelSchema(
      name: "Note",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)],
      primaryKey: 0)
    let store = try Store(program: [model], in: .sqlite(at: path))
    #expect(try Self.note(path) == Self.logSalts(path))
    var seen: Set<UInt64> = []
    for round in 0..<4 {
      let text = String(repeating: "x", count: 5_000_000)
      try store.write { tx in
        try tx.records.insert(into: "Note", [Record(["id": .int(Int64(round)), "text": .string(text)])])
      }
      try store.write { tx in
        try tx.records.insert(into: "Note", [Record(["id": .int(Int64(100 + round)), "text": .string("y")])])
      }
      #expect(try Self.note(path) == Self.logSalts(path))
      seen.insert(try Self.note(path))
    }
    #expect(seen.count > 2, "SQLite has not begun its log anew")
    let copy = folder.url.path + "/copy.db"
    try store.backup(to: copy)
    #expect(try Self.note(copy) == LogNote.none)
    try store.close()
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    #expect(try Self.note(path) != LogNote.none)
  }

  @Test func aStoreOfFormatTwoNamesNone() throws {
    let folder = try ScratchFolder()
    let path = folder.url.path + "/a.db"
    try Store(program: [], in: .sqlite(at: path)).close()
    // As an earlier version made it.
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    bytes[63] = 2
    bytes.withUnsafeMutableBytes { PageChecksum.put(into: $0.baseAddress!, number: 0) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let model = ModelSchema(name: "Note", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)
    let store = try Store(program: [model], in: .sqlite(at: path))
    try store.write { tx in try tx.records.insert(into: "Note", [Record(["id": .int(1)])]) }
    #expect(try Self.note(path) == LogNote.unknown)
    #expect(try store.statistics().details["format"] == "2")
    #expect(store.openingReport.foreignLog == nil)
    try store.close()
    #expect(try Self.note(path) == LogNote.unknown)
  }
}
