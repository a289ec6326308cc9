import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing
@testable import QuarrySQLite

extension OpeningTests {
  // MARK: Reading only

  @Test func readingOnlyWritesNoFile() throws {
    let store = try TestStore(TestModel.item)
    try store.insert([StatementTests.item(1)])
    try store.backend.close()
    let before = bytes(store.path)
    let backend = try open(store.path) { $0.isReadOnly = true }
    let transaction = try backend.beginRead()
    #expect(try TestStore.fetch(transaction, store.query(), store.layout).count == 1)
    transaction.end()
    #expect(code { try backend.beginWrite(WriteOptions()) } == .readOnly)
    #expect(code { try backend.destroy() } == .readOnly)
    #expect(store.directory.contents == ["store.db"])
    try backend.close()
    #expect(store.directory.contents == ["store.db"])
    #expect(bytes(store.path) == before)
  }

  @Test func readingOnlySeesAnotherWriter() throws {
    let store = try TestStore(TestModel.item)
    try store.insert([StatementTests.item(1)])
    try store.backend.close()
    let reader = try open(store.path) { $0.isReadOnly = true }
    let old = try reader.beginRead()
    #expect(try old.count(store.query()) == 1)
    // Another program opens the store, writes, and closes it, which changes the file under the reader.
    let writer = try open(store.path)
    let batch = try store.batch([StatementTests.item(2)])
    let transaction = try writer.beginWrite(WriteOptions())
    try transaction.insert(store.id, batch)
    _ = try transaction.commit()
    let during = try reader.beginRead()
    #expect(try during.count(store.query()) == 2)
    during.end()
    try writer.close()
    #expect(code { try old.count(store.query()) } == .conflict)
    old.end()
    let after = try reader.beginRead()
    #expect(try after.count(store.query()) == 2)
    after.end()
    try reader.close()
  }

  @Test func aLogWithoutItsIndexNeedsAWriter() throws {
    let store = try TestStore(TestModel.item)
    try store.insert([StatementTests.item(1)])
    let copy = try TestDirectory()
    for ending in ["", "-wal"] {
      #expect(FileManager.default.createFile(atPath: copy.file() + ending, contents: Data(bytes(store.path + ending))))
    }
    #expect(code { try open(copy.file()) { $0.isReadOnly = true } } == .io)
    let backend = try open(copy.file())
    #expect(try backend.beginRead().count(store.query()) == 1)
  }

  @Test func destroyRemovesEveryFile() throws {
    let store = try TestStore(TestModel.item)
    let reader = try store.backend.beginRead()
    try store.backend.destroy()
    #expect(store.directory.contents == [])
    #expect(code { try reader.count(store.query()) } == .closed)
    // A new store at the same place is not harmed by what is still open of the old one.
    let backend = try open(store.path)
    reader.end()
    #expect(store.directory.contents == ["store.db", "store.db-shm", "store.db-wal"])
    #expect(try backend.beginRead().schema.models == [])
  }

  @Test(arguments: [false, true])
  func whatSomebodyElsePutAsideIsInUse(_ isMadeAnew: Bool) throws {
    let store = try TestStore(TestModel.item)
    for ending in ["", "-wal", "-shm"] {
      try FileManager.default.moveItem(
        atPath: store.path + ending, toPath: store.directory.file("aside.db\(ending)"))
    }
    if isMadeAnew { try open(store.path).close() }
    let before = store.directory.contents
    #expect(code { try store.backend.quarantine() } == .inUse)
    #expect(store.directory.contents == before)
  }
}
