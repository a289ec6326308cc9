import Dispatch
import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarrySystem
import QuarryTestSupport
import Synchronization
import Testing

@testable import QuarryFlatFile

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct OpeningTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func put(_ key: UInt8, in engine: FlatFileEngine) throws(StorageError) {
    try engine.write { tx throws(StorageError) in try tx.put(1, [key], [key]) }
  }

  @Test func aStoreIsOneFileForItsOwnerAlone() throws {
    let engine = try folder.open()
    try put(1, in: engine)
    try engine.compact()
    #expect(folder.contents == ["store.quarry"])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file())
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    try engine.close()
    let read = try folder.open { $0.isReadOnly = true }
    #expect(try read.beginRead().keys(1) == [[1]])
  }

  @Test func nothingThere() throws {
    #expect(code { () throws(StorageError) in _ = try folder.open { $0.createsIfMissing = false } } == .notFound)
    #expect(code { () throws(StorageError) in _ = try folder.open { $0.isReadOnly = true } } == .notFound)
    #expect(code { () throws(StorageError) in _ = try folder.open("no/such/store.quarry") } == .notFound)
    #expect(folder.contents == [])
  }

  @Test func pathsThatNameNoFile() throws {
    let long = folder.file(String(repeating: "x", count: 5000))
    let component = folder.file(String(repeating: "x", count: 300))
    for (path, expected) in [
      ("", .invalidValue), (folder.file("a\0b"), .invalidValue), (folder.path, .corrupt),
      (folder.path + "/x/", .invalidValue),
      ("/dev/null", .corrupt), (long, .limitExceeded), (component, .limitExceeded),
    ] as [(String, StorageError.Code)] {
      #expect(code { () throws(StorageError) in _ = try folder.open(path: path) } == expected, "\(path.prefix(80))")
      let reading = code { () throws(StorageError) in _ = try folder.open(path: path) { $0.isReadOnly = true } }
      #expect(reading == expected, "\(path.prefix(80))")
    }
    #expect(folder.contents == [])
  }

  @Test(arguments: ["a b%20c?d#e.quarry", "e\u{301}🙂.quarry", "é.quarry", "-rf", "line\nbreak"])
  func namesMeanThemselves(_ name: String) throws {
    let engine = try folder.open(name)
    try put(1, in: engine)
    try engine.compact()
    try engine.close()
    #expect(folder.contents.count == 1)
    #expect(folder.contents.first?.utf8.elementsEqual(name.utf8) == true)
    #expect(try folder.open(name) { $0.isReadOnly = true }.beginRead().keys(1) == [[1]])
  }

  @Test func filesOfAnotherKindAreLeftAsTheyAre() throws {
    let text = Array(String(repeating: "this is text, not a store. ", count: 100).utf8)
    for content in [text, [1], [0x8F], [0x8F] + Array("Quarry\n".utf8), [UInt8](repeating: 0, count: 4096)] {
      folder.write(content)
      #expect(code { () throws(StorageError) in _ = try folder.open() } == .corrupt)
      #expect(code { () throws(StorageError) in _ = try folder.open { $0.isReadOnly = true } } == .corrupt)
      #expect(folder.bytes() == content)
      #expect(folder.contents == ["store.quarry"])
    }
  }

  @Test func aPipeIsNoStore() throws {
    try #require(mkfifo(folder.file(), 0o600) == 0)
    #expect(code { () throws(StorageError) in _ = try folder.open() } == .corrupt)
    #expect(code { () throws(StorageError) in _ = try folder.open { $0.isReadOnly = true } } == .corrupt)
  }

  @Test(.enabled(if: geteuid() != 0, "root may do everything"))
  func withoutPermission() throws {
    try folder.open().close()
    chmod(folder.file(), 0)
    #expect(code { () throws(StorageError) in _ = try folder.open() } == .io)
    chmod(folder.path, 0o500)
    defer { chmod(folder.path, 0o700) }
    #expect(code { () throws(StorageError) in _ = try folder.open("other.quarry") } == .io)
  }

  // MARK: One writer

  @Test func whoOpensItAgainSharesIt() throws {
    let engine = try folder.open()
    try put(1, in: engine)
    let link = folder.file("link.quarry")
    let hard = folder.file("hard.quarry")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file())
    try FileManager.default.linkItem(atPath: folder.file(), toPath: hard)
    for (key, path) in [folder.file(), folder.path + "/./store.quarry", link, hard].enumerated() {
      let other = try folder.open(path: path)
      #expect(try other.beginRead().keys(1).count == key + 1)
      try put(UInt8(key + 2), in: other)
      #expect(try engine.beginRead().get(1, [UInt8(key + 2)]) != nil)
      #expect(code { () throws(StorageError) in try other.destroy() } == .inUse)
      let write = try engine.beginWrite(timeout: 0)
      #expect(code { () throws(StorageError) in _ = try other.beginWrite(timeout: 0) } == .busy)
      write.end()
      try other.close()
      #expect(code { () throws(StorageError) in _ = try other.beginRead() } == .closed)
      try other.close()
    }
    try put(9, in: engine)
    try engine.close()
    let again = try folder.open(path: link)
    #expect(try again.beginRead().keys(1).count == 6)
    #expect(again.openingReport == OpeningReport(wasClosed: true))
    try again.close()
  }

  @Test func itIsSharedAfterItWasRewritten() throws {
    let engine = try folder.open()
    try put(1, in: engine)
    try engine.compact()
    let other = try folder.open()
    try put(2, in: other)
    try engine.close()
    try other.compact()
    try put(3, in: other)
    try other.close()
    #expect(try folder.open { $0.isReadOnly = true }.beginRead().keys(1) == [[1], [2], [3]])
  }

  @Test func theStricterDurabilityHoldsForAll() throws {
    let engine = try folder.open { $0.durability = BackendManifest.Durability.none }
    try put(1, in: engine)
    #expect(try engine.statistics().details["syncs"] == "0")
    let other = try folder.open { $0.durability = .powerLoss }
    #expect(other.properties.durability == .powerLoss)
    try put(2, in: engine)
    #expect(try engine.statistics().details["syncs"] == "1")
    let third = try folder.open { $0.durability = BackendManifest.Durability.none }
    #expect(third.properties.durability == .powerLoss)
    try other.close()
    try third.close()
    try engine.close()
    #expect(try folder.open { $0.isReadOnly = true }.openingReport.wasClosed == true)
  }

  @Test func aStoreThatWasLetGoIsNotInTheWay() throws {
    var engine: FlatFileEngine? = try folder.open()
    try put(1, in: #require(engine))
    engine = nil
    let again = try folder.open()
    #expect(again.openingReport == OpeningReport(wasClosed: true))
    var other: FlatFileEngine? = try folder.open()
    let write = try #require(try other?.beginWrite(timeout: 0))
    other = nil
    try write.put(1, [2], [2])
    _ = try write.commit()
    try again.close()
    #expect(try folder.open().beginRead().keys(1) == [[1], [2]])
  }

  @Test func openingAndClosingOnManyThreads() throws {
    let engine = try folder.open()
    try put(0, in: engine)
    try engine.close()
    let path = folder.file()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<20 {
        do throws(StorageError) {
          let engine = try FlatFileEngine(
            FlatFileConfiguration(path: path, compaction: .manual), OpenOptions(), files: SystemFileSystem())
          try engine.write { tx throws(StorageError) in try tx.put(1, [UInt8(thread * 20 + round + 1)], []) }
          if round % 7 == 3 { try engine.compact() }
          try engine.close()
        } catch {
          Issue.record("\(error)")
        }
      }
    }
    let last = try folder.open()
    #expect(try last.beginRead().keys(1).count == 161)
    #expect(try last.check() == [])
    try last.close()
  }

  /// The path names the new file already, and the store still writes to the old one.
  @Test func openingWhileARewriteTakesThePlaceOfTheFile() throws {
    let answers = Mutex<[StorageError.Code?]>([])
    // Making a file syncs the directory too.
    let isMade = Atomic(false)
    let disk = SimulatedDisk(onDirectorySync: { disk in
      guard isMade.load(ordering: .relaxed) else { return }
      let answer = code { () throws(StorageError) in
        try FlatFileEngine(FlatFileConfiguration(path: "/store", compaction: .manual), OpenOptions(), files: disk)
          .close()
      }
      answers.withLock { $0.append(answer) }
    })
    let engine = try FlatFileEngine(
      FlatFileConfiguration(path: "/store", compaction: .manual), OpenOptions(), files: disk)
    try put(1, in: engine)
    isMade.store(true, ordering: .relaxed)
    try engine.compact()
    #expect(answers.withLock { $0 } == [nil])
    try put(2, in: engine)
    #expect(try engine.beginRead().keys(1) == [[1], [2]])
    try engine.close()
  }

  @Test func aFileWithTwoNamesIsNotRewritten() throws {
    let engine = try folder.open()
    try put(1, in: engine)
    try FileManager.default.linkItem(atPath: folder.file(), toPath: folder.file("hard.quarry"))
    #expect(code { () throws(StorageError) in try engine.compact() } == .unsupported)
    try FileManager.default.removeItem(atPath: folder.file("hard.quarry"))
    try engine.compact()
    try put(2, in: engine)
    try engine.close()
  }

  @Test func aStoreBehindALinkIsRewrittenThere() throws {
    try folder.open().close()
    let link = folder.file("link.quarry")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file())
    let engine = try folder.open(path: link)
    try put(1, in: engine)
    try engine.compact()
    try engine.close()
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == folder.file())
    #expect(try folder.open { $0.isReadOnly = true }.beginRead().keys(1) == [[1]])
  }

  @Test func aLinkToNothingIsNotFound() throws {
    let link = folder.file("link.quarry")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file("gone"))
    #expect(code { () throws(StorageError) in _ = try folder.open(path: link) } == .notFound)
    #expect(folder.contents == ["link.quarry"])
  }

  @Test func theLockOfAKilledProcessIsGone() throws {
    guard let flock = ["/usr/bin/flock", "/bin/flock"].first(where: FileManager.default.isExecutableFile) else {
      return
    }
    try folder.open().close()
    let other = Process()
    other.executableURL = URL(fileURLWithPath: flock)
    other.arguments = ["--no-fork", folder.file(), "/bin/sleep", "60"]
    try other.run()
    defer { if other.isRunning { other.terminate() } }
    var bytes = folder.bytes()
    bytes.withUnsafeMutableBytes { $0.storeLittleEndian(UInt64(other.processIdentifier), at: 512) }
    let handle = try #require(FileHandle(forUpdatingAtPath: folder.file()))
    try handle.write(contentsOf: bytes)
    var error: StorageError?
    // The other process takes a moment to begin.
    for _ in 0..<500 {
      error = failure { () throws(StorageError) in try folder.open().close() }
      if error != nil { break }
      usleep(10_000)
      try handle.seek(toOffset: 0)
      try handle.write(contentsOf: bytes)
    }
    #expect(error?.code == .inUse)
    #expect(error?.processID == other.processIdentifier)
    let read = try folder.open { $0.isReadOnly = true }
    #expect(try read.beginRead().keys(1) == [])
    kill(other.processIdentifier, SIGKILL)
    other.waitUntilExit()
    try folder.open().close()
  }

  // MARK: Reading beside a writer

  @Test func aReaderSeesWhatWasCommittedWhenItOpened() throws {
    let writer = try folder.open()
    try put(1, in: writer)
    let reader = try folder.open { $0.isReadOnly = true }
    try put(2, in: writer)
    try writer.compact()
    try put(3, in: writer)
    #expect(try reader.beginRead().keys(1) == [[1]])
    #expect(try reader.check() == [])
    #expect(code { () throws(StorageError) in _ = try reader.beginWrite(timeout: 0) } == .readOnly)
    #expect(code { () throws(StorageError) in try reader.compact() } == .readOnly)
    #expect(code { () throws(StorageError) in try reader.destroy() } == .readOnly)
    try reader.close()
    #expect(try folder.open { $0.isReadOnly = true }.beginRead().keys(1) == [[1], [2], [3]])
    try writer.close()
  }

  @Test func readingOnlyWritesNothing() throws {
    let engine = try folder.open()
    try put(1, in: engine)
    try engine.close()
    let torn = folder.bytes() + [1, 2, 3]
    folder.write(torn)
    folder.write([1], to: "store.quarry._quarry.partial")
    let reader = try folder.open { $0.isReadOnly = true }
    #expect(try reader.statistics().details["tailBytes"] == "3")
    try reader.close()
    #expect(folder.bytes() == torn)
    #expect(folder.contents == ["store.quarry", "store.quarry._quarry.partial"])
    let writer = try folder.open()
    #expect(try writer.statistics().details["tailBytes"] == "3")
    let tail = try #require(writer.openingReport.tail)
    #expect(folder.contents.map { folder.file($0) } == [folder.file(), try #require(tail.path)])
    #expect(try writer.check().count == 1)
    try writer.close()
    #expect(folder.bytes().count == torn.count - 3)
    let again = try folder.open { $0.isReadOnly = true }
    #expect(again.openingReport == OpeningReport(wasClosed: true))
    #expect(try again.check().count == 1)
    try FileManager.default.removeItem(atPath: try #require(tail.path))
    #expect(try again.check() == [])
    try again.close()
  }

  @Test func aFileThatIsRemovedMeanwhile() throws {
    let engine = try folder.open()
    try put(1, in: engine)
    try FileManager.default.removeItem(atPath: folder.file())
    #expect(code { () throws(StorageError) in try put(2, in: engine) } == .io)
    #expect(try engine.beginRead().keys(1) == [[1]])
    #expect(code { () throws(StorageError) in try put(3, in: engine) } == .io)
    try engine.close()
    #expect(folder.contents == [])
  }

  @Test func destroyingRemovesTheFile() throws {
    let engine = try folder.open()
    try put(1, in: engine)
    let snapshot = try engine.snapshot()
    try engine.destroy()
    #expect(folder.contents == [])
    #expect(code { () throws(StorageError) in _ = try engine.beginRead() } == .closed)
    #expect(code { () throws(StorageError) in _ = try snapshot.beginRead() } == .closed)
    #expect(try folder.open().beginRead().keys(1) == [])
  }

  @Test func whatIsOpenWhenTheStoreIsClosed() throws {
    let engine = try folder.open()
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [1], [1])
    try engine.close()
    #expect(code { () throws(StorageError) in _ = try write.commit() } == .closed)
    #expect(code { () throws(StorageError) in _ = try engine.check() } == .closed)
    #expect(code { () throws(StorageError) in try engine.compact() } == .closed)
    #expect(try folder.open().beginRead().keys(1) == [])
  }

  @Test func everyDurabilityIsKeptOverAClose() throws {
    for (key, durability) in [BackendManifest.Durability.none, .processCrash, .powerLoss].enumerated() {
      let engine = try folder.open { $0.durability = durability }
      #expect(engine.properties.durability == durability)
      try put(UInt8(key), in: engine)
      try engine.close()
    }
    #expect(try folder.open().beginRead().keys(1) == [[0], [1], [2]])
  }

  @Test func salvageNeedsANewPlace() throws {
    let path = folder.file()
    let backend = try FlatFileConfiguration(path: path).open(OpenOptions())
    try backend.close()
    #expect(code { () throws(StorageError) in _ = try FlatFile.salvage(from: path, to: path) } == .invalidValue)
    let salvage = try FlatFile.salvage(from: path, to: folder.file("new.quarry"))
    #expect(salvage.losses.isEmpty && salvage.isPrefix)
    try folder.open("new.quarry").close()
  }
}
