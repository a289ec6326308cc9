import QuarryBackend
package import QuarryKeyValue
import Testing

/// What every engine does with its first bytes, as arguments of one test for each engine.
package enum EngineTrial: String, CaseIterable, Sendable {
  case aNewStoreIsEmpty
  case treesAreApart
  case aWriterSeesItsOwnChanges
  case aReaderSeesTheStateThatItBeganWith
  case aCommitOfNothingIsNoNewState
  case endRollsBackWithTheTreesThatWereMade
  case aSavepointThatIsNotThereIsRefused

  /// Tries it on an engine with nothing in it.
  package func run(on engine: some KeyValueEngine) throws {
    switch self {
    case .aNewStoreIsEmpty: try Self.newStore(engine)
    case .treesAreApart: try Self.trees(engine)
    case .aWriterSeesItsOwnChanges: try Self.ownChanges(engine)
    case .aReaderSeesTheStateThatItBeganWith: try Self.states(engine)
    case .aCommitOfNothingIsNoNewState: try Self.commitOfNothing(engine)
    case .endRollsBackWithTheTreesThatWereMade: try Self.end(engine)
    case .aSavepointThatIsNotThereIsRefused: try Self.noSavepoint(engine)
    }
  }

  private static func newStore(_ engine: some KeyValueEngine) throws {
    let read = try engine.beginRead()
    #expect(try read.get(0, [1]) == nil)
    #expect(try read.keys(7) == [])
    #expect(try read.count(7, .all) == 0)
    #expect(try engine.value(3, [1]) == nil)
  }

  private static func trees(_ engine: some KeyValueEngine) throws {
    let ids: [TreeID] = [9, 0, .max, 3, 70_000, 4]
    try engine.write { tx throws(StorageError) in
      for id in ids { try tx.put(id, [1], [UInt8(truncatingIfNeeded: id)]) }
    }
    let read = try engine.beginRead()
    for id in ids {
      #expect(try read.get(id, [1]) == [UInt8(truncatingIfNeeded: id)])
      #expect(try engine.value(id, [1]) == [UInt8(truncatingIfNeeded: id)])
    }
    #expect(try read.get(5, [1]) == nil)
    #expect(try engine.value(5, [1]) == nil)
  }

  private static func ownChanges(_ engine: some KeyValueEngine) throws {
    let write = try engine.beginWrite(timeout: 0)
    #expect(try write.put(1, [1], [1]))
    #expect(try !write.put(1, [1], [2]))
    #expect(try !write.insert(1, [1], [3]))
    #expect(try write.insert(1, [2], [4]))
    #expect(try write.get(1, [1]) == [2])
    #expect(try write.keys(1) == [[1], [2]])
    #expect(try write.count(1, .all) == 2)
    #expect(try write.delete(1, [1]))
    #expect(try !write.delete(1, [1]))
    #expect(try write.delete(1, in: .all) == 1)
    #expect(try write.keys(1) == [])
  }

  private static func states(_ engine: some KeyValueEngine) throws {
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let before = try engine.beginRead()
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [1], [2])
    try write.put(2, [1], [2])
    let during = try engine.beginRead()
    _ = try write.commit()
    let after = try engine.beginRead()
    #expect(try before.get(1, [1]) == [1])
    #expect(try during.get(1, [1]) == [1])
    #expect(try during.get(2, [1]) == nil)
    #expect(try after.get(1, [1]) == [2])
    #expect(before.version < after.version)
  }

  private static func commitOfNothing(_ engine: some KeyValueEngine) throws {
    let first = try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let second = try engine.write { tx throws(StorageError) in
      _ = try tx.delete(1, [9])
      _ = try tx.insert(1, [1], [2])
    }
    #expect(first == second)
    #expect(try engine.beginRead().version == first)
  }

  private static func end(_ engine: some KeyValueEngine) throws {
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [1], [1])
    write.end()
    write.end()
    #expect(try engine.beginRead().get(1, [1]) == nil)
    try engine.write { tx throws(StorageError) in try tx.put(2, [1], [2]) }
    #expect(try engine.value(1, [1]) == nil)
    #expect(try engine.value(2, [1]) == [2])
  }

  private static func noSavepoint(_ engine: some KeyValueEngine) throws {
    let write = try engine.beginWrite(timeout: 0)
    #expect(code { try write.rollbackSavepoint() } == .transactionEnded)
    #expect(code { try write.releaseSavepoint() } == .transactionEnded)
    try write.put(1, [1], [1])
    _ = try write.commit()
    #expect(try engine.beginRead().keys(1) == [[1]])
  }
}
