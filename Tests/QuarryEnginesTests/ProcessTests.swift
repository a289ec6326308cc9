import Foundation
import QuarryBackend
import QuarryCore
import QuarryExerciser
import Testing

/// Several processes at one store.
@Suite struct ProcessTests {
  private static let shared: [Engine] = Engine.allCases.filter { engine in
    guard let scratch = try? Scratch() else { return false }
    return (try? engine.isShared(in: scratch.folder)) ?? false
  }
  private static let exclusive = Engine.allCases.filter { !shared.contains($0) }

  /// Two writers and two readers: every transfer counts, and no reader sees money between two accounts.
  @Test(arguments: shared)
  func writersAndReadersOfTwoProcesses(_ engine: Engine) throws {
    let scratch = try Scratch()
    let store = try Store(models: AccountWorkload.models, in: engine.provider(in: scratch.folder.path))
    try AccountWorkload.prepare(store)
    let transfers = 150
    let writers = try (1...2).map { try Child(engine, scratch.folder, "transfer", "\(transfers)", "\($0 * 977)") }
    let readers = try (1...2).map { _ in try Child(engine, scratch.folder, "audit", "200") }
    for child in writers + readers {
      #expect(try child.lines() == ["done"])
      #expect(child.wait() == 0)
    }
    #expect(try AccountWorkload.verify(store) == transfers * 2)
    try store.close()
  }

  /// A writer that is killed holds nobody up.
  @Test(arguments: shared)
  func killedWriterLetsOthersWrite(_ engine: Engine) throws {
    let scratch = try Scratch()
    let store = try Store(models: BatchWorkload.models, in: engine.provider(in: scratch.folder.path))
    defer { try? store.close() }
    for delay in [0, 1_000, 3_000, 7_000, 12_000] as [UInt32] {
      let child = try Child(engine, scratch.folder, "commit")
      _ = try child.line()
      usleep(delay)
      child.kill()
      let acknowledged = try child.lines().last.flatMap { Int($0) } ?? 0
      _ = child.wait()
      let found = try BatchWorkload.verify(store)
      #expect(found >= acknowledged)
      try BatchWorkload.commit(found + 1, store)
      #expect(try BatchWorkload.verify(store) == found + 1)
    }
  }

  /// What a reader pinned that was killed is given free.
  @Test(arguments: shared)
  func killedReaderDoesNotMakeTheStoreGrow(_ engine: Engine) throws {
    let scratch = try Scratch()
    let store = try Store(models: BatchWorkload.models, in: engine.provider(in: scratch.folder.path))
    defer { try? store.close() }
    for number in 1...100 { try BatchWorkload.commit(number, store) }
    let before = Engine.bytes(in: scratch.folder)
    for round in 0..<3 {
      let child = try Child(engine, scratch.folder, "freeze")
      #expect(try child.line() == "open")
      child.kill()
      _ = child.wait()
      for number in 1...150 { try BatchWorkload.commit(100 + round * 150 + number, store) }
    }
    // Each commit writes some ten kilobytes anew; 450 of them that were all kept would be many times as much.
    #expect(Engine.bytes(in: scratch.folder) < before * 2 + 1 << 21)
    #expect(try BatchWorkload.verify(store) == 550)
  }

  /// A store that one process has open for writing is refused to others, with the number of that process.
  @Test(arguments: exclusive)
  func secondProcessIsRefused(_ engine: Engine) throws {
    let scratch = try Scratch()
    let child = try Child(engine, scratch.folder, "hold")
    #expect(try child.line() == "open")
    let error = #expect(throws: StorageError.self) {
      try Store(models: BatchWorkload.models, in: engine.provider(in: scratch.folder.path)).close()
    }
    #expect(error?.code == .inUse)
    #expect(error?.processID == child.id)
    let second = try Child(engine, scratch.folder, "hold")
    #expect(try second.lines() == ["error inUse \(child.id)"])
    #expect(second.wait() == 3)
    child.kill()
    _ = child.wait()
    let third = try Child(engine, scratch.folder, "hold")
    #expect(try third.line() == "open")
    third.finishInput()
    #expect(try third.lines() == [])
    #expect(third.wait() == 0)
  }

  /// Reading only is possible beside a writer, and sees whole commits.
  @Test(arguments: Engine.allCases)
  func readsBesideAWriterOfAnotherProcess(_ engine: Engine) throws {
    let scratch = try Scratch()
    let writer = try Child(engine, scratch.folder, "commit")
    for _ in 0..<5 { _ = try writer.line() }
    var last = 0
    for _ in 0..<5 {
      let reader = try Child(engine, scratch.folder, "read")
      let lines = try reader.lines()
      #expect(reader.wait() == 0, "\(lines)")
      let found = try #require(lines.first.flatMap { Int($0) }, "\(lines)")
      #expect(found >= max(last, 3))
      last = found
    }
    writer.kill()
    _ = writer.wait()
  }
}
