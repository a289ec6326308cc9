import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Objects that are read with the others that they are related to, where some are nil, some come twice, and some are not
/// there.
enum PrefetchCases: LinkScene {
  static let all: [ConformanceCase] = [
    otherSideOfDuplicates, duplicatesInARow, sameTarget, nilBetween, manyOwners, ownerTwice, sortedBatches, sortedTies,
  ]

  private static let otherSideOfDuplicates = ConformanceCase(
    "REL.with-linked-twice", ["REL-11", "REL-14"],
    "The other side of links that allow an object twice has each owner once, read with it or as a query."
  ) { kit in
    let store = try kit.store(Played.self)
    try store.insert(contentsOf: songs.prefix(4))
    try store.insert(contentsOf: (1...4).map { Played($0) })
    let lists = [1: "abab", 2: "aab", 3: "caac", 4: ""]
    try store.write { tx in
      for (id, names) in lists { try Played(id).songs.append(contentsOf: list(names), in: tx) }
    }
    let due = ["a": [1, 2, 3], "b": [1, 2], "c": [3], "d": []]
    func owners(_ song: Song) -> Many<Played> { Many(of: song, inverse: \Played.songs) }
    for song in try store.fetch(Song.all) {
      try expectEqual(try store.keys(owners(song).query), due[song.name], song.name)
      try expectEqual(try store.count(owners(song)), due[song.name]?.count, song.name)
    }
    try store.read { tx in
      let songs = try tx.fetch(Song.all)
      let found = try Many.load(songs.map { owners($0) }, in: tx)
      try expectEqual(found.map { $0.map(\.id) }, songs.map { due[$0.name] ?? [] })
      let frozen = try Many.loadFrozen(songs.map { owners($0) }, in: tx)
      try expectEqual(try frozen.map { try $0.map { try $0.thawed().id } }, songs.map { due[$0.name] ?? [] })
      for (played, songs) in try tx.fetch(Played.all, with: \.songs) {
        try expectEqual(songs.map(\.name).joined(), lists[played.id], "\(played.id)")
      }
    }
  }

  private static let duplicatesInARow = ConformanceCase(
    "REL.with-twice-in-a-row", ["REL-11", "REL-13"], "A list has an object as often as it was added, read with it too."
  ) { kit in
    let store = try kit.store(Played.self)
    try store.insert(contentsOf: songs)
    try store.insert(contentsOf: [Played(1), Played(2)])
    try store.write { tx in
      try Played(1).songs.append(contentsOf: list("ccbbbac"), in: tx)
      try Played(2).songs.append(contentsOf: list("hgab"), in: tx)
    }
    let due = ["ccbbbac", "hgab"]
    try expectEqual(try store.fetch(Played.all, with: \.songs).map { $0.1.map(\.name).joined() }, due)
    let frozen = try store.read { try $0.frozen(Played.all, with: \.songs) }
    try expectEqual(try frozen.map { try $0.1.map { try $0.thawed().name }.joined() }, due)
    try expectEqual(try due.indices.map { try store.fetch(Played($0 + 1).songs).map(\.name).joined() }, due)
  }

