import QuarryBackend
package import QuarryCore

/// Albums with lists of songs, for the cases that conform.
package protocol LinkScene: SendableMetatype {}

extension LinkScene {
  package static func links(
    _ name: String, _ clauses: [String], _ summary: String, within limit: Duration = .seconds(10), line: Int = #line,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    links(name, clauses, summary, within: limit, line: line) { store, _ in try body(store) }
  }

  package static func links(
    _ name: String, _ clauses: [String], _ summary: String, within limit: Duration = .seconds(10), line: Int = #line,
    _ body: @escaping @Sendable (Store, ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("REL.links-\(name)", clauses, summary, within: limit, line: line) { kit in
      let store = try kit.store(Album.self)
      try store.insert(contentsOf: (0..<6).map { Album($0, "t\($0 % 3)") })
      try store.insert(contentsOf: songs)
      try body(store, kit)
    }
  }

  package static var songs: [Song] { "abcdefgh".map { Song(String($0), Int($0.asciiValue ?? 0) % 7 * 30) } }
  package static func song(_ name: Character) -> Song { songs.first { $0.name == String(name) } ?? Song("?") }
  package static func list(_ names: String) -> [Song] { names.map { song($0) } }

  package static func fill(_ store: Store, _ lists: [Int: String]) throws {
    try store.write { tx in
      for (album, names) in lists { try Album(album).songs.append(contentsOf: list(names), in: tx) }
    }
  }

  package static func expectList(
    _ store: Store, _ links: Links<Song>, _ names: String, file: String = #fileID, line: Int = #line
  ) throws {
    try expectEqual(try store.fetch(links).map(\.name).joined(), names, file: file, line: line)
    try expectEqual(try store.keys(links).joined(), names, file: file, line: line)
    try expectEqual(try store.count(links), names.count, file: file, line: line)
  }
}
