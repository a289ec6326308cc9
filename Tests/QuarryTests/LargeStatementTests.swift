import Foundation
import Quarry
import Testing

@Model
struct TomeMark: Equatable {
  let id: Int
  @Attribute(.unique) var place: Int
  @Attribute(.indexed) var note: String
  @Attribute(.indexed) var shelf: Int
}

/// A statement whose index entries take more than an engine of trees keeps until its end.
@Suite struct LargeStatementTests {
  private let count = 15_000
  private var note: String { String(repeating: "n", count: 1500) }

  private func withMarks(_ scheme: String, _ body: (Store) throws -> Void) throws {
    try EveryEngine.withStore(scheme, [TomeMark.self]) { store in
      try store.write { tx in
        try tx.insert(contentsOf: (0..<count).map { TomeMark(id: $0, place: $0, note: "", shelf: $0 % 7) })
      }
      try body(store)
    }
  }

  // Each row takes the unique value of the next one, which must have left it before: these entries wait to the end.
  @Test(arguments: ["memory", "lmdb"]) func uniqueValuesMoveWhileOtherEntriesAreAddedEarly(_ scheme: String) throws {
    try withMarks(scheme) { store in
      let changes = try AssignmentParser.parse("place = place + 1, note = '\(note)', shelf = shelf + 1")
      #expect(try store.write { tx in try tx.records.assign(QueryTree(model: "TomeMark"), changes) } == count)
      #expect(try store.count(TomeMark.where { $0.note == note }) == count)
      #expect(try store.count(TomeMark.where { $0.shelf == 7 }) == count / 7)
      #expect(try store.first(TomeMark.where { $0.place == count })?.id == count - 1)
      #expect(try store.first(TomeMark.where { $0.place == 0 }) == nil)
      #expect(try store.check() == [])
    }
  }

  @Test(arguments: ["memory", "lmdb"]) func aClashAtTheEndUndoesEntriesThatWereAddedEarly(_ scheme: String) throws {
    try withMarks(scheme) { store in
      let all = QueryTree(model: "TomeMark")
      let changes = try AssignmentParser.parse("place = 7, note = '\(note)'")
      try store.write { tx in
        let error = #expect(throws: StorageError.self) { try tx.records.assign(all, changes) }
        #expect(error?.code == .uniqueViolation)
        let unchanged = try tx.count(TomeMark.where { $0.note == "" })
        #expect(unchanged == count)
      }
      #expect(try store.count(TomeMark.where { $0.note == note }) == 0)
      #expect(try store.first(TomeMark.where { $0.place == count - 1 })?.id == count - 1)
      #expect(try store.check() == [])
    }
  }
}
