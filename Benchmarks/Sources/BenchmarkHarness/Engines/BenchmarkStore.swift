/// An open store of people, as the workloads see it: each requirement is a piece of work that every engine does in full.
///
/// Implementations do the work in the way their engine's documentation recommends, read every field of what they fetch,
/// and make every commit durable unless the engine says that it never is. They loop inside a call where a program would
/// loop, so that the call itself is not measured; the latency recorder is asked before and after each operation.
/// At any time one thread reads; any number may write.
public protocol BenchmarkStore: AnyObject, Sendable {
  /// Adds people in one transaction.
  func insert(_ people: [Person]) throws
  /// Adds people in a transaction each.
  func insertSingly(_ people: ArraySlice<Person>, _ latency: LatencyRecorder) throws
  /// Adds a person in a transaction of its own, from a task. What has no asynchronous calls blocks the task's thread.
  func insertInTask(_ person: Person) async throws

  /// Reads whole people by key in one transaction.
  func get(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest
  /// Reads whole people by key in a transaction each.
  func getSingly(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest
  /// Takes people by key in a form that outlives the transaction without being decoded, and reads id, age, score and
  /// active of each; in one transaction.
  func getFrozen(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest
  /// The people with these keys as structs, for checks.
  func people(_ keys: [Int64]) throws -> [Person?]

  /// Reads everyone into an array of structs (C peers: reads every field).
  func scan() throws -> Digest
  /// Takes everyone in the form of `getFrozen`, and reads id, age, score and active of each.
  func scanFrozen() throws -> Digest
  /// Reads `count` whole people in the order of keys, from a key on, in a transaction of its own.
  func scan(from key: Int64, count: Int) throws -> Digest

  /// Fetches all people of each age by the index, in a transaction each.
  func fetch(ages: [Int], _ latency: LatencyRecorder) throws -> Digest
  /// Counts the people of each age by the index, in a transaction each.
  func count(ages: [Int], _ latency: LatencyRecorder) throws -> Int
  /// Counts people by two columns without an index.
  func count(scoreAbove score: Double, emailContaining text: String) throws -> Int
  /// The keys of the first people in the order of email, each of whom is read as a whole.
  func firstByEmail(_ limit: Int) throws -> [Int64]

  /// Sets the score of each key in one transaction.
  func setScores(_ scores: [KeyedScore], _ latency: LatencyRecorder) throws
  /// Adds to the score of everyone of an age in one transaction.
  func addToScores(age: Int, _ amount: Double) throws -> Int
  /// Deletes by key in one transaction.
  func delete(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Int
  /// Deletes everyone of an age in one transaction.
  func delete(age: Int) throws -> Int

  /// Reads a person and stores it with a score that is greater by an amount, in one transaction.
  func readAndAddToScore(_ key: Int64, _ amount: Double) throws -> Digest
  /// The scores of two people in one transaction.
  func scores(_ first: Int64, _ second: Int64) throws -> (Double, Double)

  func close() throws
}

extension BenchmarkStore {
  public func insertInTask(_ person: Person) async throws { try insertSingly([person], .off) }
}

/// A new score for a person.
public struct KeyedScore: Sendable {
  public var key: Int64
  public var score: Double

  public init(_ key: Int64, _ score: Double) {
    self.key = key
    self.score = score
  }
}
