import BenchmarkHarness
import QuarryBackend

/// The operations of a round: the same for every engine.
struct OperationPlan {
  enum Change {
    /// Sets one property of the row with the key.
    case update(Key, slot: Int, Value)
    /// Adds a row that was kept back, by its place in the data.
    case insert(Int)
    case delete(Key)

    var kind: OperationKind {
      switch self {
      case .update: .update
      case .insert: .insert
      case .delete: .delete
      }
    }
  }

  enum Step {
    case get(Key)
    case query(OperationKind, BoundQuery)
    /// One of the user's queries, by its place among them.
    case own(Int, BoundQuery)
    /// Changes in one transaction.
    case write([Change])
  }

  /// Of the round's random numbers.
  var seed: UInt64 = 0
  var steps: [Step] = []
  /// Operations in all: every change counts.
  var operations = 0
  /// The sum of the digests of all rows that must be there at the end, whatever their order.
  var finalState: UInt64 = 0
  var finalRows = 0
  /// What else the rows are between transactions, for who reads meanwhile.
  var meanwhile = RowVersions()
}

/// What rows become while a round is at work, as others see it: after each transaction.
struct RowVersions {
  /// The digests that a row has beside the one in the data, by its place.
  private(set) var digests: [Int: [UInt64]] = [:]
  /// Rows that are inserted or deleted, so that they need not be there.
  private(set) var comingAndGoing: Set<Int> = []
  /// What the current transaction made of rows.
  private var pending: [Int: UInt64] = [:]

  mutating func change(_ place: Int, _ digest: UInt64) { pending[place] = digest }

  mutating func comeOrGo(_ place: Int) {
    pending[place] = nil
    comingAndGoing.insert(place)
  }

  mutating func commit() {
    for (place, digest) in pending { digests[place, default: []].append(digest) }
    pending.removeAll(keepingCapacity: true)
  }
}

/// What does not change from round to round: the rows that stores begin with, and what the mix is made of.
struct OperationPlanner: Sendable {
  let rows: DataRows
  let mix: OperationMix
  let operations: Int
  let batch: Int
  let isZipfian: Bool
  let seed: UInt64
  /// Threads that read beside the mix.
  let readers: Int
  let queries: QueryMaker
  /// The rows that stores begin with, and those that are kept back to be inserted, by their places.
  let loaded: [Int]
  let keptBack: [Int]
  /// The columns that updates set: not the key, and none whose values are unique.
  private let updated: [Int]
  private let zipfian: Zipfian?
  private let loadedState: UInt64

  /// - Throws: `BenchmarkError` for a mix that the data have too few rows or columns for.
  init(
    _ rows: DataRows, _ mix: OperationMix, operations: Int, batch: Int, isZipfian: Bool, seed: UInt64,
    readers: Int = 0, _ queries: QueryMaker
  ) throws {
    self.rows = rows
    self.mix = mix
    self.operations = operations
    self.batch = batch
    self.isZipfian = isZipfian
    self.seed = seed
    self.readers = readers
    self.queries = queries
    guard readers == 0 || !mix.reading.isEmpty else {
      throw BenchmarkError("--readers: the mix has no operation that reads")
    }
    let counts = mix.counts(operations)
    let inserts = counts[.insert] ?? 0
    let moved = inserts + (counts[.delete] ?? 0)
    guard moved <= rows.count / 2 else {
      throw BenchmarkError(
        "a round inserts and deletes \(Format.count(moved)) rows, and the data have only \(Format.count(rows.count)): "
          + "at most half of them can be kept back or deleted (--operations and --mix make it less)")
    }
    let unique = rows.model.indexes.filter(\.isUnique).flatMap(\.columns).map(\.slot)
    updated = rows.model.properties.indices.filter { $0 != rows.model.primaryKey && !unique.contains($0) }
    if mix.has(.update), updated.isEmpty {
      throw BenchmarkError("update: the model has no column beside its key and columns of unique values")
    }
    // Spread over the whole of the data, which may be sorted.
    var random = SplitMix64(seed: seed)
    var chosen: Set<Int> = []
    while chosen.count < inserts { chosen.insert(random.below(rows.count)) }
    keptBack = chosen.sorted()
    loaded = (0..<rows.count).filter { !chosen.contains($0) }
    zipfian = isZipfian ? Zipfian(loaded.count) : nil
    var state: UInt64 = 0
    for index in loaded { state &+= rows.digest(index) }
    loadedState = state
  }

