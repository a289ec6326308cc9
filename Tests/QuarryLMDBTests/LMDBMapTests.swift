import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How much address space the map of a store takes, and how it grows.
@Suite struct LMDBMapTests {
  private let place: Place
  private let value = [UInt8](repeating: 7, count: 100_000)

  init() throws {
    place = try Place()
  }

  private func open(first: Int = 1 << 20, limit: Int = 1 << 30) throws -> LMDBEngine {
    var configuration = LMDBConfiguration(path: place.path, mapBytes: limit)
    configuration.firstMapBytes = first
    var options = OpenOptions()
    options.durability = BackendManifest.Durability.none
    options.busyTimeout = 0.2
    return try LMDBEngine(configuration, options)
  }

  private func put(_ number: Int, in engine: LMDBEngine) throws(StorageError) {
    try engine.write { tx throws(StorageError) in try tx.put(1, key(number), value) }
  }

  private func mapBytes(_ engine: LMDBEngine) throws -> Int {
    let bytes = try #require(try engine.statistics().details["map bytes"])
    return try #require(Int(bytes))
  }

  @Test func aMapBeginsSmallAndGrowsAsItFills() throws {
    let engine = try open()
    #expect(try mapBytes(engine) == 1 << 20)
    for number in 0..<200 {
      try put(number, in: engine)
      #expect(try engine.value(1, key(number / 2)) == value)
    }
    #expect(try mapBytes(engine) >= 20_000_000)
    #expect(try engine.check() == [])
  }

  @Test func aStoreIsFullAtItsLimit() throws {
    let engine = try open(limit: 4 << 20)
    var stored = 0
    let found = code { () throws(StorageError) in
      while stored < 100 {
        try put(stored, in: engine)
        stored += 1
      }
    }
    #expect(found == .full)
    #expect(stored > 20)
    #expect(try mapBytes(engine) == 4 << 20)
  }

  @Test func aStoreGrowsOnceASnapshotHasEnded() throws {
    let engine = try open()
    try put(0, in: engine)
    let snapshot = try engine.snapshot()
    var stored = 1
    let found = code { () throws(StorageError) in
      while stored < 100 {
        try put(stored, in: engine)
        stored += 1
      }
    }
    #expect(found == .full)
    #expect(try snapshot.beginRead().count(1, .all) == 1)
    snapshot.close()
    for number in stored..<100 { try put(number, in: engine) }
    #expect(try engine.beginRead().count(1, .all) == 100)
  }

  @Test func aMapTakesAPartOfWhatIsFree() throws {
    let size = try LMDBMapSize.opening(limit: 1 << 40, first: LMDBMapSize.first, fileBytes: 0, "a store")
    #expect(size == LMDBMapSize.first)
    #expect(try LMDBMapSize.opening(limit: 1 << 20, first: LMDBMapSize.first, fileBytes: 0, "a store") == 1 << 20)
    #expect(try LMDBMapSize.opening(limit: 1 << 50, first: 1 << 20, fileBytes: 1 << 30, "a store") == 8 << 30)
    // More than there is: the largest that leaves fifteen times as much.
    let most = try LMDBMapSize.opening(limit: .max, first: 1 << 46, fileBytes: 0, "a store")
    #expect(most >= 1 << 36 && most < 1 << 44)
    #expect(
      code { () throws(StorageError) in
        _ = try LMDBMapSize.opening(limit: .max, first: 1 << 20, fileBytes: 1 << 50, "a store")
      } == .full)
    #expect(
      code { () throws(StorageError) in
        _ = try LMDBMapSize.growing(from: 1 << 20, needed: .max - 1, limit: .max, "a store")
      } == .full)
  }
}
