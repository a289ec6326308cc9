import CLMDB
import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

@Suite struct LMDBSharingTests {
  let place: Place

  init() throws {
    place = try Place()
  }

  // MARK: One environment in a process

  @Test(arguments: ["same", "relative", "symlink", "hard link"])
  func aStoreThatIsOpenIsShared(way: String) throws {
    let first = try place.open()
    var path = place.path
    switch way {
    case "relative":
      path = place.folder + "/./../" + URL(fileURLWithPath: place.folder).lastPathComponent + "/store.lmdb/"
    case "symlink":
      path = place.folder + "/link"
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: place.path)
    case "hard link":
      path = place.folder + "/other"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try FileManager.default.linkItem(atPath: place.path + "/data.mdb", toPath: path + "/data.mdb")
    default: break
    }
    let second = try place.open(path: path)
    #expect(first.environment === second.environment)
    try second.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    #expect(try first.value(1, [1]) == [1])
    try first.close()
    #expect(try second.value(1, [1]) == [1])
    #expect(code { () throws(StorageError) in _ = try first.value(1, [1]) } == .closed)
  }

  @Test func writersOfTwoOpeningsExcludeEachOther() throws {
    let first = try place.open()
    let second = try place.open()
    let write = try first.beginWrite(timeout: 0)
    #expect(code { () throws(StorageError) in _ = try second.beginWrite(timeout: 0.02) } == .busy)
    write.end()
    try second.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
  }

  @Test func aStoreOpenForReadingCannotBeOpenedForWritingToo() throws {
    try place.open().close()
    let reader = try place.open(readOnly: true)
    let error = failure { () throws(StorageError) in _ = try place.open() }
    #expect(error?.code == .inUse)
    #expect(error?.processID == ProcessInfo.processInfo.processIdentifier)
    try reader.close()
    try place.open().close()
  }

  // MARK: Closing

  @Test func closingWithEverythingOpenEndsInErrors() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let read = try engine.beginRead()
    let snapshot = try engine.snapshot()
    let ofSnapshot = try snapshot.beginRead()
    var cursor = try read.cursor(1, .all, descending: false)
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [2], [2])
    try engine.close()
    try engine.close()
    #expect(code { () throws(StorageError) in _ = try read.get(1, [1]) } == .closed)
    #expect(code { () throws(StorageError) in _ = try ofSnapshot.get(1, [1]) } == .closed)
    #expect(code { () throws(StorageError) in _ = try cursor.next() } == .closed)
    #expect(code { () throws(StorageError) in _ = try write.get(1, [1]) } == .closed)
    #expect(code { () throws(StorageError) in _ = try write.commit() } == .closed)
    #expect(code { () throws(StorageError) in _ = try snapshot.beginRead() } == .closed)
    #expect(code { () throws(StorageError) in _ = try engine.beginRead() } == .closed)
    #expect(code { () throws(StorageError) in _ = try engine.value(1, [1]) } == .closed)
    #expect(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0) } == .closed)
    #expect(code { () throws(StorageError) in _ = try engine.statistics() } == .closed)
  }

  @Test func aStoreIsOpenedAgainWhileAnOldReaderIsLeft() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let read = try engine.beginRead()
    try engine.close()
    let again = try place.open()
    #expect(try again.value(1, [1]) == [1])
    #expect(code { () throws(StorageError) in _ = try read.get(1, [1]) } == .closed)
    read.end()
    #expect(try again.value(1, [1]) == [1])
  }

  @Test func theEnvironmentIsClosedWithItsLastTransaction() throws {
    let engine = try place.open()
    let read = try engine.beginRead()
    let environment = engine.environment
    try engine.close()
    #expect(!environment.closeIfUnused())
    read.end()
    let again = try place.open()
    #expect(again.environment !== environment)
  }

  // MARK: Snapshots

  @Test func aSnapshotIsReadByThreadsWhileOthersWrite() async throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for number in 0..<2_000 { try tx.put(TreeID(number % 4), key(number), [0]) }
    }
    let snapshot = try engine.snapshot()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for thread in 0..<4 {
        group.addTask {
          let read = try snapshot.beginRead()
          var seen = 0
          for _ in 0..<5 {
            for number in 0..<2_000 where try read.get(TreeID(number % 4), key(number)) == [0] { seen += 1 }
            seen += try read.keys(TreeID(thread)).count
          }
          return seen
        }
      }
      group.addTask {
        for round in 1..<20 {
          try engine.write { tx throws(StorageError) in
            for number in 0..<500 { try tx.put(TreeID(number % 5), key(number), [UInt8(round)]) }
          }
        }
        return 5 * 2_500
      }
      for try await seen in group { #expect(seen == 5 * 2_500) }
    }
    let newest = try engine.beginRead().version
    #expect(snapshot.version < newest)
  }

  @Test func aClosedSnapshotEndsItsTransactions() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let snapshot = try engine.snapshot()
    let read = try snapshot.beginRead()
    snapshot.close()
    snapshot.close()
    #expect(code { () throws(StorageError) in _ = try read.get(1, [1]) } == .closed)
    #expect(code { () throws(StorageError) in _ = try snapshot.beginRead() } == .closed)
  }

  @Test func oneReaderTooManyIsRefused() throws {
    let engine = try place.open(readers: 4)
    let limit = try #require(engine.properties.maximumSnapshots)
    var open: [LMDBReadTransaction] = []
    for _ in 0..<limit { open.append(try engine.beginRead()) }
    #expect(code { () throws(StorageError) in _ = try engine.beginRead() } == .limitExceeded)
    open.removeLast().end()
    #expect(try engine.value(1, [1]) == nil)
  }

  // MARK: Threads

  @Test func aWriterThatIsEndedElsewhereDoesNotStopOthersForEver() throws {
    let engine = try place.open()
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [1], [1])
    let box = Box(write)
    let codes = Box<[StorageError.Code?]>([])
    let thread = Thread {
      codes.value.append(code { () throws(StorageError) in _ = try box.value.commit() })
      box.value.end()
      codes.value.append(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0.02) })
      codes.value.append(nil)
    }
    thread.start()
    while codes.value.count < 3 { usleep(1000) }
    #expect(codes.value == [.wrongThread, .busy, nil])
    // This thread began it, and so can end it.
    try engine.write { tx throws(StorageError) in try tx.put(2, [1], [1]) }
    #expect(try engine.value(1, [1]) == nil)
  }

  @Test func aWriterOfAThreadThatHasEndedIsTakenOver() throws {
    let engine = try place.open()
    let box = Box<LMDBWriteTransaction?>(nil)
    let thread = Thread { box.value = try? engine.beginWrite(timeout: 0) }
    thread.start()
    while box.value == nil || !thread.isFinished { usleep(1000) }
    usleep(20_000)
    box.value = nil
    try engine.write { tx throws(StorageError) in try tx.put(2, [1], [1]) }
    #expect(try engine.value(2, [1]) == [1])
  }

  // MARK: Processes

  /// Holds the writer's byte in another process, which says so and waits for a line.
  private func hold(_ path: String, _ body: () throws -> Void) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import fcntl, sys; f = open(sys.argv[1], 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX, 1, \(LMDBFileLock.writer)); "
        + "print('held', flush=True); sys.stdin.readline()", path + "/data.mdb",
    ]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    _ = try output.fileHandleForReading.read(upToCount: 1)
    try body()
    // Signals that can be blocked may be, by inheritance.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  @Test func aWriterInAnotherProcessIsWaitedForAndThenBusy() throws {
    let engine = try place.open()
    try hold(place.path) { () throws in
      #expect(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0.05) } == .busy)
      #expect(try engine.value(1, [1]) == nil)
    }
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
  }

  @Test func aReaderThatWasKilledDoesNotMakeTheFileGrow() throws {
    let engine = try place.open()
    let value = [UInt8](repeating: 1, count: 200_000)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], value) }
    // A dump that nobody reads waits inside its transaction.
    let dump = Process()
    dump.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    dump.arguments = ["mdb_dump", "-s", "1", place.path]
    let output = Pipe()
    dump.standardOutput = output
    try dump.run()
    _ = try output.fileHandleForReading.read(upToCount: 1)
    kill(dump.processIdentifier, SIGKILL)
    dump.waitUntilExit()
    for _ in 0..<150 {
      try engine.write { tx throws(StorageError) in try tx.put(1, [1], value) }
    }
    #expect(engine.environment.file.byteCount < 12 << 20)
    #expect(try engine.check() == [])
  }

  @Test func aForkIsRefusedAndHarmsNothing() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let read = try engine.beginRead()
    let symbol = try #require(dlsym(nil, "fork"))
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
    let child = fork()
    if child == 0 {
      let codes = [
        code { () throws(StorageError) in _ = try read.get(1, [1]) },
        code { () throws(StorageError) in _ = try engine.value(1, [1]) },
        code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0) },
      ]
      read.end()
      try? engine.close()
      _exit(codes == [.inUse, .inUse, .inUse] ? 7 : 1)
    }
    var status: Int32 = 0
    var waited = 0
    while waitpid(child, &status, WNOHANG) == 0, waited < 5_000 {
      usleep(1_000)
      waited += 1
    }
    if waited == 5_000 { kill(child, SIGKILL) }
    #expect(status == 7 << 8)
    #expect(try read.get(1, [1]) == [1])
    try engine.write { tx throws(StorageError) in try tx.put(1, [2], [2]) }
  }

  @Test func statReadsTheFiles() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for number in 0..<10 { try tx.put(12, key(number), []) }
    }
    let (status, output) = try run("mdb_stat", ["-a", place.path])
    #expect(status == 0)
    #expect(output.contains("Status of 12"))
    #expect(output.contains("Entries: 10"))
  }

  @Test func treesAndGrowthOfAnotherProcessAreFollowed() throws {
    let engine = try place.open(mapBytes: 1 << 20)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    #expect(try engine.value(1, [1]) == [1])
    // mdb_load opens with the map of the file, so that it is made larger by a dump that says so.
    let dump = place.folder + "/dump"
    let value = String(repeating: "61", count: 100_000)
    var text = "VERSION=3\nformat=bytevalue\ndatabase=77\ntype=btree\nmapsize=67108864\nHEADER=END\n"
    for number in 10..<40 { text += " 6\(number % 10)\(number)\n \(value)\n" }
    text += "DATA=END\n"
    try text.write(toFile: dump, atomically: true, encoding: .utf8)
    let (status, output) = try run("mdb_load", ["-f", dump, place.path])
    #expect(status == 0, "\(output)")
    #expect(try engine.beginRead().count(77, .all) == 30)
    try engine.write { tx throws(StorageError) in try tx.put(1, [2], [2]) }
    #expect(try engine.value(1, [2]) == [2])
    #expect(try engine.check() == [])
  }

  @Test(arguments: [false, true])
  func readersBeginWhileTheMapIsMadeLarger(isHeld: Bool) async throws {
    let engine = try place.open(mapBytes: 1 << 20)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    // A reader of before, during which the map cannot be made larger, and readers in the pool.
    let held = isHeld ? try engine.beginRead() : nil
    for _ in 0..<3 { #expect(try engine.value(1, [1]) == [1]) }
    let dump = place.folder + "/dump"
    let value = String(repeating: "61", count: 100_000)
    var text = "VERSION=3\nformat=bytevalue\ndatabase=77\ntype=btree\nmapsize=67108864\nHEADER=END\n"
    for number in 10..<40 { text += " 6\(number % 10)\(number)\n \(value)\n" }
    text += "DATA=END\n"
    try text.write(toFile: dump, atomically: true, encoding: .utf8)
    let (status, output) = try run("mdb_load", ["-f", dump, place.path])
    #expect(status == 0, "\(output)")
    let ending = Box(held)
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for thread in 0..<6 {
        group.addTask {
          if thread == 0 {
            // The others wait for this one to end.
            usleep(50_000)
            if let held = ending.value { #expect(try held.get(1, [1]) == [1]) }
            ending.value?.end()
          }
          var seen = 0
          for _ in 0..<20 {
            let read = try engine.beginRead()
            seen += try read.count(77, .all)
            seen += try read.get(1, [1])?.count ?? 0
            read.end()
          }
          return seen
        }
      }
      group.addTask {
        for number in 0..<20 {
          try engine.write { tx throws(StorageError) in try tx.put(2, key(number), [UInt8](repeating: 2, count: 5_000))
          }
        }
        return 20 * 31
      }
      var counts: [Int] = []
      for try await count in group { counts.append(count) }
      return counts
    }
    #expect(counts == Array(repeating: 20 * 31, count: 7))
    #expect(try engine.beginRead().count(2, .all) == 20)
    #expect(try engine.check() == [])
  }

  @Test func threeWritersTakeTheirTurns() async throws {
    let engine = try place.open()
    let other = try place.open()
    let inside = Box(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<3 {
        group.addTask {
          for round in 0..<40 {
            let write = try (thread == 1 ? other : engine).beginWrite(timeout: 30)
            inside.value += 1
            try write.put(1, key(thread * 100 + round), [])
            usleep(200)
            #expect(inside.value == 1)
            inside.value -= 1
            if round % 4 == 3 { write.end() } else { _ = try write.commit() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try engine.beginRead().count(1, .all) == 90)
  }
}

/// A value that threads of a test hand over to each other, one after the other.
final class Box<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Value

  init(_ value: Value) { stored = value }

  var value: Value {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}
