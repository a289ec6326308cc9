import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Random changes of lists, held against arrays.
enum RandomLinkCases {
  static let all: [ConformanceCase] = (0..<8).map { number in
    ConformanceCase(
      "REL.links-random-\(number)", ["REL-13", "REL-14", "REL-15", "REL-16"],
      "Random changes of lists leave what they leave of arrays.", within: .seconds(60)
    ) { kit in
      var random = kit.random(0x11 + number)
      let store = try kit.store(Album.self)
      var model = Lists()
      try store.insert(contentsOf: Lists.albums.map { Album($0) })
      try store.insert(contentsOf: Lists.songs.map { Song($0) })
      for round in 0..<kit.tries(12) {
        let before = model
        var steps: [String] = []
        do {
          try store.write { tx in
            for _ in 0..<Int.random(in: 1...6, using: &random) {
              steps.append(try model.change(tx, &random))
            }
            if Int.random(in: 0..<5, using: &random) == 0 { throw Undone() }
          }
        } catch is Undone {
          model = before
        }
        try model.expect(store, "round \(round) of seed \(kit.seed): \(steps.joined(separator: ", "))")
      }
      try expectEqual(try store.check(), [])
    }
  }
}

private struct Undone: Error {}

/// What lists have to be, by arrays.
private struct Lists {
  static let albums = Array(0..<4)
  static let songs = (0..<7).map { "s\($0)" }

  var unique: [Int: [String]] = [:]
  var repeating: [Int: [String]] = [:]
  var storedAlbums = Set(albums)
  var storedSongs = Set(songs)

  /// Makes a change of both.
  ///
  /// - Returns: What it was.
  mutating func change(_ tx: WriteTransaction, _ random: inout SeededGenerator) throws -> String {
    let album = Int.random(in: Self.albums.indices, using: &random)
    let song = Self.songs[Int.random(in: Self.songs.indices, using: &random)]
    let isUnique = Bool.random(using: &random)
    let links = isUnique ? Album(album).songs : Album(album).played
    var list = (isUnique ? unique : repeating)[album] ?? []
    let isStored = storedAlbums.contains(album) && storedSongs.contains(song)
    let mayBeAdded = isStored && !(isUnique && list.contains(song))
    let about: String
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2:
      about = "append \(song) to \(album) \(isUnique)"
      try expecting(mayBeAdded, isStored) { try links.append(Song(song), in: tx) }
      if mayBeAdded { list.append(song) }
    case 3...4:
      let place = Int.random(in: 0...list.count, using: &random)
      about = "insert \(song) at \(place) in \(album) \(isUnique)"
      try expecting(mayBeAdded, isStored) { try links.insert(Song(song), at: place, in: tx) }
      if mayBeAdded { list.insert(song, at: place) }
    case 5 where !list.isEmpty:
      let (from, to) = (Int.random(in: list.indices, using: &random), Int.random(in: list.indices, using: &random))
      about = "move \(from) to \(to) in \(album) \(isUnique)"
      try links.move(from: from, to: to, in: tx)
      list.insert(list.remove(at: from), at: to)
    case 6 where !list.isEmpty:
      let place = Int.random(in: list.indices, using: &random)
      about = "remove at \(place) from \(album) \(isUnique)"
      try links.remove(at: place, in: tx)
      list.remove(at: place)
    case 7:
      about = "remove \(song) from \(album) \(isUnique)"
      try expectEqual(try links.remove(Song(song), in: tx), list.count { $0 == song }, about)
      list.removeAll { $0 == song }
    case 8:
      about = "delete or add song \(song)"
      if storedSongs.remove(song) != nil {
        try tx.delete(Song.self, song)
        for key in unique.keys { unique[key]?.removeAll { $0 == song } }
        for key in repeating.keys { repeating[key]?.removeAll { $0 == song } }
      } else {
        try tx.insert(Song(song))
        storedSongs.insert(song)
      }
      return about
    case 9:
      about = "delete or add album \(album)"
      if storedAlbums.remove(album) != nil {
        try tx.delete(Album.self, album)
        (unique[album], repeating[album]) = (nil, nil)
      } else {
        try tx.insert(Album(album))
        storedAlbums.insert(album)
      }
      return about
    default: return "nothing"
    }
    if isUnique { unique[album] = list } else { repeating[album] = list }
    return about
  }

  private func expecting(_ isAllowed: Bool, _ isStored: Bool, _ body: () throws -> Void) throws {
    if isAllowed { return try body() }
    try expectError(isStored ? .uniqueViolation : .missingReference) { try body() }
  }

  func expect(_ store: Store, _ about: String) throws {
    let rows = try store.fetch(Album.all, with: \.songs, \.played)
    try expectEqual(rows.map { $0.0.id }, storedAlbums.sorted(), about)
    for (album, songs, played) in rows {
      try expectEqual(songs.map(\.name), unique[album.id] ?? [], "\(about): songs of \(album.id)")
      try expectEqual(played.map(\.name), repeating[album.id] ?? [], "\(about): played of \(album.id)")
      try expectEqual(try store.keys(album.played), repeating[album.id] ?? [], "\(about): keys of \(album.id)")
    }
    for (song, albums) in try store.fetch(Song.all, with: \.albums) {
      let due = storedAlbums.filter { unique[$0]?.contains(song.name) == true }.sorted()
      try expectEqual(albums.map(\.id), due, "\(about): albums of \(song.name)")
    }
  }
}
