import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryMemory

@Suite struct MemoryNamedStoreTests {
  @Test func aNameIsSharedInTheProcess() throws {
    let one = try MemoryEngine(named: "shared")
    let two = try MemoryEngine(named: "shared")
    try one.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    #expect(try two.beginRead().get(1, [1]) == [1])
    let write = try two.beginWrite(timeout: 0)
    #expect(code { () throws(StorageError) in _ = try one.beginWrite(timeout: 0) } == .busy)
    write.end()
  }

  @Test func eachIsClosedOnItsOwn() throws {
    let one = try MemoryEngine(named: "closed")
    let two = try MemoryEngine(named: "closed")
    try one.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try one.close()
    #expect(code { () throws(StorageError) in _ = try one.beginRead() } == .closed)
    #expect(try two.beginRead().get(1, [1]) == [1])
    try two.close()
    #expect(try MemoryEngine(named: "closed").beginRead().get(1, [1]) == nil)
  }

  @Test func anEngineThatIsDroppedIsClosed() throws {
    do {
      let engine = try MemoryEngine(named: "dropped")
      try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    }
    #expect(try MemoryEngine(named: "dropped").beginRead().get(1, [1]) == nil)
  }

  @Test func namesAreToldApartByTheirBytes() throws {
    let composed = try MemoryEngine(named: "caf\u{E9}")
    let decomposed = try MemoryEngine(named: "cafe\u{301}")
    try composed.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    #expect(try decomposed.beginRead().get(1, [1]) == nil)
  }

  @Test func aStoreThatIsNotThereIsNotFound() throws {
    #expect(
      code { () throws(StorageError) in _ = try MemoryEngine(named: "missing", createsIfMissing: false) } == .notFound)
    #expect(code { () throws(StorageError) in _ = try MemoryEngine(named: "missing", isReadOnly: true) } == .notFound)
  }

  @Test func aNamedStoreIsReadOnlyForOneEngineAlone() throws {
    let writer = try MemoryEngine(named: "reader")
    let reader = try MemoryEngine(named: "reader", isReadOnly: true)
    try writer.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    #expect(try reader.beginRead().get(1, [1]) == [1])
    #expect(code { () throws(StorageError) in _ = try reader.beginWrite(timeout: 0) } == .readOnly)
  }

  @Test func whatIsOpenElsewhereIsNotDestroyed() throws {
    let one = try MemoryEngine(named: "destroyed")
    let two = try MemoryEngine(named: "destroyed")
    try one.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    #expect(code { () throws(StorageError) in try one.destroy() } == .inUse)
    #expect(try one.beginRead().get(1, [1]) == [1])
    try two.close()
    try one.destroy()
    #expect(try MemoryEngine(named: "destroyed").beginRead().get(1, [1]) == nil)
  }
}
