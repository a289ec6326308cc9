import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import QuarryQuery

/// Long lists, many lists, and lists in what is done to whole models and stores.
enum LinkListCases: LinkScene {
  static let all: [ConformanceCase] = lists + moving

  // MARK: Lists

  private static let lists: [ConformanceCase] = [
    links(
      "long", ["REL-13", "REL-15"], "A list of 2,000 keeps its order where places have to be made in its middle.",
      within: .seconds(120)
    ) { store in
      var due = (0..<2_000).map { Array("abcdefg")[$0 % 7] }
      let played = Album(1).played
      try store.write { try played.append(contentsOf: due.map { song($0) }, in: $0) }
      try store.write { tx in
        for _ in 0..<25 {
          try played.insert(song("h"), at: 1_000, in: tx)
          due.insert("h", at: 1_000)
        }
        for (from, to) in [(0, 2_024), (2_024, 0), (1_000, 3), (3, 1_999), (17, 17)] {
          try played.move(from: from, to: to, in: tx)
          due.insert(due.remove(at: from), at: to)
        }
        try played.remove(at: 1_990, in: tx)
        due.remove(at: 1_990)
      }
      try expectList(store, played, String(due))
      try expectEqual(try store.write { try played.remove(song("h"), in: $0) }, 25)
      try expectList(store, played, String(due.filter { $0 != "h" }))
    },
    links(
      "moves", ["REL-25", "REL-15"],
      "Moves in a long list keep its order, to one place until there is no room there, and to places chosen at random.",
      within: .seconds(120)
    ) { store, kit in
      var due = (0..<600).map { Array("abcdefg")[$0 % 7] }
      let played = Album(1).played
      try store.write { try played.append(contentsOf: due.map { song($0) }, in: $0) }
      func move(_ from: Int, _ to: Int, _ tx: WriteTransaction) throws {
        try played.move(from: from, to: to, in: tx)
        due.insert(due.remove(at: from), at: to)
      }
      try store.write { tx in
        for number in 0..<70 { try move(599 - number % 7, 300, tx) }
        for number in 0..<60 { try move(300 + number % 5, 0, tx) }
        for number in 0..<60 { try move(number % 3, 599, tx) }
      }
      try expectList(store, played, String(due))
      var random = kit.random(25)
      for _ in 0..<4 {
        try store.write { tx in
          for _ in 0..<25 {
            try move(Int.random(in: 0..<600, using: &random), Int.random(in: 0..<600, using: &random), tx)
          }
        }
      }
      try expectList(store, played, String(due))
      try store.write { tx in
        for _ in 0..<60 { try played.insert(song("h"), at: 17, in: tx) }
        for _ in 0..<30 { try played.remove(at: 20, in: tx) }
      }
      due.insert(contentsOf: Array(repeating: "h", count: 30), at: 17)
      try expectList(store, played, String(due))
    },
    links(
      "by-references", ["CRUD-18", "REL-15"], "A list is changed by references as by the objects that they lead to."
    ) { store in
      let list = Album(1).played
      func references(_ names: String) -> [Ref<Song>] { names.map { Ref(song($0)) } }
      try list.append(contentsOf: references("abc"), in: store)
      try list.append(Ref(song("d")), in: store)
      try list.insert(Ref(song("e")), at: 1, in: store)
      try expectList(store, list, "aebcd")
      try expectEqual(try list.remove(Ref(song("b")), in: store), 1)
      try expectEqual(try list.remove(Ref(song("b")), in: store), 0)
      try store.write { try list.append(contentsOf: references("aa"), in: $0) }
      try expectList(store, list, "aecdaa")
      try list.replace(with: references("gfa"), in: store)
      try expectList(store, list, "gfa")
      try expectError(.missingReference) { try list.replace(with: [Ref(song("a")), Ref("none")], in: store) }
      try expectError(.missingReference) { try list.append(contentsOf: [Ref("none")], in: store) }
      try expectError(.missingReference) { try list.append(Ref("none"), in: store) }
      try expectList(store, list, "gfa")
      try list.replace(with: [], in: store)
      try expectList(store, list, "")
    },
    links("many", ["REL-13", "REL-14"], "Of many lists each has its own, from both sides.") { store in
      let names = Array("abcdefgh")
      let due = (0..<300).map { number in (0..<(number % 5)).map { names[($0 * 3 + number) % 8] } }
      try store.write { tx in
        try tx.upsert(contentsOf: due.indices.map { Album($0, "t\($0 % 3)") })
        for (number, list) in due.enumerated() { try Album(number).songs.replace(with: list.map { song($0) }, in: tx) }
      }
      let rows = try store.fetch(Album.all.sorted(by: \.title, order: .reverse).limit(90).offset(40), with: \.songs)
      try expectEqual(rows.count, 90)
      for (album, songs) in rows { try expectEqual(songs, due[album.id].map { song($0) }, "of \(album.id)") }
      for (found, albums) in try store.fetch(Song.all, with: \.albums) {
        let having = due.indices.filter { due[$0].contains(Character(found.name)) }
        try expectEqual(albums.map(\.id), having, found.name)
        try expectEqual(try store.count(found.albums), having.count, found.name)
      }
      try expectEqual(try store.keys(Album.where { $0.songs.count == 4 }), due.indices.filter { due[$0].count == 4 })
    },
    links("replace-same", ["REL-15"], "A list is replaced by itself, backwards, and by one with repetitions.") {
      store in
      try fill(store, [1: "abcd", 2: "ab"])
      for names in ["abcd", "dcba", "b", "bacd"] {
        try Album(1).songs.replace(with: list(names), in: store)
        try expectList(store, Album(1).songs, names)
      }
      try store.write { tx in
        try Album(1).played.replace(with: list("aabba"), in: tx)
        try Album(1).played.replace(with: try tx.fetch(Album(1).played).reversed(), in: tx)
      }
      try expectList(store, Album(1).played, "abbaa")
      try expectList(store, Album(2).songs, "ab")
    },
    links("replace-refused", ["REL-15", "REL-2", "ERR-1"], "A replacement that is refused leaves the list.") {
      store in
      try fill(store, [1: "abcd"])
      try store.write { tx in
        try expectError(.missingReference) { try Album(1).songs.replace(with: [song("h"), Song("none")], in: tx) }
        try expectEqual(try tx.keys(Album(1).songs).joined(), "abcd")
        try expectError(.uniqueViolation) { try Album(1).songs.replace(with: list("hh"), in: tx) }
        try expectError(.missingReference) { try Album(70).songs.replace(with: list("a"), in: tx) }
      }
      try expectList(store, Album(1).songs, "abcd")
      try expectEqual(try store.read { try $0.records.count(QueryTree(model: "Album_songs")) }, 4)
    },
    links("delete-where", ["REL-16", "REL-19"], "A delete chosen by links takes these along.") { store in
      try fill(store, [0: "ab", 1: "bc", 2: "cd", 3: "", 4: "ad"])
      try expectEqual(try store.write { try $0.delete(Album.where { $0.songs.any { $0.name == "a" } }) }, 2)
      try expectEqual(try store.keys(Album.all), [1, 2, 3, 5])
      try expectEqual(try store.read { try $0.records.count(QueryTree(model: "Album_songs")) }, 4)
      try expectEqual(try store.write { try $0.delete(Song.where { $0.albums.isEmpty }) }, 5)
      try expectEqual(try store.keys(Song.all).joined(), "bcd")
      try expectList(store, Album(1).songs, "bc")
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "REL.links-by-records", ["REL-17", "REL-7"], "Lists stay what they are under programs that know no model.",
      requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Album.self], at: place)
      try store.insert(Album(1))
      try store.insert(contentsOf: songs)
      try fill(store, [1: "bah"])
      try store.close()
      let plain = try kit.open([], at: place)
      try plain.write { tx in
        try tx.records.assign(.rows("Album", "id", .equal, 1), [.init("title", .set, .string("x"))])
        try tx.records.delete(in: "Song", keys: [.string("a")])
        try tx.records.insert(into: "Song", [Record(["name": .string("i"), "seconds": .int(9)])])
      }
      try expectError(.missingReference) {
        try plain.records.insert(
          into: "Album_songs",
          [Record(["id": .int(90), "owner": .int(1), "target": .string("none"), "position": .int(0)])])
      }
      try plain.close()
      let again = try kit.open([Album.self], at: place)
      try expectList(again, Album(1).songs, "bh")
      try Album(1).songs.append(Song("i"), in: again)
      try expectList(again, Album(1).songs, "bhi")
      try expectEqual(try again.check(), [])
    },
    ConformanceCase(
      "REL.links-broken", ["REL-12", "REL-16", "CARE-2"], "A check tells a link to what another program has removed.",
      needs: [.check], without: ConformanceVariant.allButFresh
    ) { kit in
      let place = CapturingProvider(try kit.makePlace())
      let store = try kit.open([Album.self], at: place)
      try store.insert(Album(1))
      try store.insert(contentsOf: songs)
      try fill(store, [1: "abc"])
      let writer = try unwrap(place.backend).beginWrite(WriteOptions())
      let model = try unwrap(writer.schema.model(named: "Song"))
      _ = try writer.delete(model.id, [Key.primary(.string("b"), model)])
      _ = try writer.commit()
      let found = try store.check()
      try expect(found.contains { $0.contains("target refers to Song b, which is not there") }, "\(found)")
      // The list is read without what is gone.
      try expectEqual(try store.fetch(Album(1).songs).map(\.name), ["a", "c"])
      try store.insert(song("b"))
      try expectEqual(try store.check(), [])
      try expectList(store, Album(1).songs, "abc")
    },
  ]

  // MARK: Moving

  private static func moved(
    _ name: String, _ summary: String, _ move: @escaping @Sendable (Store, any BackendProvider) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.links-\(name)", ["REL-17", "MOVE-1"], summary, needs: ConformanceArea.moving.needs.union([.check]),
      requiresPersistence: true, without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(Album.self)
      try store.insert(contentsOf: (0..<3).map { Album($0) })
      try store.insert(contentsOf: songs)
      try fill(store, [0: "dba", 2: "hgfe"])
      try store.write { tx in
        try Album(0).songs.move(from: 2, to: 0, in: tx)
        try Album(1).played.append(contentsOf: list("aba"), in: tx)
        try Album(2).likes.append(Album(0), in: tx)
      }
      let place = try kit.makePlace()
      try move(store, place)
      let made = try kit.open([Album.self], at: place)
      try expectEqual(made.openingReport.schemaChanges, [])
      for store in [store, made] {
        try expectList(store, Album(0).songs, "adb")
        try expectList(store, Album(1).played, "aba")
        try expectEqual(try store.fetch(song("g").albums).map(\.id), [2])
        try expectError(.referenced) { try store.delete(Album.self, 2) }
      }
      try expectEqual(try store.differences(from: made).count, 0)
      // The same objects in another order are another list.
      try Album(0).songs.move(from: 0, to: 2, in: made)
      try expect(try !store.differences(from: made).isEmpty, "the lists differ")
      try expectError(.uniqueViolation) { try Album(0).songs.append(song("a"), in: made) }
      try Album(0).songs.append(song("h"), in: made)
      try expectList(made, Album(0).songs, "dbah")
      try expectEqual(try made.check(), [])
    }
  }

  private static let moving: [ConformanceCase] = [
    moved("copied", "A copy has the lists of the store, and their rules.") { store, place in try store.copy(to: place)
    },
    moved("dumped", "A store that is made of a dump has the lists of the store, and their rules.") { store, place in
      var bytes: [UInt8] = []
      _ = try store.dump { bytes += $0 }
      try CopyScene.inFolder { path in
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        _ = try Store.restore(path, to: place)
      }
    },
  ]
}