  /// The state that a store must have after it was loaded.
  var afterLoading: (state: UInt64, rows: Int) { (loadedState, loaded.count) }

  /// The operations of a round.
  func plan(round: Int) throws -> OperationPlan {
    var seeder = SplitMix64(seed: seed ^ UInt64(round + 1) << 32)
    let ownSeed = seeder.next()
    var random = SplitMix64(seed: ownSeed)
    let counts = mix.counts(operations)
    var kinds = OperationKind.allCases.flatMap { Array(repeating: $0, count: counts[$0] ?? 0) }
    kinds.shuffle(using: &random)

    var plan = OperationPlan(seed: ownSeed, operations: kinds.count, finalState: loadedState, finalRows: loaded.count)
    var present = loaded
    var waiting = keptBack
    waiting.shuffle(using: &random)
    var changed: [Int: [Value]] = [:]
    var pending: [OperationPlan.Change] = []
    func place() -> Int {
      let choice = zipfian.map { $0.scattered(&random) } ?? random.below(present.count)
      return choice % present.count
    }
    /// Ends a transaction.
    func write() {
      plan.steps.append(.write(pending))
      plan.meanwhile.commit()
      pending = []
    }
    func current(_ index: Int) throws -> [Value] { try changed[index] ?? rows.values(index) }
    for kind in kinds {
      switch kind {
      case .get: plan.steps.append(.get(try rows.key(present[place()])))
      case .equal, .range, .sort: plan.steps.append(.query(kind, try queries.query(kind, &random)))
      case .own:
        let place = random.below(queries.own.count)
        plan.steps.append(.own(place, queries.own[place].query))
      case .update:
        let index = present[place()]
        let slot = updated[random.below(updated.count)]
        var values = try current(index)
        plan.finalState &-= AnswerDigest.of(values)
        values[slot] = try otherValue(slot, than: values[slot], &random)
        let digest = AnswerDigest.of(values)
        plan.finalState &+= digest
        if readers > 0 { plan.meanwhile.change(index, digest) }
        changed[index] = values
        pending.append(.update(try rows.key(index), slot: slot, values[slot]))
      case .insert:
        guard let index = waiting.popLast() else { continue }
        plan.finalState &+= rows.digest(index)
        plan.meanwhile.comeOrGo(index)
        changed[index] = nil
        present.append(index)
        pending.append(.insert(index))
      case .delete:
        let place = place()
        let index = present[place]
        plan.meanwhile.comeOrGo(index)
        plan.finalState &-= AnswerDigest.of(try current(index))
        present.swapAt(place, present.count - 1)
        present.removeLast()
        pending.append(.delete(try rows.key(index)))
      }
      if pending.count >= batch { write() }
    }
    if !pending.isEmpty { write() }
    plan.finalRows = present.count
    return plan
  }

  /// The place of a row that stores begin with, chosen as the mix chooses keys.
  func loadedPlace(_ random: inout SplitMix64) -> Int {
    loaded[(zipfian.map { $0.scattered(&random) } ?? random.below(loaded.count)) % loaded.count]
  }

  /// A value of another row of the column; the same one where the column seems to have no other.
  private func otherValue(_ slot: Int, than old: Value, _ random: inout SplitMix64) throws -> Value {
    for _ in 0..<8 {
      let value = try rows.value(random.below(rows.count), slot)
      if value != old { return value }
    }
    return old
  }
}
