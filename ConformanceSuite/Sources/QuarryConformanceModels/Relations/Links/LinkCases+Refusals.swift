import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

extension LinkCases {
  // MARK: What is refused

  static let refused: [ConformanceCase] = [
    links("twice", ["REL-15", "ERR-1"], "An object is in a list once, and nothing is done where it would be twice.") {
      store in
      try fill(store, [1: "abc"])
      try store.write { tx in
        let songs = Album(1).songs
        for (key, change) in [
          ("b", { try songs.append(song("b"), in: tx) }), ("a", { try songs.insert(song("a"), at: 2, in: tx) }),
          ("a", { try songs.append(contentsOf: list("da"), in: tx) }),
          ("d", { try songs.replace(with: list("bdd"), in: tx) }),
        ] {
          do {
            try change()
            throw ConformanceFailure(message: "an object was linked twice", file: #fileID, line: #line)
          } catch let error as StorageError {
            try expectEqual(error.code, .uniqueViolation)
            try error.expect(model: "Album", property: "songs", key: key, says: "already")
          }
          try expectEqual(try tx.keys(songs).joined(), "abc")
        }
      }
      try expectList(store, Album(1).songs, "abc")
    },
    links("past-end", ["REL-15", "ERR-1"], "A place that a list has not is refused with the number of those it has.") {
      store in
      try fill(store, [1: "abc"])
      try store.write { tx in
        let songs = Album(1).songs
        for place in [4, 99, -1, Int.max, Int.min] {
          try expectError(.invalidValue, "\(place)") { try songs.insert(song("h"), at: place, in: tx) }
        }
        for place in [3, 99, -1, Int.max, Int.min] {
          try expectError(.invalidValue, "\(place)") { try songs.remove(at: place, in: tx) }
          try expectError(.invalidValue, "\(place)") { try songs.move(from: place, to: 0, in: tx) }
          try expectError(.invalidValue, "\(place)") { try songs.move(from: 0, to: place, in: tx) }
        }
        do {
          try songs.remove(at: 7, in: tx)
        } catch let error as StorageError {
          try error.expect(model: "Album", property: "songs", key: nil, says: "7")
        }
      }
      try expectList(store, Album(1).songs, "abc")
    },
    links("missing", ["REL-15", "REL-2"], "What is not stored is not linked, on either side.") { store in
      try store.write { tx in
        for (key, missing, change) in [
          ("1", "Song", { try Album(1).songs.append(Song("none"), in: tx) }),
          ("77", "Album", { try Album(77).songs.append(song("a"), in: tx) }),
          ("1", "Song", { try Album(1).songs.append(contentsOf: [song("a"), Song("none")], in: tx) }),
        ] {
          do {
            try change()
            throw ConformanceFailure(message: "it was linked", file: #fileID, line: #line)
          } catch let error as StorageError {
            try expectEqual(error.code, .missingReference)
            try error.expect(model: "Album", property: "songs", key: key, says: "there is no \(missing)")
          }
        }
      }
      try expectList(store, Album(1).songs, "")
      try expectEqual(try store.read { try $0.records.count(QueryTree(model: "Album_songs")) }, 0)
    },
    links("reading", ["REL-15", "OPEN-2", "STMT-8"], "A list that is read by a cursor is not changed meanwhile.") {
      store in
      try fill(store, [1: "abc"])
      try store.write { tx in
        try tx.records.forEach(QueryTree(model: "Album_songs")) { _ in
          try expectError(.iterationActive) { try Album(1).songs.append(song("h"), in: tx) }
        }
      }
      try expectList(store, Album(1).songs, "abc")
    },
  ]

  // MARK: Removing objects

  static let removing: [ConformanceCase] = [
    links("owner-goes", ["REL-16"], "With the object that has a list its links go, and what they led to stays.") {
      store in
      try fill(store, [1: "abc", 2: "bc"])
      try store.delete(Album.self, 1)
      try expectList(store, Album(1).songs, "")
      try expectList(store, Album(2).songs, "bc")
      try expectEqual(try store.count(Song.all), songs.count)
      try expectEqual(try store.fetch(song("b").albums).map(\.id), [2])
      try expectEqual(try store.check(), [])
    },
    links("target-goes", ["REL-16"], "With an object its places in all lists go, and the lists keep their order.") {
      store in
      try fill(store, [1: "abc", 2: "cb"])
      try store.write { try Album(3).played.append(contentsOf: list("bcb"), in: $0) }
      try store.delete(Song.where { $0.name == "b" })
      try expectList(store, Album(1).songs, "ac")
      try expectList(store, Album(2).songs, "c")
      try expectList(store, Album(3).played, "c")
      try expectEqual(try store.check(), [])
    },
    links("denied", ["REL-16", "REL-4"], "By the rule deny an object that has links is not removed.") { store in
      try store.write { try Album(1).likes.append(Album(2), in: $0) }
      try expectError(.referenced) { try store.delete(Album.self, 1) }
      try expectError(.referenced) { try store.delete(Album.where { $0.id < 2 }) }
      try expectEqual(try store.count(Album.all), 6)
      // What it is linked with may go, and then it may, too.
      try store.delete(Album.self, 2)
      try store.delete(Album.self, 1)
      try expectEqual(try store.count(Album.all), 4)
    },
    links("upsert", ["REL-16", "REL-5"], "An object that is replaced keeps its links, on both sides.") { store in
      try fill(store, [1: "ab"])
      try store.upsert(Album(1, "other"))
      try store.upsert(Song("a", 7))
      try store.update(Song.self, "b") { $0.seconds = 8 }
      try expectEqual(try store.fetch(Album(1).songs), [Song("a", 7), Song("b", 8)])
    },
  ]

  // MARK: Elsewhere

  static let elsewhere: [ConformanceCase] = [
    ConformanceCase(
      "REL.links-reopened", ["REL-13", "REL-7"], "Lists are what they were when the store is opened again.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Album.self], at: place)
      try store.insert(Album(1))
      try store.insert(contentsOf: songs)
      try store.write { tx in
        try Album(1).songs.append(contentsOf: list("dcba"), in: tx)
        try Album(1).songs.move(from: 0, to: 2, in: tx)
      }
      try store.close()
      // Whoever opens one side has the other.
      let again = try kit.open([Song.self], at: place)
      try expectList(again, Album(1).songs, "cbda")
      try Album(1).songs.append(song("h"), in: again)
      try expectList(again, Album(1).songs, "cbdah")
      try expectEqual(try again.check(), [])
    },
    ConformanceCase(
      "REL.links-renamed", ["REL-17", "MIG-1"], "The links of a model that is renamed are its links.",
      requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Taking.self], at: place)
      try store.insert(Taking(1))
      try store.insert(contentsOf: songs)
      try store.write { try Taking(1).names.append(contentsOf: list("dca"), in: $0) }
      try store.close()
      let renamed = try kit.open([Took.self], at: place)
      try expectList(renamed, Took(1).names, "dca")
      try Took(1).names.append(song("b"), in: renamed)
      try expectEqual(try renamed.read { try $0.models().map(\.name) }.contains("Taking_names"), false)
      try expectEqual(try renamed.check(), [])
    },
    links("rows", ["REL-17"], "Links are rows of a model of their own.") { store in
      try fill(store, [1: "ba"])
      try store.read { tx in
        let model = try tx.model(named: "Album_songs")
        try expectEqual(model.properties.map(\.name), ["id", "owner", "target", "position"])
        try expectEqual(model.properties.map(\.reference?.model), [nil, "Album", "Song", nil])
        let rows = try tx.records.fetch(in: "Album_songs", sortedBy: "position", columns: ["owner", "target"])
        try expectEqual(rows.map(\.values), [[.int(1), .string("b")], [.int(1), .string("a")]])
        try expectEqual(try tx.model(named: "Album").properties.map(\.name), ["id", "title"])
      }
    },
    links("deferred", ["REL-17", "REL-3"], "In deferringReferences a list may have what is stored later.") { store in
      try store.write { tx in
        try tx.deferringReferences {
          try Album(50).songs.append(Song("later"), in: tx)
          try tx.insert(Album(50))
          try tx.insert(Song("later", 3))
        }
      }
      try expectEqual(try store.fetch(Album(50).songs), [Song("later", 3)])
    },
    links("snapshot", ["REL-13", "SNAP-1"], "A snapshot has the lists as they were.") { store in
      try fill(store, [1: "abc"])
      let frozen = try store.freeze()
      defer { frozen.close() }
      try Album(1).songs.replace(with: list("c"), in: store)
      try expectEqual(try frozen.keys(Album(1).songs).joined(), "abc")
      try expectList(store, Album(1).songs, "c")
    },
    ConformanceCase("REL.links-name-taken", ["REL-17"], "A model of the name that links need is a schemaMismatch.") {
      kit in
      try expectError(.schemaMismatch) {
        try kit.open([TakenName.self, Taking.self], at: try kit.makePlace())
      }
      try expectError(.schemaMismatch) { try kit.open([CascadingLinks.self], at: try kit.makePlace()) }
    },
  ]
}
