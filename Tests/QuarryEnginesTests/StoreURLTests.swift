import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

@Suite struct StoreURLTests {
  @Test(
    arguments: [
      ("memory:", .memory, ""), ("memory:a b", .memory, "a b"), ("sqlite:a b.db", .sqlite, "a b.db"),
      ("sqlite:/x/y:z", .sqlite, "/x/y:z"), ("sqlite:100%25", .sqlite, "100%25"),
      ("file:é.quarry", .flatFile, "é.quarry"),
      ("lmdb:/a b/c.lmdb", .lmdb, "/a b/c.lmdb"),
      ("sqlite:a?cache=1MB", .sqlite, "a"), ("sqlite:what??", .sqlite, "what?"),
      ("sqlite:what???cache=1MB", .sqlite, "what?"), ("sqlite:a????b", .sqlite, "a??b"),
      ("file:a=b&c", .flatFile, "a=b&c"),
    ] as [(String, EngineDescription, String)])
  func pathStandsAsItIs(_ text: String, _ engine: EngineDescription, _ path: String) throws {
    let url = try StoreURL(parsing: text)
    #expect(url.engine == engine)
    #expect(url.path.utf8.elementsEqual(path.utf8))
  }

  @Test(
    arguments: [
      "", "x.db", "file:?", "sqlite:", "file:", "SQLITE:x", "postgres://x", ":x", "sqlite:?cache=1", "sqlite:a?",
      "sqlite:a?cache",
      "sqlite:a?cache=", "sqlite:a?cache=0", "sqlite:a?cache=-1", "sqlite:a?cache=1TB", "sqlite:a?cache=9999999999GB",
      "sqlite:a?cache=1&cache=2", "sqlite:a?cache=1&", "sqlite:a?Cache=1", "sqlite:a?compaction=manual",
      "file:a?cache=1", "lmdb:", "lmdb:a?cache=1MB", "lmdb:a?map=0", "lmdb:a?readers=x", "memory:?cache=1",
      "file:a?compaction=never", "sqlite:a?durability=all", "sqlite:a?readOnly=1",
      "sqlite:a?timeout=-1", "sqlite:a?timeout=nan", "sqlite:a?readers=+1",
    ])
  func mistakesAreInvalidValues(_ text: String) {
    let error = #expect(throws: StorageError.self) { try StoreURL(parsing: text) }
    #expect(error?.code == .invalidValue)
  }

  @Test(arguments: EngineDescription.all)
  func anUnknownOptionIsToldTheKnownOnes(_ engine: EngineDescription) {
    let error = #expect(throws: StorageError.self) { try StoreURL(parsing: "\(engine.scheme):x?colour=red") }
    for name in engine.options { #expect(error?.message.contains(name) == true) }
  }

  @Test func anUnknownKindIsToldTheKnownOnes() {
    let error = #expect(throws: StorageError.self) { try StoreURL(parsing: "oracle:x") }
    for engine in EngineDescription.all { #expect(error?.message.contains("\(engine.scheme):") == true) }
  }

  @Test func optionsOfEnginesAreThoseOfTheirConfigurations() throws {
    let sqlite = try StoreURL(parsing: "sqlite:a?cache=64MB&readers=3").provider
    #expect(sqlite as? SQLiteConfiguration == SQLiteConfiguration(path: "a", cacheBytes: 64 << 20, readers: 3))
    let large = try StoreURL(parsing: "lmdb:a?map=16GB&readers=64").provider
    #expect(large as? LMDBConfiguration == LMDBConfiguration(path: "a", mapBytes: 16 << 30, readers: 64))
    let manual = try StoreURL(parsing: "file:a?compaction=manual").provider
    #expect(manual as? FlatFileConfiguration == FlatFileConfiguration(path: "a", compaction: .manual))
    let automatic = try StoreURL(parsing: "file:a?compaction=16KB").provider
    #expect(
      automatic as? FlatFileConfiguration
        == FlatFileConfiguration(path: "a", compaction: .automatic(garbageBytes: 16 << 10)))
  }

  @Test func optionsOfOpeningGoBeforeThoseThatAreGiven() throws {
    var given = OpenOptions()
    given.durability = .powerLoss
    given.busyTimeout = 1
    let plain = try StoreURL(parsing: "sqlite:a").options(given)
    #expect(plain.durability == .powerLoss)
    #expect(plain.busyTimeout == 1)
    let text = "sqlite:a?durability=processCrash&timeout=2.5&readOnly=true&create=false"
    let changed = try StoreURL(parsing: text).options(given)
    #expect(changed.durability == .processCrash)
    #expect(changed.busyTimeout == 2.5)
    #expect(changed.isReadOnly)
    #expect(!changed.createsIfMissing)
  }

  @Test(arguments: ["plain", "a?b", "??", "100%", "é"]) func anEscapedPathIsThatPath(_ path: String) throws {
    #expect(try StoreURL(parsing: "sqlite:" + StoreURL.escaped(path)).path.utf8.elementsEqual(path.utf8))
  }

  @Test func URLsAreComparedByBytes() throws {
    #expect(try StoreURL(parsing: "memory:\u{E9}") != StoreURL(parsing: "memory:e\u{301}"))
  }

  @Test(arguments: ["file", "sqlite"]) func aStoreOpensAtItsURL(_ scheme: String) throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url
    let path = StoreURL.escaped(folder.appending(path: "what? a store").path)
    let first = try Store(opening: .url("\(scheme):\(path)"))
    #expect(try first.models().isEmpty)
    try first.close()
    #expect(FileManager.default.fileExists(atPath: folder.appending(path: "what? a store").path))
    #expect(throws: StorageError.self) { try Store(opening: .url("\(scheme):\(path)-missing?create=false")) }
    let second = try Store(url: "\(scheme):\(path)?readOnly=true")
    #expect(try second.check() == [])
    try second.close()
  }

  @Test func aNamedStoreInMemoryIsSharedInTheProcess() throws {
    let name = UUID().uuidString
    let first = try Store(opening: .url("memory:\(name)"))
    #expect(throws: Never.self) { try Store(opening: .url("memory:\(name)?create=false")).close() }
    try first.close()
    #expect(throws: StorageError.self) { try Store(opening: .url("memory:\(name)?create=false")) }
  }
}
