import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Lists of linked objects: read, changed, with the objects that they have.
enum LinkCases: LinkScene {
  static let all: [ConformanceCase] = reading + changing + refused + removing + elsewhere

  // MARK: Reading

  static let reading: [ConformanceCase] = [
    links("order", ["REL-13"], "A list has its objects in its order, and each list its own.") { store in
      try fill(store, [1: "dbca", 2: "ah", 3: ""])
      try expectList(store, Album(1).songs, "dbca")
      try expectList(store, Album(2).songs, "ah")
      try expectList(store, Album(3).songs, "")
      try expectEqual(try store.fetch(Album(1).songs), list("dbca"))
      try expectEqual(try store.first(Album(1).songs), song("d"))
      try expectEqual(try store.first(Album(3).songs), nil)
      try expect(try store.exists(Album(2).songs) && !store.exists(Album(3).songs))
      try expectList(store, Album(99).songs, "")
    },
    links("as-query", ["REL-13"], "A list is used where a query is, in the order that is asked for.") { store in
      try fill(store, [1: "gbeca", 2: "ab"])
      let mine = Album(1).songs
      let due = list("gbeca")
      try expectEqual(try store.fetch(mine.query).map(\.name), ["a", "b", "c", "e", "g"])
      try expectEqual(
        try store.fetch(mine.where { $0.seconds > 60 }), due.filter { $0.seconds > 60 }.sorted { $0.name < $1.name })
      try expectEqual(
        try store.fetch(mine.sorted(by: \.name, order: .reverse).limit(2)).map(\.name), ["g", "e"])
      try expectEqual(try store.fetch(mine.where("name IN %@", ["b", "h"])).map(\.name), ["b"])
      try expectEqual(try store.count(mine.where { $0.name != "a" }), 4)
      try expectEqual(try store.keys(mine.query.offset(3)), ["e", "g"])
      try store.read { tx in
        try expectEqual(try tx.sum(mine.query, of: \.seconds), due.map(\.seconds).reduce(0, +))
        try expectEqual(try tx.exists(mine.where { $0.name == "h" }), false)
      }
      var pages: [String] = []
      var position: PagePosition?
      repeat {
        let page = try store.page(mine.query.after(position), size: 2)
        pages.append(page.elements.map(\.name).joined())
        position = page.next
      } while position != nil
      try expectEqual(pages, ["ab", "ce", "g"])
    },
    links(
      "pages-of-another", ["PAGE-3", "REL-13", "REL-14"],
      "A position in a list belongs to that list, and not to one of another object or property."
    ) { store in
      try fill(store, [1: "abc", 2: "abc"])
      let place = try unwrap(try store.page(Album(1).songs.query, size: 1).next)
      try expectEqual(try store.fetch(Album(1).songs.query.after(place)).map(\.name), ["b", "c"])
      for other in [Album(2).songs.query, Album(1).played.query, Song.all, Album(1).songs.where { $0.name != "a" }] {
        try expectError(.invalidQuery) { try store.page(other.after(place), size: 1) }
      }
      let side = try unwrap(try store.page(song("b").albums.query, size: 1).next)
      try expectEqual(try store.keys(song("b").albums.query.after(side)), [2])
      for other in [song("a").albums.query, Album(1).likedBy.query, Album.all] {
        try expectError(.invalidQuery) { try store.page(other.after(side), size: 1) }
      }
    },
    links(
      "other-side", ["REL-14"], "The other side has those that have the object in their lists, in the order of keys."
    ) {
      store in
      try fill(store, [3: "ab", 1: "bc", 5: "cb"])
      try expectEqual(try store.fetch(song("b").albums).map(\.id), [1, 3, 5])
      try expectEqual(try store.fetch(song("a").albums).map(\.id), [3])
      try expectEqual(try store.fetch(song("h").albums), [])
      try expectEqual(try store.count(song("c").albums), 2)
      try expectEqual(try store.fetch(song("b").albums.where { $0.title == "t0" }).map(\.id), [3])
      try expectEqual(try store.keys(song("b").albums.sorted(by: \.id, order: .reverse)), [5, 3, 1])
    },
    links("of-itself", ["REL-13", "REL-14"], "A model links to itself, both ways.") { store in
      try store.write { tx in
        try Album(1).likes.append(contentsOf: [Album(2), Album(0), Album(1)], in: tx)
        try Album(4).likes.append(Album(1), in: tx)
      }
      try expectEqual(try store.fetch(Album(1).likes).map(\.id), [2, 0, 1])
      try expectEqual(try store.fetch(Album(1).likedBy).map(\.id), [1, 4])
      try expectEqual(try store.fetch(Album(4).likedBy), [])
    },
    links("with", ["REL-13", "REL-14", "REL-11"], "Each object comes with its list in order, and with its other side.")
    {
      store in
      try fill(store, [3: "ab", 1: "cba", 5: "cd"])
      let rows = try store.fetch(Album.all.sorted(by: \.id, order: .reverse), with: \.songs)
      try expectEqual(rows.map { $0.0.id }, [5, 4, 3, 2, 1, 0])
      try expectEqual(rows.map { $0.1 }, [list("cd"), [], list("ab"), [], list("cba"), []])
      let sides = try store.fetch(Song.where { $0.name < "e" }, with: \.albums)
      try expectEqual(sides.map { $0.1.map(\.id) }, [[1, 3], [1, 3], [1, 5], [5]])
      let frozen = try store.read { try $0.frozen(Album.where { $0.id < 4 }, with: \.songs, \.likes) }
      try store.delete(Song.all)
      try expectEqual(try frozen.map { try $0.1.map { try $0.thawed() } }, [[], list("cba"), [], list("ab")])
      try expectEqual(frozen.map { $0.2.count }, [0, 0, 0, 0])
    },
    links("in-conditions", ["REL-19", "REL-13", "REL-14"], "Conditions lead through links, from both sides.") { store in
      let lists = [1: "abc", 2: "ch", 3: "a", 4: ""]
      try fill(store, lists)
      try store.write { try Album(5).played.append(contentsOf: list("aab"), in: $0) }
      func albums(_ fulfils: ([Song]) -> Bool) -> [Int] { (0..<6).filter { fulfils(list(lists[$0] ?? "")) } }
      func found(_ query: Query<Album>) throws -> [Int] { try store.fetch(query).map(\.id) }
      try expectEqual(
        try found(Album.where { $0.songs.any { $0.seconds > 60 } }), albums { $0.contains { $0.seconds > 60 } })
      try expectEqual(try found(Album.where("ANY songs.name == 'c'")), [1, 2])
      try expectEqual(
        try found(Album.where { $0.songs.all { $0.seconds > 60 } }), albums { $0.allSatisfy { $0.seconds > 60 } })
      try expectEqual(try found(Album.where("songs.@count >= 2")), [1, 2])
      try expectEqual(try found(Album.where { $0.songs.isEmpty && $0.id > 2 }), [4, 5])
      try expectEqual(try found(Album.where { $0.played.count == 3 }), [5])
      try expectEqual(try store.fetch(Song.where { $0.albums.any { $0.title == "t0" } }).map(\.name), ["a"])
      try expectEqual(try store.fetch(Song.where { $0.albums.count > 1 }).map(\.name), ["a", "c"])
      try expectEqual(
        try found(Album.where { $0.songs.any { $0.albums.any { $0.id == 3 } } }), [1, 3])
      try store.write { try expectEqual(try $0.delete(Album.where { $0.songs.any { $0.name == "h" } }), 1) }
      try expectEqual(try store.keys(Album.all), [0, 1, 3, 4, 5])
    },
    ConformanceCase(
      "REL.links-with-reads", ["REL-11", "REL-13"], "Lists are read at once, whatever the number of objects.",
      without: ConformanceVariant.allButFresh, within: .seconds(30)
    ) { kit in
      let place = CountingProvider(try kit.makePlace())
      let store = try kit.open([Album.self], at: place)
      var counts: [Int] = []
      for count in [2, 300] {
        try store.write { tx in
          try tx.upsert(contentsOf: (0..<count).map { Album($0) })
          try tx.upsert(contentsOf: (0..<count).map { Song("s\($0)") })
          for id in 0..<count {
            try Album(id).songs.replace(
              with: [Song("s\(id)"), Song("s\(count - 1 - id)")].prefix(id * 2 == count - 1 ? 1 : 2), in: tx)
          }
        }
        try store.read { tx in
          _ = place.take()
          try expectEqual(try tx.fetch(Album.all, with: \.songs).count, count)
          counts.append(place.take().all)
        }
      }
      try expectEqual(counts, [3, 3])
    },
  ]

