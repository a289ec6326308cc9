import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import Testing

/// `between` and `matches` in the typed front and in strings, on every engine.
@Suite struct FunctionFrontTests {
  static let engines = ["memory:", "file:", "sqlite:", "lmdb:"]

  static func withStore(_ engine: String, _ body: (Store) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "functions-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = engine == "memory:" ? engine : "\(engine)\(folder.appending(path: "store").path)"
    let store = try Store(for: Track.self, url: url)
    try store.write { tx in try tx.insert(contentsOf: Track.all) }
    try body(store)
    try store.close()
  }

  static func expect(_ store: Store, _ query: Query<Track>, _ keys: [Int]) throws {
    #expect(try store.fetch(query).map(\.id) == keys, "\(query.tree.predicate)")
  }

  static func code(_ store: Store, _ query: () throws -> Query<Track>) -> StorageError.Code? {
    do {
      _ = try store.fetch(try query())
      return nil
    } catch let error as StorageError {
      return error.code
    } catch {
      return nil
    }
  }

  @Test(arguments: engines) func between(_ engine: String) throws {
    try Self.withStore(engine) { store in
      try Self.expect(store, Track.where { $0.year.isBetween(1959, 1977) }, [1, 2, 3])
      try Self.expect(store, Track.where { $0.year.isBetween(1977, 1959) }, [])
      try Self.expect(store, Track.where { !$0.year.isBetween(1959, 1977) }, [4, 5])
      try Self.expect(store, Track.where { $0.length.isBetween(0, 9.1) }, [1, 2, 3])
      try Self.expect(store, Track.where { $0.length.isBetween(-.infinity, .infinity) }, [1, 2, 3, 5])
      try Self.expect(store, Track.where { $0.title.isBetween("S", "Take Five") }, [1, 2])
      try Self.expect(store, Track.where { $0.price.isBetween(-1, 0.99) }, [2, 3, 4])
      try Self.expect(store, Track.where { $0.tags.any { $0.isBetween("5", "6") } }, [1, 5])
      for (text, keys) in [
        ("year BETWEEN {1959, 1977}", [1, 2, 3]), ("year BETWEEN {id, id * 1000}", [2, 3, 5]),
        ("1 BETWEEN {id, 5}", [1]), ("title.@count BETWEEN {5, 7}", [2, 3, 5]),
        ("ANY tags BETWEEN {'5', '6'}", [1, 5]),
        ("album.year BETWEEN {1950, 1960}", [3, 4]), ("year BETWEEN {nil, 2000}", []),
        ("year BETWEEN {1958.5, 1959.5}", [1, 2]), ("NOT album.year BETWEEN {1950, 1960}", [1, 2, 5]),
      ] {
        try Self.expect(store, try Track.where(text), keys)
      }
      for text in ["title BETWEEN {1, 2}", "tags BETWEEN {1, 2}", "nothing BETWEEN {1, 2}"] {
        #expect(Self.code(store) { try Track.where(text) } == .invalidQuery, "\(text)")
      }
    }
  }

  @Test(arguments: engines) func betweenHasThePlanOfTwoComparisons(_ engine: String) throws {
    try Self.withStore(engine) { store in
      let between = try store.explain(Track.where { $0.year.isBetween(1, 2) })
      let compared = try store.explain(Track.where { $0.year >= 1 && $0.year <= 2 })
      #expect("\(between)" == "\(compared)")
    }
  }

  @Test(arguments: engines) func matches(_ engine: String) throws {
    try Self.withStore(engine) { store in
      try Self.expect(store, Track.where { $0.title.matches("[Tt]ake .*") }, [1, 5])
      try Self.expect(store, Track.where { $0.title.matches("take.+", options: .caseInsensitive) }, [1, 5])
      try Self.expect(store, Track.where { !$0.title.matches(".+") }, [4])
      try Self.expect(store, Track.where { $0.note.matches(".*") }, [3, 4])
      try Self.expect(store, Track.where { $0.note.matches("(.|\\s)*") }, [1, 3, 4])
      try Self.expect(store, Track.where { !$0.note.matches("[\\s\\S]*") }, [2, 5])
      try Self.expect(store, Track.where { $0.link.matches("https?://[^/]+(/\\d)?") }, [2, 4])
      try Self.expect(store, Track.where { $0.tags.any { $0.matches("\\d+") } }, [5])
      try Self.expect(store, Track.where { $0.title.matches("So What") }, [2])
      try Self.expect(store, Track.where { $0.title.matches("") }, [4])
      for (text, keys) in [
        ("title MATCHES '[Tt]ake .*'", [1, 5]), ("title MATCHES[cd] 'UND..'", [3]),
        ("ANY tags MATCHES '\\\\d/\\\\d'", [1]),
        ("album.title MATCHES 'T.*'", [3]), ("'abc' MATCHES 'a.c' AND id < 2", [1]),
        ("NOT album.title MATCHES 'T.*'", [1, 2, 4, 5]),
      ] {
        try Self.expect(store, try Track.where(text), keys)
      }
      for text in ["year MATCHES '1'", "tags MATCHES '1'", "title.@count MATCHES '1'", "title MATCHES '('"] {
        #expect(Self.code(store) { try Track.where(text) } == .invalidQuery, "\(text)")
      }
    }
  }

  @Test func aWrongPatternIsRefusedWithoutObjects() throws {
    let store = try Store(for: Track.self, url: "memory:")
    let error = #expect(throws: StorageError.self) { try store.fetch(Track.where { $0.title.matches("a(b") }) }
    #expect(error?.code == .invalidQuery)
    #expect(error?.message.contains("scalar 2") == true)
  }
}
