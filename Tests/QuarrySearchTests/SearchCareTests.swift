import Foundation
import QuarryBackend
import QuarryCore
import QuarryDump
import QuarryEngines
import QuarryTestSupport
import QuarryText
import Testing

/// What becomes of the index of words where a store is damaged, moved, migrated or of another version.
@Suite struct SearchCareTests {
  private func sqlite() throws -> Place {
    let place = try Place(#require(EngineDescription.all.first { $0.name == "sqlite" }))
    let store = try place.open()
    try store.insert(contentsOf: SearchConditionTests.samples)
    try store.close()
    return place
  }

  /// Changes the rows of the index below everything that keeps it.
  private func damage(
    _ place: Place, _ body: (any BackendWriteTransaction, ModelSchema) throws -> Void
  ) throws {
    let backend = try place.provider.open(OpenOptions())
    defer { try? backend.close() }
    let write = try backend.beginWrite(WriteOptions())
    let index = try #require(write.schema.models.first { $0.isSearchIndex })
    try body(write, index)
    _ = try write.commit()
  }

  private func found(_ store: Store, _ text: String) throws -> [String] {
    try store.fetch(Article.where { $0.search(text) }).map(\.id)
  }

  struct Keeper: UnreadableRowKeeper {
    func keep(_ row: UnreadableRow) {}
    func finish() {}
  }

  // SEARCH-29.
  @Test func checkFindsAndRepairMends() throws {
    let place = try sqlite()
    try damage(place) { write, index in
      var query = BoundQuery(everyRowOf: index)
      query.predicate = .compare(slot: 0, .greater, .data(Data([3])))
      query.limit = 1
      _ = try write.delete(query)
    }
    let store = try place.open()
    defer { try? store.close() }
    #expect(try store.check() == ["the index of words does not have the words of Article"])
    let report = try store.repair(keeping: Keeper())
    #expect(report.actions.contains("the index of the words of Article was rebuilt"))
    #expect(report.remaining == [])
    #expect(try found(store, "swift") == ["1", "2"])
  }

  /// The row of the index's state with another version of the tokenizer: its second byte.
  private func setState(_ place: Place, at byte: Int = 1, _ version: UInt8) throws {
    try damage(place) { write, index in
      let layout = RowLayout(index)
      var value: [UInt8] = []
      try Key([0]).bytes.withBytes { key throws(StorageError) in
        guard let row = try write.row(index.id, key) else { return }
        value = Array(try RowView(row, layout).bytes(layout.slots[1]))
      }
      value[byte] = version
      let rows = RowWriter(layout)
      rows.begin()
      [UInt8(0)].withUnsafeBytes { rows.set(layout.slots[0], bytes: $0) }
      value.withUnsafeBytes { rows.set(layout.slots[1], bytes: $0) }
      var batch = RowBatch()
      batch.append(try rows.finish())
      _ = try write.upsert(index.id, batch, .replace)
    }
  }

  @Test func otherVersions() throws {
    let place = try sqlite()
    try setState(place, 0)
    var reading = OpenOptions()
    reading.isReadOnly = true
    var store = try Store(models: [Article.self], in: place.provider, options: reading)
    #expect(try found(store, "swift") == ["1", "2"])
    #expect(try store.ranked(Article.all, by: "swift").map(\.object.id) == ["1", "2"])
    try store.close()
    store = try place.open()
    #expect(store.openingReport.schemaChanges == ["the index of the words of Article was built"])
    #expect(try found(store, "swift") == ["1", "2"])
    #expect(try store.check() == [])
    try store.close()
    try setState(place, at: 0, 1)
    store = try place.open()
    #expect(store.openingReport.schemaChanges == ["the index of the words of Article was built"])
    #expect(try found(store, "swift") == ["1", "2"])
    try store.close()
    try setState(place, at: 0, 9)
    #expect { try place.open() } throws: { ($0 as? StorageError)?.code == .schemaTooNew }
    try setState(place, at: 0, 2)
    try setState(place, 9)
    #expect { try place.open() } throws: { ($0 as? StorageError)?.code == .schemaTooNew }
  }

  @Test func dumpsHaveIt() throws {
    let place = try sqlite()
    let store = try place.open()
    defer { try? store.close() }
    let file = place.folder.path + "/dump"
    try store.dump(to: file)
    for engine in EngineDescription.all where engine.name != "memory" {
      let other = try Place(engine)
      try Store.restore(file, to: other.provider)
      let restored = try other.open()
      defer { try? restored.close() }
      #expect(try found(restored, "swift -java") == ["1", "2"])
      #expect(try restored.check() == [])
      #expect(try store.differences(from: restored, limit: 3).isEmpty)
    }
  }

  // SEARCH-21, SEARCH-28.
  @Test func migrationsKeepIt() throws {
    let place = try sqlite()
    let store = try Store(
      models: [], in: place.provider,
      migration: .to(1) { context in
        try context.rename("Article", to: "Story")
        try context.rename("title", to: "headline", in: "Story")
      })
    defer { try? store.close() }
    let hits = try store.records.ranked(in: "Story", by: "storage", properties: ["headline"])
    #expect(hits.map { $0.record["id"] } == [.string("2")])
    let story = try store.model(named: "Story")
    try store.write { tx in
      try tx.apply(.changeSearch(story.id, slot: 1, nil))
      let record = Record([
        ("id", .string("7")), ("headline", .string("storage")), ("tags", .array([])), ("year", .int(1)),
      ])
      try tx.records.insert(into: "Story", [record])
    }
    #expect(try store.records.ranked(in: "Story", by: "storage").map { $0.record["id"] } == [.string("2")])
    #expect(try store.check() == [])
    for wrong in [
      SchemaChange.changeSearch(story.id, slot: 4, .init()), .changeSearch(story.id, slot: 1, .init(weight: 0)),
    ] {
      #expect { try store.write { tx in try tx.apply(wrong) } } throws: {
        ($0 as? StorageError)?.code == .schemaMismatch
      }
    }
    try store.write { tx in try tx.apply(.dropModel(tx.model(named: "Story").id)) }
    #expect(try store.models().isEmpty)
  }
}
