import QuarryBackend
import QuarryConformance
import QuarryCore
import QuarryMemory
import Synchronization
import Testing

/// What `write(retry:)` does where a commit may conflict, and where it does not.
@Suite struct RetryTests {
  private typealias Word = TextKeyTests.Word

  @Test func aConflictBringsTheBodyToItsBeginning() throws {
    let store = try Store(for: Word.self, in: ConflictingProvider(conflicts: 2))
    var runs = 0
    let result = try store.write(retry: 3) { tx in
      runs += 1
      try tx.insert(Word("\(runs)"))
      return runs
    }
    #expect(result == 3)
    #expect(try store.fetch(Word.all) == [Word("3")])
  }

  @Test func theLastConflictIsThrown() throws {
    let store = try Store(for: Word.self, in: ConflictingProvider(conflicts: 9))
    var runs = 0
    let error = #expect(throws: StorageError.self) {
      try store.write(retry: 2) { tx in
        runs += 1
        try tx.insert(Word("a"))
      }
    }
    #expect(error?.code == .conflict)
    #expect(runs == 3)
    #expect(try store.count(Word.all) == 0)
  }

  @Test func withoutRetryTheBodyRunsOnce() throws {
    for retry in [0, -1, .min] {
      let store = try Store(for: Word.self, in: ConflictingProvider(conflicts: 1))
      var runs = 0
      let error = #expect(throws: StorageError.self) { try store.write(retry: retry) { _ in runs += 1 } }
      #expect(error?.code == .conflict)
      #expect(runs == 1)
    }
  }

  @Test func aWriteThatSaysNothingIsRepeated() throws {
    let store = try Store(for: Word.self, in: ConflictingProvider(conflicts: 1))
    var runs = 0
    try store.write { _ in runs += 1 }
    #expect(runs == 2)
    let other = try Store(for: Word.self, in: ConflictingProvider(conflicts: 2))
    try other.insert(Word("a"))
    #expect(try other.fetch(Word.all) == [Word("a")])
    let endless = try Store(for: Word.self, in: ConflictingProvider(conflicts: 1_000))
    let error = #expect(throws: StorageError.self) { try endless.insert(Word("a")) }
    #expect(error?.code == .conflict)
  }

  @Test func oneWriterAtATimeHasNothingToDoAgain() throws {
    let store = try Store(for: Word.self, in: ConflictingProvider(.one, conflicts: 1))
    var runs = 0
    let error = #expect(throws: StorageError.self) { try store.write(retry: 3) { _ in runs += 1 } }
    #expect(error?.code == .conflict)
    #expect(runs == 1)
  }

  @Test func whatTheBodyThrowsEndsTheWrite() throws {
    let store = try Store(for: Word.self, in: ConflictingProvider(conflicts: 1))
    var runs = 0
    let error = #expect(throws: StorageError.self) {
      try store.write(retry: 3) { _ in
        runs += 1
        throw StorageError(.conflict, "the body's own")
      }
    }
    #expect(error?.message == "the body's own")
    #expect(runs == 1)
  }

  @Test func insideAWriteItIsASavepointOfIt() throws {
    let store = try Store(for: Word.self, in: ConflictingProvider(conflicts: 1))
    var runs = [0, 0]
    try store.write(retry: 1) { tx in
      runs[0] += 1
      try store.write(retry: 5) { inner in
        runs[1] += 1
        try inner.insert(Word("a"))
      }
      #expect(try tx.count(Word.all) == 1)
    }
    #expect(runs == [2, 2])
    let error = #expect(throws: StorageError.self) { try store.read { _ in try store.write(retry: 1) { _ in } } }
    #expect(error?.code == .reentrant)
  }

  @Test func aTaskWritesAgainToo() async throws {
    let store = try Store(for: Word.self, in: ConflictingProvider(conflicts: 2))
    let runs = Atomic(0)
    let result = try await store.write(retry: 2) { tx in
      let run = runs.add(1, ordering: .relaxed).newValue
      try tx.insert(Word("\(run)"))
      return run
    }
    #expect(result == 3)
    let stored = try await store.fetch(Word.all)
    #expect(stored == [Word("3")])
  }

  @Test func aTaskHearsOfTheLastConflict() async throws {
    let store = try Store(for: Word.self, in: ConflictingProvider(conflicts: 2))
    let error = await #expect(throws: StorageError.self) {
      try await store.write(retry: 1) { tx in try tx.insert(Word("a")) }
    }
    #expect(error?.code == .conflict)
    let count = try await store.count(Word.all)
    #expect(count == 0)
  }
}

/// Stores in memory whose first commits, after that of the schema, throw `conflict`.
private struct ConflictingProvider: BackendProvider {
  var writers: BackendManifest.Writers
  var conflicts: Int

  init(_ writers: BackendManifest.Writers = .many, conflicts: Int) {
    self.writers = writers
    self.conflicts = conflicts
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    ConflictingBackend(try MemoryConfiguration.memory.open(options), writers, conflicts)
  }
}

private final class ConflictingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; the rest is constant or atomic.
  private let writers: BackendManifest.Writers
  private let conflicts: Int
  private let commits = Atomic(0)

  init(_ backend: any Backend, _ writers: BackendManifest.Writers, _ conflicts: Int) {
    self.writers = writers
    self.conflicts = conflicts
    super.init(backend)
  }

  override var manifest: BackendManifest {
    var manifest = base.manifest
    manifest.writers = writers
    return manifest
  }

  override func writeHooks() -> (any TransactionHooks)? {
    ConflictingHooks { [self] in (1...conflicts).contains(commits.add(1, ordering: .relaxed).oldValue) }
  }
}

private struct ConflictingHooks: TransactionHooks {
  let isInTheWay: () -> Bool

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    guard isInTheWay() else { return try base.commit() }
    base.rollback()
    throw StorageError(.conflict, "another transaction was quicker")
  }
}
