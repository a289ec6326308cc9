import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// What becomes of the words of a store that is opened again, changed, copied and observed.
enum SearchIndexCases {
  private static func ids(_ store: Store, _ text: String) throws -> [Int] {
    try store.fetch(Leaflet.where { $0.search(text) }).map(\.id)
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "SEARCH.reopened", ["SEARCH-26", "SEARCH-28"], "A store that is opened again finds what it found.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Leaflet.self], at: place)
      try store.insert(contentsOf: Leaflet.samples)
      try store.close()
      let again = try kit.open([Leaflet.self], at: place)
      try expectEqual(again.openingReport.schemaChanges, [])
      try expectEqual(try ids(again, "swift"), [1, 2])
      try again.delete(Leaflet.self, 1)
      try expectEqual(try ids(again, "swift"), [2])
      try expectEqual(try again.check(), [])
    },
    ConformanceCase(
      "SEARCH.becomes-searchable", ["SEARCH-28"],
      "A property becomes searchable, and is so no longer, without a migration.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let plain = try kit.open([PlainLeaflet.self], at: place)
      try plain.insert(contentsOf: (1...200).map { PlainLeaflet($0, $0 % 7 == 0 ? "seven \($0)" : "other") })
      try plain.close()
      let searched = try kit.open([SearchedLeaflet.self], at: place)
      try expect(!searched.openingReport.schemaChanges.isEmpty, "the report names no change")
      try expectEqual(try searched.count(SearchedLeaflet.where { $0.search("seven") }), 28)
      try expectEqual(try searched.fetch(SearchedLeaflet.where { $0.search("\"seven 14\"") }).map(\.id), [14])
      try searched.close()
      let back = try kit.open([PlainLeaflet.self], at: place)
      try expectEqual(try back.count(PlainLeaflet.all), 200)
      try back.insert(PlainLeaflet(201, "seven more"))
      try back.close()
      let again = try kit.open([SearchedLeaflet.self], at: place)
      try expectEqual(try again.count(SearchedLeaflet.where { $0.search("seven") }), 29)
      try expectEqual(try again.check(), [])
    },
    ConformanceCase(
      "SEARCH.copied", ["SEARCH-29"], "A copy finds what its source finds.", requiresPersistence: true
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: Leaflet.samples)
      let place = try kit.makePlace()
      try store.copy(to: place)
      let copy = try kit.open([Leaflet.self], at: place)
      try expectEqual(try ids(copy, "swift"), [1, 2])
      try copy.update(Leaflet.self, 2) { leaflet in
        leaflet.title = "Tea"
        leaflet.body = nil
      }
      try expectEqual(try ids(copy, "swift"), [1])
      try expectEqual(try ids(store, "swift"), [1, 2])
      try expectEqual(try copy.check(), [])
    },
    ConformanceCase(
      "SEARCH.observed", ["SEARCH-24", "OBS-3"], "An observed search follows each commit.",
      needs: [.captureKeys], without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: Leaflet.samples)
      let told = Told<[Int]>()
      let token = try store.observe(Leaflet.where { $0.search("swift") }) { told.note($0.objects.map(\.id)) }
      try expectEqual(try told.next(), [1, 2])
      try store.insert(Leaflet(9, "More Swift"))
      try expectEqual(try told.next(), [1, 2, 9])
      try store.update(Leaflet.self, 1) { leaflet in
        leaflet.title = "Go"
        leaflet.labels = []
      }
      try expectEqual(try told.next(), [2, 9])
      token.cancel()
    },
    ConformanceCase(
      "SEARCH.observed-ranks", ["SEARCH-24", "OBS-3"], "An observed search behind a reference follows both models.",
      needs: [.captureKeys, .indexPlain], without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Rack.self, Pamphlet.self)
      try store.insert(Rack(1, "tea"))
      try store.insert(contentsOf: [Pamphlet(1, "green", rack: 1), Pamphlet(2, "black")])
      let told = Told<[Int]>()
      let token = try store.observe(Pamphlet.where { $0.rack.name.search("tea") }) { told.note($0.objects.map(\.id)) }
      try expectEqual(try told.next(), [1])
      try store.update(Pamphlet.self, 2) { $0.rack = Ref(1) }
      try expectEqual(try told.next(), [1, 2])
      try store.update(Rack.self, 1) { $0.name = "coffee" }
      try expectEqual(try told.next(), [])
      token.cancel()
    },
    ConformanceCase(
      "SEARCH.read-only", ["SEARCH-28"], "A store opened for reading is searched without an index of its own.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let plain = try kit.open([PlainLeaflet.self], at: place)
      try plain.insert(contentsOf: (1...50).map { PlainLeaflet($0, $0 % 7 == 0 ? "seven \($0)" : "other") })
      try plain.close()
      var options = OpenOptions()
      options.isReadOnly = true
      let reading = try kit.open([SearchedLeaflet.self], at: place, options: options)
      try expectEqual(try reading.count(SearchedLeaflet.where { $0.title.search("seven") }), 7)
      try expectEqual(try reading.ranked(SearchedLeaflet.all, by: "\"seven 14\"").map(\.object.id), [14])
      try expectError(.readOnly) { try reading.insert(SearchedLeaflet(99, "seven")) }
      try reading.close()
      let again = try kit.open([PlainLeaflet.self], at: place)
      try expectEqual(again.openingReport.schemaChanges, [])
    },
    ConformanceCase(
      "SEARCH.restored", ["SEARCH-29"], "A store made of a dump finds what its source finds.", needs: [.upsert],
      requiresPersistence: true
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: Leaflet.library)
      let place = try kit.makePlace()
      try StoreDump.restore(try StoreDump.text(store), to: place)
      let restored = try kit.open([Leaflet.self], at: place)
      try expectEqual(restored.openingReport.schemaChanges, [])
      try SearchWriteCases.expectFound(
        restored, [("swift", [1, 2, 7]), ("\"cup of tea\"", [8]), ("-swift", [3, 4, 5, 6, 8])], "restored")
      try restored.delete(Leaflet.self, 1)
      try expectEqual(try ids(restored, "swift"), [2, 7])
      try expectEqual(try restored.check(), [])
    },
    ConformanceCase(
      "SEARCH.backed-up", ["SEARCH-29"], "A backup finds what its store finds.", needs: [.backup, .check],
      requiresPersistence: true
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: Leaflet.library)
      guard let backup = try CopyScene.copy(store, kit, [Leaflet.self]) else { return }
      try store.delete(Leaflet.self, 1)
      try expectEqual(try ids(backup, "swift"), [1, 2, 7])
      try expectEqual(try backup.check(), [])
    },
    ConformanceCase(
      "SEARCH.compacted", ["SEARCH-26"], "A compaction changes no answer.", needs: [.compact, .check]
    ) { kit in
      let store = try kit.store(Leaflet.self)
      for turn in 0..<20 { try store.upsert(contentsOf: (1...20).map { Leaflet($0, "turn\(turn) word\($0)") }) }
      try store.compact()
      try expectEqual(try ids(store, "turn19"), Array(1...20))
      try expectEqual(try ids(store, "turn18"), [])
      try expectEqual(try ids(store, "word7"), [7])
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "SEARCH.damaged-index", ["SEARCH-29"], "A check finds an index that lacks words, and a repair builds it again.",
      needs: [.check, .repair], requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Leaflet.self], at: place)
      try store.insert(contentsOf: Leaflet.library)
      try store.close()
      let backend = try place.open(OpenOptions())
      let write = try backend.beginWrite(WriteOptions())
      let index = try unwrap(write.schema.models.first { $0.isSearchIndex }, "the index of words")
      var query = BoundQuery(everyRowOf: index)
      query.predicate = .compare(slot: 0, .greater, .data(Data([3])))
      query.limit = 1
      _ = try write.delete(query)
      _ = try write.commit()
      try backend.close()
      let again = try kit.open([Leaflet.self], at: place)
      try expect(try !again.check().isEmpty, "the check finds nothing")
      _ = try again.repair(keeping: RowKeeper())
      try SearchWriteCases.expectFound(again, [("swift", [1, 2, 7]), ("tea", [7, 8])], "repaired")
      try expectEqual(try again.check(), [])
    },
    ConformanceCase(
      "SEARCH.renamed", ["SEARCH-28"], "A model and a property that are renamed stay searchable.",
      needs: [.schemaRenameModel, .schemaRenameProperty], requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Leaflet.self], at: place)
      try store.insert(contentsOf: Leaflet.library)
      try store.close()
      let migration = Migration.to(1) { context in
        try context.rename("Leaflet", to: "Flyer")
        try context.rename("title", to: "headline", in: "Flyer")
      }
      let renamed = try kit.open([], at: place, migration: migration)
      func keys(_ text: String) throws -> [Value] {
        try renamed.records.fetch(in: "Flyer", where: text).compactMap { $0["id"] }
      }
      try expectEqual(try keys("headline SEARCH 'swift'"), [.int(1), .int(7)])
      try expectEqual(try renamed.records.ranked(in: "Flyer", by: "milk").compactMap { $0.record["id"] }, [.int(8)])
      try renamed.records.delete(in: "Flyer", keys: [.int(1)])
      try expectEqual(try keys("headline SEARCH 'swift'"), [.int(7)])
      try expectEqual(try renamed.check(), [])
    },
    ConformanceCase(
      "SEARCH.schema", ["SEARCH-21", "SEARCH-28"],
      "What cannot be searchable is refused, and a property of an open store can become so."
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: Leaflet.library)
      let model = try unwrap(try store.models().first { $0.name == "Leaflet" })
      for (slot, options) in [
        (4, PropertySchema.Search()), (0, PropertySchema.Search()), (5, PropertySchema.Search(weight: 0)),
        (5, PropertySchema.Search(weight: 1_001)),
      ] {
        try expectError(.schemaMismatch, "slot \(slot) \(options)") {
          try store.write { tx in try tx.apply(.changeSearch(model.id, slot: slot, options)) }
        }
      }
      try store.update(Leaflet.self, 3) { $0.note = "lamp" }
      // The program's type describes the model no longer.
      func found(_ text: String) throws -> [Value] {
        try store.records.ranked(in: "Leaflet", by: SearchQuery(typed: text)).compactMap { $0.record["id"] }
      }
      try store.write { tx in try tx.apply(.changeSearch(model.id, slot: 5, PropertySchema.Search(weight: 1_000))) }
      try expectEqual(try found("lamp"), [.int(3)])
      try store.write { tx in try tx.apply(.changeSearch(model.id, slot: 1, nil)) }
      try expectEqual(try found("concurrency"), [])
      try expectError(.invalidQuery) {
        try store.records.ranked(in: "Leaflet", by: "concurrency", properties: ["title"])
      }
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "SEARCH.no-index", ["SEARCH-25"], "A search in an object without searchable properties is no query."
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try expectError(.invalidQuery) { try store.count(Item.where { $0.search("swift") }) }
      try expectError(.invalidQuery) { try store.ranked(Item.all, by: "swift") }
    },
    ConformanceCase(
      "SEARCH.many-objects", ["SEARCH-26"],
      "More objects than one row of postings has are found, removed and numbered again.",
      within: .seconds(120)
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: (1...2_500).map { Leaflet($0, $0 % 5 == 0 ? "five \($0)" : "other \($0)") })
      try expectEqual(try store.count(Leaflet.where { $0.search("five") }), 500)
      try expectEqual(try ids(store, "1025"), [1_025])
      try expectEqual(try ids(store, "2050"), [2_050])
      try store.delete(Leaflet.where { $0.id > 1_000 && $0.id <= 2_000 })
      try expectEqual(try store.count(Leaflet.where { $0.search("five") }), 300)
      try expectEqual(try ids(store, "1025"), [])
      try store.insert(contentsOf: (3_001...3_700).map { Leaflet($0, "five late") })
      try expectEqual(try store.count(Leaflet.where { $0.search("five") }), 1_000)
      try expectEqual(try store.count(Leaflet.where { $0.search("late") }), 700)
      try expectEqual(try store.count(Leaflet.where { $0.search("-five") }), 1_200)
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "SEARCH.version", ["SEARCH-8"], "The words of texts have a version."
    ) { kit in
      // A store of another version cannot be made by calls: the tests of the index write one below them.
      try expect(Tokenizer.version >= 1)
      let store = try kit.store(Leaflet.self)
      try store.insert(Leaflet(1, "swift"))
      try expectEqual(try ids(store, "swift"), [1])
    },
  ]
}
