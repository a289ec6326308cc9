import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// What becomes of the stems of a store that is opened with another language, copied, restored and repaired.
enum SearchLanguageIndexCases {
  private static let texts = ["running water", "The runner", "he runs", "water", "a run of runs"]

  private static func fill(_ store: Store) throws {
    try store.insert(contentsOf: texts.enumerated().map { PlainLeaflet($0 + 1, $1) })
  }

  private static func english(_ store: Store, _ text: String) throws -> [Int] {
    try store.fetch(EnglishLeaflet.where { $0.search(text) }).map(\.id)
  }

  private static func plain(_ store: Store, _ text: String) throws -> [Int] {
    try store.fetch(SearchedLeaflet.where { $0.search(text) }).map(\.id)
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "SEARCH.language.opened", ["SEARCH-28", "SEARCH-33"],
      "A language comes and goes when a store is opened, and the index with it.", requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let plainStore = try kit.open([PlainLeaflet.self], at: place)
      try fill(plainStore)
      try plainStore.close()
      for turn in 1...2 {
        let searched = try kit.open([SearchedLeaflet.self], at: place)
        try expectEqual(try plain(searched, "runs"), [3, 5], "turn \(turn)")
        try expectEqual(try plain(searched, "run*"), [1, 2, 3, 5])
        try expectEqual(try searched.check(), [])
        try searched.close()
        let stems = try kit.open([EnglishLeaflet.self], at: place)
        try expect(!stems.openingReport.schemaChanges.isEmpty, "the report names no change")
        try expectEqual(try english(stems, "runs"), [1, 3, 5], "turn \(turn)")
        try expectEqual(try english(stems, "runn*"), [1, 2])
        try stems.insert(EnglishLeaflet(9, "running"))
        try expectEqual(try english(stems, "run"), [1, 3, 5, 9])
        try stems.delete(EnglishLeaflet.self, 9)
        try expectEqual(try stems.check(), [])
        try stems.close()
      }
      let again = try kit.open([EnglishLeaflet.self], at: place)
      try expectEqual(again.openingReport.schemaChanges, [])
      try expectEqual(try english(again, "runs"), [1, 3, 5])
    },
    ConformanceCase(
      "SEARCH.language.from-plain", ["SEARCH-28", "SEARCH-33"],
      "A property becomes searchable in a language, and is searchable no longer.", requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      var store = try kit.open([PlainLeaflet.self], at: place)
      try fill(store)
      try store.close()
      store = try kit.open([EnglishLeaflet.self], at: place)
      try expectEqual(try english(store, "waters run"), [1])
      try store.close()
      store = try kit.open([PlainLeaflet.self], at: place)
      try expectError(.invalidQuery) { try store.count(PlainLeaflet.where { $0.search("run") }) }
      try expectEqual(try store.count(PlainLeaflet.where { $0.title.search("run") }), 1)
    },
    ConformanceCase(
      "SEARCH.language.read-only", ["SEARCH-28", "SEARCH-32", "SEARCH-33"],
      "A store opened for reading is searched in the program's language, whatever its index has.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      var options = OpenOptions()
      options.isReadOnly = true
      var store = try kit.open([PlainLeaflet.self], at: place)
      try fill(store)
      for _ in 1...2 {
        try store.close()
        store = try kit.open([EnglishLeaflet.self], at: place, options: options)
        try expectEqual(try english(store, "runs"), [1, 3, 5])
        try expectEqual(try english(store, "runn*"), [1, 2])
        try expectEqual(try store.ranked(EnglishLeaflet.all, by: "run").map(\.object.id), [5, 1, 3])
        try store.close()
        // The next time, the store has an index of the words as they are written.
        store = try kit.open([SearchedLeaflet.self], at: place)
      }
      try store.close()
      store = try kit.open([EnglishLeaflet.self], at: place)
      try store.close()
      store = try kit.open([SearchedLeaflet.self], at: place, options: options)
      try expectEqual(try plain(store, "runs"), [3, 5])
    },
    ConformanceCase(
      "SEARCH.language.open-store", ["SEARCH-28", "SEARCH-33"], "A property of an open store gets a language."
    ) { kit in
      let store = try kit.store(SearchedLeaflet.self)
      try store.insert(contentsOf: texts.enumerated().map { SearchedLeaflet($0 + 1, $1) })
      let model = try unwrap(try store.models().first { $0.name == "Leaflet" })
      func found(_ text: String) throws -> [Value] {
        try store.records.ranked(in: "Leaflet", by: SearchQuery(typed: text)).compactMap { $0.record["id"] }
      }
      try expectEqual(try Set(found("runs").map(\.description)), ["3", "5"])
      try store.write { tx in
        try tx.apply(.changeSearch(model.id, slot: 1, .init(language: .english)))
        try expectEqual(try tx.records.fetch(in: "Leaflet", where: "title SEARCH 'runs'").count, 3)
      }
      try expectEqual(try found("runs").count, 3)
      try expectEqual(
        try unwrap(try store.models().first { $0.name == "Leaflet" }).properties[1].search?.language, .english)
      try store.write { tx in try tx.apply(.changeSearch(model.id, slot: 1, .init(weight: 2))) }
      try expectEqual(try found("runs").count, 2)
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "SEARCH.language.built-at-once", ["SEARCH-28", "SEARCH-33"],
      "The index of a language is built in the transaction that gives the property the language.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([SearchedLeaflet.self], at: place)
      try store.insert(contentsOf: texts.enumerated().map { SearchedLeaflet($0 + 1, $1) })
      let model = try unwrap(try store.models().first { $0.name == "Leaflet" })
      try store.write { tx in try tx.apply(.changeSearch(model.id, slot: 1, .init(language: .english))) }
      try store.close()
      let again = try kit.open([EnglishLeaflet.self], at: place)
      try expectEqual(again.openingReport.schemaChanges, [])
      try expectEqual(try english(again, "runs"), [1, 3, 5])
    },
    ConformanceCase(
      "SEARCH.language.unknown", ["SEARCH-33"], "The name of an unknown language is an error of a newer version."
    ) { kit in
      try expectError(.schemaTooNew) {
        try JSONDecoder().decode(PropertySchema.Search.self, from: Data(#"{"weight":1,"language":"klingon"}"#.utf8))
      }
      try expectEqual(SearchLanguage(name: "klingon"), nil)
      try expectEqual(SearchLanguage(name: "english"), .english)
      try expectEqual(SearchLanguage(name: "English"), nil)
    },
    ConformanceCase(
      "SEARCH.language.scores", ["SEARCH-17", "SEARCH-31"],
      "The scores are those of texts with a stem in place of each word, searched without a language.",
      within: .seconds(60)
    ) { kit in
      var random = kit.random(9_200)
      let texts = (1...60).map { ($0, PlainStems.text(&random, upTo: 12)) }
      let stems = try kit.store(EnglishLeaflet.self)
      try stems.insert(contentsOf: texts.map { EnglishLeaflet($0, $1) })
      var due: [String: [(Int, Double)]] = [:]
      for word in PlainStems.words {
        due[word] = try stems.ranked(EnglishLeaflet.all, by: .word(word)).map { ($0.object.id, $0.score) }
      }
      try stems.delete(EnglishLeaflet.all)
      try stems.insert(contentsOf: texts.map { EnglishLeaflet($0, PlainStems.stemmed($1)) })
      let model = try unwrap(try stems.models().first { $0.name == "Leaflet" })
      try stems.write { tx in try tx.apply(.changeSearch(model.id, slot: 1, .init())) }
      for word in PlainStems.words {
        let hits = try stems.records.ranked(in: "Leaflet", by: .word(PlainStems.stemmed(word)))
        try expectEqual(
          hits.map { "\($0.record["id"] ?? .null) \($0.score)" },
          due[word]?.map { "\(Value.int(Int64($0))) \($1)" } ?? [],
          word)
      }
    },
    ConformanceCase(
      "SEARCH.language.copied", ["SEARCH-29", "SEARCH-33"], "A copy finds the stems of its source.",
      requiresPersistence: true
    ) { kit in
      let store = try kit.store(Essay.self)
      try store.insert(contentsOf: Essay.samples)
      let place = try kit.makePlace()
      try store.copy(to: place)
      let copy = try kit.open([Essay.self], at: place)
      try expectEqual(copy.openingReport.schemaChanges, [])
      try copy.update(Essay.self, 2) { $0.title = "lamps" }
      try SearchLanguageCases.expectFound(copy, [("connect", [1, 2]), ("lamp", [2]), ("run", [1])])
      try expectEqual(try copy.check(), [])
    },
    ConformanceCase(
      "SEARCH.language.restored", ["SEARCH-29", "SEARCH-33"], "A dump has the languages of its store.",
      needs: [.upsert],
      requiresPersistence: true
    ) { kit in
      let store = try kit.store(Essay.self)
      try store.insert(contentsOf: Essay.samples)
      let text = try StoreDump.text(store)
      try expect(text.contains(#""search":3,"language":"english"}"#), "the dump has no language")
      try expect(text.contains(#""name":"author","type":"string","search":1}"#), "the author has a language")
      let place = try kit.makePlace()
      try StoreDump.restore(text, to: place)
      let restored = try kit.open([Essay.self], at: place)
      try expectEqual(restored.openingReport.schemaChanges, [])
      try SearchLanguageCases.expectFound(restored, [("connects", [1, 2]), ("fly", [5]), ("runn*", [1])])
      try expectEqual(try restored.check(), [])
      try expectEqual(try StoreDump.text(restored), text)
    },
    ConformanceCase(
      "SEARCH.language.backed-up", ["SEARCH-29"], "A backup finds the stems of its store.", needs: [.backup, .check],
      requiresPersistence: true
    ) { kit in
      let store = try kit.store(Essay.self)
      try store.insert(contentsOf: Essay.samples)
      guard let backup = try CopyScene.copy(store, kit, [Essay.self]) else { return }
      try store.delete(Essay.self, 1)
      try SearchLanguageCases.expectFound(backup, [("connects", [1, 2]), ("running", [1])])
      try expectEqual(try backup.check(), [])
    },
    ConformanceCase(
      "SEARCH.language.damaged-index", ["SEARCH-29", "SEARCH-33"],
      "A check finds an index that lacks a stem, and a repair builds it again.", needs: [.check, .repair],
      requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Essay.self], at: place)
      try store.insert(contentsOf: Essay.samples)
      try store.close()
      let backend = try place.open(OpenOptions())
      let write = try backend.beginWrite(WriteOptions())
      let index = try unwrap(write.schema.models.first { $0.isSearchIndex }, "the index of words")
      var query = BoundQuery(everyRowOf: index)
      // The rows of the stems of the first property.
      query.predicate = .compare(slot: 0, .greater, .data(Data([3, 0, 1, 1])))
      query.limit = 1
      _ = try write.delete(query)
      _ = try write.commit()
      try backend.close()
      let again = try kit.open([Essay.self], at: place)
      try expect(try !again.check().isEmpty, "the check finds nothing")
      _ = try again.repair(keeping: RowKeeper())
      try SearchLanguageCases.expectFound(again, [("connects", [1, 2]), ("the", [1, 2, 5]), ("dies", [5])])
      try expectEqual(try again.check(), [])
    },
    ConformanceCase(
      "SEARCH.language.observed", ["SEARCH-24", "SEARCH-31"], "An observed search by stems follows each commit.",
      needs: [.captureKeys], without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Essay.self)
      try store.insert(contentsOf: Essay.samples)
      let told = Told<[Int]>()
      let token = try store.observe(Essay.where { $0.search("runs") }) { told.note($0.objects.map(\.id)) }
      try expectEqual(try told.next(), [1])
      try store.insert(Essay(9, "More running"))
      try expectEqual(try told.next(), [1, 9])
      token.cancel()
    },
  ]
}
