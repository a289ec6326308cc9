import BenchmarkHarness
import QuarryBackend

/// What the rounds of an engine are, wherever they are run: equal tasks on equal rows give equal plans.
struct DataTask: Codable, Sendable {
  var mix: OperationMix
  var operations: Int
  var batch: Int
  var isZipfian: Bool
  var selectivity: Double
  var limit: Int
  var equal: String?
  var range: String?
  var sort: String?
  /// The user's queries, as they are written.
  var queries: [String]
  var readers: Int
  var seed: UInt64

  init(_ settings: DataSettings) {
    mix = settings.mix
    operations = settings.operations
    batch = settings.batch
    isZipfian = settings.isZipfian
    selectivity = settings.selectivity
    limit = settings.limit
    equal = settings.equal
    range = settings.range
    sort = settings.sort
    queries = settings.queries.map(\.text)
    readers = settings.readers
    seed = settings.seed
  }

  /// - Throws: `invalidQuery`, `BenchmarkError` and `parse` errors for what the rows are not made for.
  func planner(_ rows: DataRows) throws -> OperationPlanner {
    let columns = try QueryColumns(rows.model, .init(equal: equal, range: range, sort: sort))
    let queries = try QueryMaker(
      rows, columns, mix, selectivity: selectivity, limit: limit,
      own: self.queries.map { try OwnQuery(parsing: $0) })
    return try OperationPlanner(
      rows, mix, operations: operations, batch: batch, isZipfian: isZipfian, seed: seed, readers: readers, queries)
  }
}