  // MARK: Changing

  private static let changing: [ConformanceCase] = [
    links("append", ["REL-15"], "Objects are added at the end, one by one and together.") { store in
      try Album(1).songs.append(song("c"), in: store)
      try store.write { tx in
        try Album(1).songs.append(Ref<Song>("a"), in: tx)
        try Album(1).songs.append(contentsOf: list("db"), in: tx)
        try Album(1).songs.append(contentsOf: [Song](), in: tx)
        try expectEqual(try tx.keys(Album(1).songs).joined(), "cadb")
      }
      try expectList(store, Album(1).songs, "cadb")
    },
    links("insert", ["REL-15"], "Objects are added at any place.") { store in
      try store.write { tx in
        let songs = Album(1).songs
        try songs.insert(song("c"), at: 0, in: tx)
        try songs.insert(song("a"), at: 0, in: tx)
        try songs.insert(song("d"), at: 2, in: tx)
        try songs.insert(Ref<Song>("b"), at: 1, in: tx)
        try songs.insert(song("e"), at: 3, in: tx)
      }
      try expectList(store, Album(1).songs, "abced")
    },
    links(
      "insert-many-times", ["REL-15"], "A place that is used a hundred times keeps the order.", within: .seconds(60)
    ) {
      store in
      try store.write { tx in
        try Album(1).played.append(contentsOf: list("ah"), in: tx)
        for number in 0..<100 {
          try Album(1).played.insert(song(number % 2 == 0 ? "b" : "c"), at: 1, in: tx)
        }
        for _ in 0..<30 { try Album(1).played.insert(song("d"), at: 0, in: tx) }
      }
      let due = String(repeating: "d", count: 30) + "a" + String(repeating: "cb", count: 50) + "h"
      try expectList(store, Album(1).played, due)
    },
    links("remove", ["REL-15"], "An object is taken out of its list alone, and stays stored.") { store in
      try fill(store, [1: "abc", 2: "ab"])
      try store.write { tx in
        try expectEqual(try Album(1).songs.remove(song("b"), in: tx), 1)
        try expectEqual(try Album(1).songs.remove(song("b"), in: tx), 0)
        try expectEqual(try Album(1).songs.remove(Ref<Song>("h"), in: tx), 0)
      }
      try expectList(store, Album(1).songs, "ac")
      try expectList(store, Album(2).songs, "ab")
      try expectEqual(try store.count(Song.all), songs.count)
    },
    links("remove-at", ["REL-15"], "The object at a place is taken out, and no other that is the same.") { store in
      try store.write { tx in
        try Album(1).played.append(contentsOf: list("abab"), in: tx)
        try Album(1).played.remove(at: 2, in: tx)
        try expectEqual(try tx.keys(Album(1).played).joined(), "abb")
        try Album(1).played.remove(at: 0, in: tx)
        try Album(1).played.remove(at: 1, in: tx)
      }
      try expectList(store, Album(1).played, "b")
    },
    links("duplicates", ["REL-15"], "Where it is allowed an object is in a list as often as it was added.") { store in
      try store.write { tx in
        try Album(1).played.append(contentsOf: list("aba"), in: tx)
        try Album(1).played.append(song("a"), in: tx)
        try expectEqual(try tx.count(Album(1).played), 4)
        try expectEqual(try tx.fetch(Album(1).played.query).map(\.name), ["a", "b"])
        try expectEqual(try Album(1).played.remove(song("a"), in: tx), 3)
      }
      try expectList(store, Album(1).played, "b")
    },
    links("move", ["REL-15"], "An object that is moved is at its new place, and the others keep their order.") {
      store in
      for from in 0..<5 {
        for to in 0..<5 {
          try store.write { tx in
            try Album(1).songs.replace(with: list("abcde"), in: tx)
            try Album(1).songs.move(from: from, to: to, in: tx)
          }
          var due = Array("abcde")
          due.insert(due.remove(at: from), at: to)
          try expectList(store, Album(1).songs, String(due))
        }
      }
    },
    links("replace", ["REL-15"], "A list becomes just what it is given.") { store in
      try fill(store, [1: "abc", 2: "cd"])
      try Album(1).songs.replace(with: list("cea"), in: store)
      try expectList(store, Album(1).songs, "cea")
      try Album(1).songs.replace(with: [], in: store)
      try expectList(store, Album(1).songs, "")
      try expectList(store, Album(2).songs, "cd")
      try store.write { try expectEqual(try Album(2).songs.removeAll(in: $0), 2) }
      try expectList(store, Album(2).songs, "")
    },
    ConformanceCase("REL.links-async", ["REL-15", "TXN-8"], "Tasks read and change lists.") { kit in
      let store = try kit.store(Album.self)
      try await store.insert(Album(1))
      try await store.insert(contentsOf: songs)
      for name in "cab" { try await Album(1).songs.append(song(name), in: store) }
      let removed = try await Album(1).songs.remove(song("a"), in: store)
      try expectEqual(removed, 1)
      try await Album(1).played.replace(with: list("ab"), in: store)
      try await Album(1).played.append(contentsOf: list("ba"), in: store)
      try await Album(1).played.insert(song("c"), at: 1, in: store)
      try await Album(1).played.move(from: 4, to: 0, in: store)
      try await Album(1).played.remove(at: 3, in: store)
      let played = try await store.fetch(Album(1).played)
      try expectEqual(played.map(\.name).joined(), "aacb")
      let cleared = try await Album(1).played.removeAll(in: store)
      try expectEqual(cleared, 4)
      let (list, count) = (try await store.fetch(Album(1).songs), try await store.count(Album(1).songs))
      try expectEqual(list.map(\.name), ["c", "b"])
      try expectEqual(count, 2)
    },
    links("savepoint", ["REL-15", "TXN-4"], "What was done to a list in a savepoint is undone with it.") { store in
      try fill(store, [1: "abcd"])
      struct Stop: Error {}
      try store.write { tx in
        do {
          try tx.savepoint {
            try Album(1).songs.move(from: 3, to: 0, in: tx)
            try Album(1).songs.remove(song("b"), in: tx)
            try Album(1).songs.append(song("h"), in: tx)
            throw Stop()
          }
        } catch is Stop {}
        try expectEqual(try tx.keys(Album(1).songs).joined(), "abcd")
        try Album(1).songs.append(song("e"), in: tx)
      }
      try expectList(store, Album(1).songs, "abcde")
    },
  ]
}