  private static let sameTarget = ConformanceCase(
    "REL.with-same-target", ["REL-11"], "Many objects may refer to one, and each comes with it."
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: (1...3).map { Poet($0, "p\($0)") })
    let poets: [Int?] = [2, 2, nil, 1, nil, nil, 2, 3, 1, nil]
    try store.insert(contentsOf: poets.indices.map { Poem($0, poet: poets[$0], editor: 3) })
    let rows = try store.fetch(Poem.all, with: \.poet, \.editor)
    try expectEqual(rows.map { $0.1?.name }, poets.map { $0.map { "p\($0)" } })
    try expectEqual(rows.map { $0.2?.name }, poets.map { _ in "p3" })
    let frozen = try store.read { try $0.frozen(Poem.all, with: \.poet, \.editor) }
    try expectEqual(try frozen.map { try $0.1?.thawed().name }, poets.map { $0.map { "p\($0)" } })
  }

  private static let nilBetween = ConformanceCase(
    "REL.with-nil-between", ["REL-11"], "Nil at the beginning, in the middle and at the end moves no other object."
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: (0..<8).map { Poet($0, "p\($0)") })
    for mask in 0..<16 {
      let poets: [Int?] = (0..<4).map { mask & 1 << $0 == 0 ? nil : 7 - $0 }
      try store.write { tx in
        try tx.delete(Poem.all)
        try tx.insert(contentsOf: poets.indices.map { Poem($0, poet: poets[$0]) })
      }
      try expectEqual(try store.fetch(Poem.all, with: \.poet).map { $0.1?.id }, poets, "\(mask)")
    }
  }

  private static let manyOwners = ConformanceCase(
    "REL.with-many-owners", ["REL-11"], "Two hundred owners come each with its own, in any order."
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: (0..<200).map { Poet($0, "n\($0 * 37 % 200)", teacher: $0 / 3) })
    try store.insert(contentsOf: (0..<400).map { Poem($0, poet: 399 - $0 < 200 ? 399 - $0 : $0) })
    let due = Dictionary(grouping: try store.fetch(Poem.all)) { $0.poet?.key ?? -1 }
    for query in [Poet.all, Poet.all.sorted(by: \.name), Poet.all.sorted(by: \.id, order: .reverse)] {
      let rows = try store.fetch(query, with: \.poems, \.pupils)
      try expectEqual(rows.count, 200)
      for (poet, poems, pupils) in rows {
        try expectEqual(poems, due[poet.id] ?? [], "\(poet.id)")
        try expectEqual(pupils.map(\.id), (0..<200).filter { $0 / 3 == poet.id }, "\(poet.id)")
      }
    }
  }

  private static let ownerTwice = ConformanceCase(
    "REL.with-owner-twice", ["REL-11"], "An owner that is asked for twice has its objects each time."
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: [Poet(1), Poet(2, teacher: 1)])
    try store.insert(contentsOf: (0..<5).map { Poem($0, poet: 1 + $0 % 2) })
    try store.read { tx in
      let owners = [1, 2, 1, 9, 2].map { Poet($0) }
      let due = [[0, 2, 4], [1, 3], [0, 2, 4], [], [1, 3]]
      try expectEqual(try Many.load(owners.map(\.poems), in: tx).map { $0.map(\.id) }, due)
      let frozen = try Many.loadFrozen(owners.map(\.poems), in: tx)
      try expectEqual(try frozen.map { try $0.map { try $0.thawed().id } }, due)
      let references = [2, 1, 2, 2].map { Ref<Poet>($0) }
      try expectEqual(try Ref.load(references, in: tx).map(\.id), [2, 1, 2, 2])
      try expectEqual(try Ref.load([Ref<Poet>](), in: tx), [])
      try expectEqual(try Many.load([Many<Poem>](), in: tx).count, 0)
      try expectError(.missingReference) { try Ref.load([Ref<Poet>(1), Ref(9)], in: tx) }
    }
  }

  private static let sortedBatches = ConformanceCase(
    "REL.sorted-batches", ["REL-20"], "A cursor in the order of other objects gives every row, of several batches too."
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: (0..<3).map { Poet($0, "p\($0)") })
    try store.insert(contentsOf: (0..<300).map { Poem($0, poet: $0 % 3) })
    let due = (0..<300).sorted { ($0 % 3, $0) < ($1 % 3, $1) }
    try store.read { tx in
      var found: [Int] = []
      try tx.forEach(Poem.all.sorted(by: \.poet.name)) { found.append($0.id) }
      try expectEqual(found, due)
      try expectEqual(try tx.keys(Poem.all.sorted(by: \.poet.name).offset(90).limit(120)), Array(due[90..<210]))
    }
  }

  private static let sortedTies = ConformanceCase(
    "REL.sorted-nil-and-ties", ["REL-20", "SORT-1"],
    "In an order through a reference nil stands where it stands elsewhere, and ties follow the last key's direction."
  ) { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: [Poet(1, "b"), Poet(2, "a"), Poet(3, "b")])
    let poets: [Int?] = [1, nil, 2, 3, nil, 1, 2]
    try store.insert(contentsOf: poets.indices.map { Poem($0, "t\($0 % 2)", poet: poets[$0]) })
    func name(_ id: Int) -> String { poets[id].map { $0 == 2 ? "a" : "b" } ?? "" }
    let rising = poets.indices.sorted { (name($0), $0) < (name($1), $1) }
    let falling = poets.indices.sorted { (name($0), $0) > (name($1), $1) }
    try expectEqual(try store.keys(Poem.all.sorted(by: \.poet.name)), rising)
    try expectEqual(try store.keys(Poem.all.sorted(by: \.poet.name, order: .reverse)), falling)
    let mixed = poets.indices.sorted {
      (name($0), "t\($1 % 2)", $1) < (name($1), "t\($0 % 2)", $0)
    }
    try expectEqual(
      try store.keys(Poem.all.sorted(by: \.poet.name).sorted(by: \.title, order: .reverse)), mixed)
  }
}

/// A model whose one list may have a song more than once.
private struct Played: Model, Equatable {
  var id: Int

  var songs: Links<Song> { Links(of: self, "songs") }

  static let modelDefinition = ModelDefinition<Played>(
    name: "Played", properties: [PropertyDefinition("id", \Played.id, Int.self)], primaryKey: "id",
    relations: [RelationDefinition("songs", links: \Played.songs, allowsDuplicates: true)])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int) { self.id = id }

  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}
