#if PostgreSQL
  import QuarryBackend
  import QuarryCore
  import Testing

  @testable import QuarryPostgreSQL
  @testable import QuarryTestSupport

  /// How often each call waits for the server: numbers that must not grow. docs/engines/postgresql.md has them as a table.
  @Suite struct RoundTripTests {
    /// A store with one shelf for ten volumes, whose connection has prepared its statements.
    private final class Library {
      let place: TestPlace
      let store: Store
      private let events = EventList()

      init(_ writers: BackendManifest.Writers) throws {
        place = try TestPlace(writers)
        var options = OpenOptions()
        options.reporters = [events]
        store = try Store(for: Shelf.self, Volume.self, in: place.place, options: options)
        try store.insert(contentsOf: (0..<120).map { Shelf($0) })
        try store.insert(contentsOf: (0..<1_200).map { Volume($0, on: $0 / 10) })
        // The first result says how large the rows are, by which later statements ask for as many as they need.
        _ = try store.fetch(Volume.all)
        _ = try store.fetch(Shelf.all)
      }

      deinit { try? store.close() }

      /// The statements for whose answers the body has waited; those of one trip are one.
      ///
      /// Without what a busy machine adds: a write whose beginning took long asks whether it still has its turn, and begins again if
      /// not.
      func trips(_ body: (Store) throws -> Void) throws -> [String] {
        _ = events.take()
        try body(store)
        let all = events.take().compactMap { if case .answered(let answer) = $0 { answer.statement } else { nil } }
        return all[(all.lastIndex(of: "BEGIN") ?? 0)...].filter { $0 != "SET" }
      }

      /// The trips of a call in a transaction, without those of its beginning and its end.
      func tripsOfRead(_ body: (ReadTransaction) throws -> Void) throws -> [String] {
        try store.read { tx in try trips { _ in try body(tx) } }
      }

      func tripsOfWrite(_ body: (WriteTransaction) throws -> Void) throws -> [String] {
        try store.write { tx in try trips { _ in try body(tx) } }
      }
    }

    private static let writers: [BackendManifest.Writers] = [.one, .many]

    private func expect(_ count: Int, _ trips: [String], at place: SourceLocation = #_sourceLocation) {
      #expect(trips.count == count, "\(trips)", sourceLocation: place)
    }

    // MARK: Transactions

    @Test(arguments: writers) func aTransactionTakesATripToBeginAndOneToCommit(_ writers: BackendManifest.Writers)
      throws
    {
      let library = try Library(writers)
      expect(1, try library.trips { try $0.read { _ in } })
      expect(2, try library.trips { try $0.read { _ = try $0.get(Volume.self, 1) } })
      expect(3, try library.trips { try $0.write { try $0.insert(Volume(5_000, on: nil)) } })
      expect(3, try library.trips { try $0.insert(Volume(5_001, on: nil)) })
    }

    /// A nested transaction is a savepoint.
    @Test(arguments: writers) func aSavepointTakesNoTrip(_ writers: BackendManifest.Writers) throws {
      let library = try Library(writers)
      let kept = try library.tripsOfWrite { _ in
        try library.store.write { try $0.insert(Shelf(2_000)) }
        try library.store.write { _ in }
      }
      expect(1, kept)
      // An empty one that fails, and one whose insert is undone.
      let undone = try library.tripsOfWrite { _ in
        try? library.store.write { _ in throw CancellationError() }
        try? library.store.write { tx in
          try tx.insert(Shelf(2_001))
          throw CancellationError()
        }
      }
      expect(2, undone)
      #expect(try library.store.get(Shelf.self, 2_000) != nil)
      #expect(try library.store.get(Shelf.self, 2_001) == nil)
    }

    // MARK: Reads

    @Test(arguments: writers) func anObjectIsGotInOneTrip(_ writers: BackendManifest.Writers) throws {
      let library = try Library(writers)
      var found: Volume?
      expect(1, try library.trips { found = try $0.get(Volume.self, 1) })
      #expect(found?.title == "volume 1")
      expect(1, try library.trips { found = try $0.get(Volume.self, -1) })
      #expect(found == nil)
      expect(1, try library.tripsOfRead { _ = try $0.get(Volume.self, 1) })
      expect(1, try library.tripsOfWrite { _ = try $0.get(Volume.self, 1) })
    }

    @Test(arguments: writers) func aThousandKeysAreReadInOneTrip(_ writers: BackendManifest.Writers) throws {
      let library = try Library(writers)
      var found = 0
      expect(1, try library.tripsOfRead { found = try $0.get(Volume.self, keys: 0..<1_000).compactMap(\.self).count })
      #expect(found == 1_000)
    }

    @Test(arguments: writers) func aQueryIsFetchedInBatches(_ writers: BackendManifest.Writers) throws {
      let library = try Library(writers)
      expect(1, try library.tripsOfRead { _ = try $0.fetch(Volume.where { $0.id < 10 }) })
      expect(1, try library.tripsOfRead { _ = try $0.count(Volume.where { $0.title.contains("7") }) })
      // 1,024 rows, then 176.
      expect(2, try library.tripsOfRead { _ = try $0.fetch(Volume.all) })
    }

    @Test(arguments: writers) func aRelationIsFetchedInOneTrip(_ writers: BackendManifest.Writers) throws {
      let library = try Library(writers)
      // The volumes, then the shelves.
      expect(2, try library.tripsOfRead { _ = try $0.fetch(Volume.where { $0.id < 100 }, with: \.shelf) })
    }

    // MARK: Writes

    @Test(arguments: writers) func aCallThatWritesTakesOneTrip(_ writers: BackendManifest.Writers) throws {
      let library = try Library(writers)
      expect(1, try library.tripsOfWrite { try $0.insert(Shelf(2_000)) })
      expect(1, try library.tripsOfWrite { try $0.upsert(Shelf(2_000)) })
      expect(1, try library.tripsOfWrite { try $0.assign(Shelf.self, 2_000) { $0.name = "new" } })
      expect(1, try library.tripsOfWrite { try $0.assign(Shelf.where { $0.id < 50 }) { $0.name = "new" } })
      expect(1, try library.tripsOfWrite { _ = try $0.delete(Volume.self, 1) })
      expect(1, try library.tripsOfWrite { _ = try $0.delete(Volume.where { $0.id < 50 }) })
      expect(1, try library.tripsOfWrite { _ = try $0.delete(Volume.self, keys: 60..<90) })
      // Whether the row is absent, or something of another program has kept it.
      expect(2, try library.tripsOfWrite { _ = try $0.delete(Volume.self, -1) })
      // The old values, then the new ones.
      expect(2, try library.tripsOfWrite { try $0.update(Shelf.self, 2_000) { $0.name += "!" } })
    }

    @Test(arguments: writers) func manyObjectsAreOneCopy(_ writers: BackendManifest.Writers) throws {
      let library = try Library(writers)
      // The server says that it takes the copy, and that it has it.
      expect(2, try library.tripsOfWrite { try $0.insert(contentsOf: (0..<5_000).map { Shelf(10_000 + $0) }) })
    }

    @Test(arguments: writers) func aCheckedReferenceTakesATrip(_ writers: BackendManifest.Writers) throws {
      let library = try Library(writers)
      expect(2, try library.tripsOfWrite { try $0.insert(Volume(3_000, on: 1)) })
      let many = try library.tripsOfWrite { tx in
        try tx.insert(contentsOf: (0..<500).map { Volume(4_000 + $0, on: $0 / 10) })
      }
      expect(3, many)
    }

    @Test(arguments: writers) func aCascadeTakesTwoTripsForEachBatch(_ writers: BackendManifest.Writers) throws {
      let library = try Library(writers)
      expect(2, try library.tripsOfWrite { _ = try $0.delete(Shelf.self, 1) })
      #expect(try library.store.count(Volume.where { $0.shelf == Ref(1) }) == 0)
    }
  }

  private struct Shelf: Model {
    var id: Int
    var name: String

    static let modelDefinition = ModelDefinition<Shelf>(
      name: "Shelf",
      properties: [
        PropertyDefinition("id", \Shelf.id, Int.self), PropertyDefinition("name", \Shelf.name, String.self),
      ], primaryKey: "id")

    struct Columns: ModelColumns {
      let id = Column<Int>("id", 0)
      var name = Column<String>("name", 1)
    }

    var primaryKeyValue: Int { id }

    init(_ id: Int) { (self.id, name) = (id, "shelf \(id)") }

    init(reading row: ModelReader) throws(StorageError) { (id, name) = (try row.get(0), try row.get(1)) }

    func write(to row: ModelWriter) throws(StorageError) {
      try row.set(0, id)
      try row.set(1, name)
    }
  }

  /// A volume, which goes with its shelf.
  private struct Volume: Model {
    var id: Int
    var title: String
    var shelf: Ref<Shelf>?

    static let modelDefinition = ModelDefinition<Volume>(
      name: "Volume",
      properties: [
        PropertyDefinition("id", \Volume.id, Int.self), PropertyDefinition("title", \Volume.title, String.self),
        PropertyDefinition("shelf", \Volume.shelf, Ref<Shelf>?.self, deleteRule: .cascade),
      ], primaryKey: "id")

    struct Columns: ModelColumns {
      let id = Column<Int>("id", 0)
      var title = Column<String>("title", 1)
      var shelf = Column<Ref<Shelf>?>("shelf", 2)
    }

    var primaryKeyValue: Int { id }

    init(_ id: Int, on shelf: Int?) { (self.id, title, self.shelf) = (id, "volume \(id)", shelf.map { Ref($0) }) }

    init(reading row: ModelReader) throws(StorageError) {
      (id, title, shelf) = (try row.get(0), try row.get(1), try row.get(2))
    }

    func write(to row: ModelWriter) throws(StorageError) {
      try row.set(0, id)
      try row.set(1, title)
      try row.set(2, shelf)
    }
  }
#endif
