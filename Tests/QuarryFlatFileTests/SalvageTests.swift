import Foundation
import QuarryBackend
import QuarryCore
import Testing

@testable import QuarryFlatFile

/// Salvage of stores with models and indexes.
@Suite struct SalvageTests {
  /// A model with a plain and a unique index.
  struct Note: Model, Equatable {
    var id: Int
    var code: String
    var rank: Int

    static let modelDefinition = ModelDefinition<Note>(
      name: "Note",
      properties: [
        PropertyDefinition("id", \Note.id, Int.self), PropertyDefinition("code", \Note.code, String.self),
        PropertyDefinition("rank", \Note.rank, Int.self),
      ],
      primaryKey: "id", indexes: [IndexDefinition(["code"], isUnique: true), IndexDefinition(["rank"])])

    struct Columns: ModelColumns {
      var id = Column<Int>("id", 0)
      var code = Column<String>("code", 1)
      var rank = Column<Int>("rank", 2)
    }

    var primaryKeyValue: Int { id }

    init(_ id: Int, _ code: String, rank: Int) {
      self.id = id
      self.code = code
      self.rank = rank
    }

    init(reading row: ModelReader) throws(StorageError) {
      id = try row.get(0)
      code = try row.get(1)
      rank = try row.get(2)
    }

    func write(to row: ModelWriter) throws(StorageError) {
      try row.set(0, id)
      try row.set(1, code)
      try row.set(2, rank)
    }
  }

  /// Writes a store in which each body is a commit, and damages one of them, counted from the end.
  private func damaged(
    _ folder: TestFolder, commitFromEnd: Int, _ bodies: [(Store) throws -> Void]
  ) throws {
    let store = try Store(for: Note.self, in: .flatFile(at: folder.file(), compaction: .manual))
    var ends: [Int] = []
    for body in bodies {
      try body(store)
      ends.append(folder.bytes().count)
    }
    try store.close()
    var bytes = folder.bytes()
    bytes[ends[ends.count - commitFromEnd] - 1] ^= 1
    folder.write(bytes)
    #expect(throws: StorageError.self) { _ = try Store(for: Note.self, in: .flatFile(at: folder.file())) }
  }

  @Test func indexesAreFilledAnewBehindAGap() throws {
    let folder = try TestFolder()
    try damaged(
      folder, commitFromEnd: 2,
      [
        { try $0.insert(contentsOf: [Note(1, "a", rank: 1), Note(2, "b", rank: 2)]) },
        // Lost: note 1 leaves rank 1, so that the last commit does not know that it is still there in the index.
        { try $0.update(Note.self, 1) { $0.rank = 5 } },
        { try $0.update(Note.self, 1) { $0.rank = 7 } },
      ])
    let salvage = try FlatFile.salvage(from: folder.file(), to: folder.file("new.quarry"))
    #expect(!salvage.isPrefix)
    #expect(salvage.losses.count == 1)
    #expect(salvage.rebuiltIndexes.count == 2)
    #expect(salvage.droppedIndexes == [])
    let store = try Store(for: Note.self, in: .flatFile(at: folder.file("new.quarry")))
    #expect(try store.fetch(Note.all) == [Note(1, "a", rank: 7), Note(2, "b", rank: 2)])
    #expect(try store.fetch(Note.where { $0.rank < 7 }) == [Note(2, "b", rank: 2)])
    #expect(try store.count(Note.where { $0.rank == 1 }) == 0)
    #expect(try store.fetch(Note.where { $0.code == "a" }) == [Note(1, "a", rank: 7)])
    try store.insert(Note(3, "c", rank: 1))
    try store.close()
  }

  @Test func aUniqueIndexThatDoesNotHoldIsNamed() throws {
    let folder = try TestFolder()
    try damaged(
      folder, commitFromEnd: 2,
      [
        { try $0.insert(Note(1, "a", rank: 1)) },
        // Lost: note 1 gives its code up.
        { try $0.update(Note.self, 1) { $0.code = "z" } },
        { try $0.insert(Note(2, "a", rank: 2)) },
      ])
    let salvage = try FlatFile.salvage(from: folder.file(), to: folder.file("new.quarry"))
    #expect(salvage.droppedIndexes.count == 1)
    #expect(salvage.rebuiltIndexes.count == 1)
    let store = try Store(models: [], in: .flatFile(at: folder.file("new.quarry")))
    #expect(try store.statistics().models.first?.rows == 2)
    #expect(try store.statistics().models.first?.indexes.count == 1)
    try store.close()
  }

  @Test func aDamagedPartOfASnapshotCostsNoMoreThanItself() throws {
    let folder = try TestFolder()
    let store = try Store(for: Note.self, in: .flatFile(at: folder.file(), compaction: .manual))
    let text = String(repeating: "x", count: 200)
    try store.insert(contentsOf: (0..<20_000).map { Note($0, "\(text)\($0)", rank: $0) })
    try store.compact()
    try store.close()
    var bytes = folder.bytes()
    // In the second of the rows' parts, each of which has a little more than a mebibyte.
    bytes[1_600_000] ^= 1
    folder.write(bytes)
    let salvage = try FlatFile.salvage(from: folder.file(), to: folder.file("new.quarry"))
    #expect(!salvage.isPrefix)
    #expect(salvage.losses.count == 1)
    #expect(salvage.losses.reduce(0) { $0 + $1.bytes } < 1_500_000)
    let new = try Store(for: Note.self, in: .flatFile(at: folder.file("new.quarry")))
    let count = try new.count(Note.all)
    #expect(count > 12_000 && count < 20_000, "\(count)")
    #expect(try new.fetch(Note.where { $0.rank == 19_999 }).count == 1)
    #expect(try new.check() == [])
    try new.close()
  }

  @Test func aLostEndNeedsNoRepair() throws {
    let folder = try TestFolder()
    let store = try Store(for: Note.self, in: .flatFile(at: folder.file()))
    try store.insert(Note(1, "a", rank: 1))
    let whole = folder.bytes().count
    try store.insert(Note(2, "b", rank: 2))
    try store.close()
    folder.write(Array(folder.bytes()[..<(whole + 20)]))
    let salvage = try FlatFile.salvage(from: folder.file(), to: folder.file("new.quarry"))
    #expect(salvage.isPrefix)
    #expect(salvage.rebuiltIndexes == [])
    #expect(salvage.losses.map(\.offset) == [whole, whole + 20])
    #expect(salvage.losses[0].bytes == 20)
    // The file says how much there was.
    #expect(salvage.losses[1].commits == salvage.version.rawValue + 1...salvage.version.rawValue + 1)
    let new = try Store(for: Note.self, in: .flatFile(at: folder.file("new.quarry")))
    #expect(try new.fetch(Note.all) == [Note(1, "a", rank: 1)])
    try new.close()
  }
}
