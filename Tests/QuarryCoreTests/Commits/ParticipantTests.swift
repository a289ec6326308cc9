import QuarryBackend
import QuarryCore
import QuarryManyWriters
import QuarryMemory
import Synchronization
import Testing

/// Parts of Quarry that see the changes of a write before its commit.
@Suite struct ParticipantTests {
  /// Writes a counter for each body that changes one: the number of its changes under the key -1, -2 …
  private final class Recorder: CommitParticipant {
    let seen = Mutex<[[ChangeSet.Change.Kind]]>([])
    let published = Mutex<[CommitResult]>([])
    private let refusal: StorageError?

    init(refusing refusal: StorageError? = nil) {
      self.refusal = refusal
    }

    var demand: Capture { .keys }

    func prepare(_ changes: ChangeSet, in transaction: any BackendWriteTransaction) throws(StorageError) {
      guard let model = transaction.schema.model(named: "Counter"),
        case .objects(let objects)? = changes.models[model.id]
      else { return }
      if let refusal { throw refusal }
      let number = seen.withLock { seen in
        seen.append(objects.map(\.kind))
        return seen.count
      }
      let writer = RowWriter(RowLayout(model))
      writer.begin()
      let layout = RowLayout(model)
      try writer.set(layout.slots[0], value: .int(Int64(-number)))
      try writer.set(layout.slots[1], value: .int(Int64(objects.count)))
      var batch = RowBatch()
      batch.append(try writer.finish())
      _ = try transaction.upsert(model.id, batch, .replace)
    }

    func publish(_ result: CommitResult) { published.withLock { $0.append(result) } }
  }

  @Test(arguments: [true, false])
  func aParticipantWritesInTheSameTransaction(_ isConcurrent: Bool) throws {
    let recorder = Recorder()
    let provider: any BackendProvider = isConcurrent ? ManyWriterProvider() : MemoryConfiguration.memory
    let store = try Store(models: [Counter.self], in: provider, participants: [recorder])
    try store.insert(contentsOf: [Counter(1, 0), Counter(2, 0)])
    try store.delete(Counter.self, 1)
    #expect(recorder.seen.withLock { $0 } == [[.insertion, .insertion], [.deletion]])
    let stored = try store.fetch(Counter.all.sorted(by: \.id))
    #expect(stored == [Counter(-2, 1), Counter(-1, 2), Counter(2, 0)])
    // The commit has the changes of the body and of the participant.
    let results = recorder.published.withLock { $0 }
    #expect(results.last?.changes.models.values.first.map(count) == 2)
    #expect(zip(results, results.dropFirst()).allSatisfy { $0.version < $1.version })
  }

  private func count(_ changes: ChangeSet.ModelChanges) -> Int {
    guard case .objects(let objects) = changes else { return -1 }
    return objects.count
  }

  @Test(arguments: [true, false])
  func whatAParticipantThrowsUndoesTheWrite(_ isConcurrent: Bool) throws {
    let provider: any BackendProvider = isConcurrent ? ManyWriterProvider() : MemoryConfiguration.memory
    let opened = try Store(
      models: [Counter.self], in: provider, participants: [Recorder(refusing: StorageError(.full, "no room"))])
    let error = #expect(throws: StorageError.self) { try opened.insert(Counter(1, 0)) }
    #expect(error?.code == .full)
    #expect(try opened.count(Counter.all) == 0)
  }

  @Test func bodiesThatShareACommitAreSeenOneByOne() throws {
    let recorder = Recorder()
    let store = try Store(models: [Counter.self], in: DurableProvider(), participants: [recorder])
    store.shareCommits(for: .seconds(60))
    let before = recorder.published.withLock { $0.count }
    let others = Mutex<[Int]>([])
    try onThreads(3) { thread in
      try store.write { tx in
        try tx.insert(Counter(10 * thread, 0))
        if thread == 2 { try tx.insert(Counter(21, 0)) }
        // The first body waits until the others have their places.
        if others.withLock({ $0.isEmpty }) {
          let end = ContinuousClock.now + .seconds(30)
          while store.writesThatWaited < 2, ContinuousClock.now < end {}
        }
        others.withLock { $0.append(thread) }
      }
    }
    #expect(recorder.published.withLock { $0.count } == before + 1)
    // The writes of the participant in the bodies before are among the changes that it sees.
    let seen = recorder.seen.withLock { $0 }
    #expect(seen.count == 3)
    #expect(seen.allSatisfy { (1...3).contains($0.count) })
    #expect(try store.count(Counter.all) == 4 + 3)
  }
}

/// Stores in memory that say that commits wait for the disk, so that writers share them.
private struct DurableProvider: BackendProvider {
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    DurableBackend(try MemoryConfiguration.memory.open(options))
  }
}

private final class DurableBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; it has no field of its own.
  override var manifest: BackendManifest {
    var manifest = base.manifest
    manifest.durability = .powerLoss
    return manifest
  }
}
