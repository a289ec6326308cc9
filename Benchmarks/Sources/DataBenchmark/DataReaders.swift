import BenchmarkHarness
import QuarryBackend
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Threads that read while the mix is at work, each operation in a transaction of its own.
///
/// What they find depends on the moment, and is no part of the answers that engines are compared by. It is checked by
/// itself: a row is one that it was after some transaction, a key that is always there is found, and the rows of a query
/// are what it asks for, in its order.
final class DataReaders: Sendable {
  /// What the threads did.
  struct Figures: Sendable {
    var operations = 0
    /// Operations in a second of all threads together, in the time that they spent in operations.
    var rate = 0.0
    var latencies = LatencyHistogram()
  }

  private let planner: OperationPlanner
  private let known: KnownRows
  private let reads: DataReads
  private let seed: UInt64
  private let isOver = Atomic(false)
  private let begun = Atomic(0)
  private let failure = Mutex<(any Error)?>(nil)
  private let figures = Mutex(Figures())
  private let threads = Mutex<[Threads.Running]>([])

  init(_ planner: OperationPlanner, _ plan: OperationPlan, _ reads: DataReads) throws {
    self.planner = planner
    self.reads = reads
    known = KnownRows(planner.rows, plan.meanwhile)
    seed = plan.seed
  }

  /// Starts the threads, and waits until each has done an operation.
  func begin(_ pause: () throws -> Void) throws {
    for index in 0..<planner.readers {
      let thread = Threads.start { [self] in
        do {
          try work(index)
        } catch {
          failure.withLock { $0 = $0 ?? error }
          throw error
        }
      }
      threads.withLock { $0.append(thread) }
    }
    while begun.load(ordering: .acquiring) < planner.readers {
      try throwFailure()
      try pause()
      usleep(200)
    }
  }

  /// - Throws: What a thread failed with.
  func throwFailure() throws {
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Ends the threads and waits for them; what they failed with is left.
  func stop() {
    isOver.store(true, ordering: .releasing)
    for thread in threads.withLock({ $0 }) { try? thread.wait() }
    threads.withLock { $0 = [] }
  }

  /// Ends the threads.
  ///
  /// - Throws: What a thread failed with.
  func end() throws -> Figures {
    stop()
    try throwFailure()
    return figures.withLock { $0 }
  }

  // MARK: A thread

  private func work(_ index: Int) throws {
    var random = SplitMix64(seed: seed ^ (UInt64(index) + 1) << 48)
    let shares = planner.mix.reading
    let total = shares.reduce(0) { $0 + $1.percent }
    var latencies = LatencyHistogram()
    var nanoseconds: UInt64 = 0
    var found = FoundRows(planner.rows.layout)
    while latencies.count == 0 || !isOver.load(ordering: .acquiring) {
      var choice = Double(random.below(1 << 30)) / Double(1 << 30) * total
      let kind = shares.first { share in
        choice -= share.percent
        return choice < 0
      }?.kind
      let duration =
        switch kind ?? shares[0].kind {
        case .get: try get(planner.loadedPlace(&random))
        case let kind: try fetch(kind, &random, &found)
        }
      latencies.record(duration)
      nanoseconds &+= duration
      if latencies.count == 1 { begun.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    }
    figures.withLock {
      $0.operations += latencies.count
      $0.rate += Double(latencies.count) / max(Double(nanoseconds) / 1e9, 1e-9)
      $0.latencies.add(latencies)
    }
  }

  private func get(_ place: Int) throws -> UInt64 {
    let key = try planner.rows.key(place)
    let start = Stopwatch.now()
    let digest = try reads.digest(key)
    let duration = Stopwatch.now() &- start
    try known.check(digest, at: place)
    return duration
  }

  private func fetch(_ kind: OperationKind, _ random: inout SplitMix64, _ found: inout FoundRows) throws -> UInt64 {
    let (query, rule) = try planner.queries.checkedQuery(kind, &random)
    found.removeAll()
    let start = Stopwatch.now()
    try reads.rows(query) { try found.append($0) }
    let duration = Stopwatch.now() &- start
    try rule.check(found.values(rule.slot))
    for digest in found.digests { try known.check(digest) }
    return duration
  }
}

/// The rows that a query found, to be looked at when its time is over.
private struct FoundRows {
  private let layout: RowLayout
  private(set) var digests: [UInt64] = []
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  init(_ layout: RowLayout) {
    self.layout = layout
  }

  mutating func removeAll() {
    digests.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  mutating func append(_ row: UnsafeRawBufferPointer) throws(StorageError) {
    digests.append(try AnswerDigest.of(row, layout))
    bytes.append(contentsOf: row)
    ends.append(bytes.count)
  }

  /// The values of a column.
  func values(_ slot: Int) throws(StorageError) -> [Value] {
    var values: [Value] = []
    var start = 0
    for end in ends {
      let range = start..<end
      values.append(
        try bytes.lent { all throws(StorageError) in
          try RowView(UnsafeRawBufferPointer(rebasing: all[range]), layout).value(layout.slots[slot], layout)
        })
      start = end
    }
    return values
  }
}

/// Every row as it is in the data and as it becomes in a round: what a reader may find at any moment.
struct KnownRows: Sendable {
  private let rows: DataRows
  private let versions: RowVersions
  /// The digests of all rows of the data, sorted, and those that rows get in the round.
  private let inData: [UInt64]
  private let later: Set<UInt64>

  /// - Complexity: O(n log n) in the number of rows, and 8 bytes of memory for each.
  init(_ rows: DataRows, _ versions: RowVersions) {
    self.rows = rows
    self.versions = versions
    inData = (0..<rows.count).map { rows.digest($0) }.sorted()
    later = Set(versions.digests.values.joined())
  }

  /// Checks what was found at the key of a row.
  ///
  /// - Parameter digest: That of the row; nil where there was none.
  /// - Throws: `WrongAnswer`.
  func check(_ digest: UInt64?, at place: Int) throws {
    guard let digest else {
      guard versions.comingAndGoing.contains(place) else {
        throw WrongAnswer("a thread that reads did not find a row that is there all the time")
      }
      return
    }
    guard digest == rows.digest(place) || versions.digests[place]?.contains(digest) == true else {
      throw WrongAnswer("a thread that reads found a row that is not what it was at any moment")
    }
  }

  /// Checks a row that a query found.
  func check(_ digest: UInt64) throws {
    guard contains(digest) || later.contains(digest) else {
      throw WrongAnswer("a query of a thread that reads found a row that is not what any was at any moment")
    }
  }

  private func contains(_ digest: UInt64) -> Bool {
    var low = 0
    var high = inData.count
    while low < high {
      let middle = (low + high) / 2
      if inData[middle] < digest { low = middle + 1 } else { high = middle }
    }
    return low < inData.count && inData[low] == digest
  }
}
