import QuarryBackend
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
  ]
}
