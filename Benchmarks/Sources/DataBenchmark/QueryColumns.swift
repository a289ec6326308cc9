import BenchmarkHarness
import QuarryBackend
import QuarryQuery

/// The columns that the queries of a mix are about, chosen by name or by what the model has indexes for.
struct QueryColumns: Sendable {
  /// The flags that name columns.
  struct Names {
    var equal: String?
    var range: String?
    var sort: String?
  }

  let equal: Int
  let range: Int
  let sort: Int
  private let model: ModelSchema

  /// - Throws: `invalidQuery` for a column that is not there; `BenchmarkError` for one without an order.
  init(_ model: ModelSchema, _ names: Names) throws {
    self.model = model
    let ordered = model.properties.indices.filter { model.properties[$0].type.isOrdered }
    let leading = model.indexes.compactMap { $0.columns.first?.slot }
    let plain = ordered.filter { $0 != model.primaryKey }
    func isMeasure(_ slot: Int) -> Bool {
      let type = model.properties[slot].type
      return type.isNumeric || type == .date
    }
    func chosen(_ name: String?, _ flag: String) throws -> Int? {
      guard let name else { return nil }
      let slot = try QueryBinder(model).slot(name)
      guard model.properties[slot].type.isOrdered else {
        throw BenchmarkError("--\(flag) \(name): values of the type \(model.properties[slot].typeName) have no order")
      }
      return slot
    }
    equal = try chosen(names.equal, "equal") ?? leading.first ?? plain.first ?? model.primaryKey
    range = try chosen(names.range, "range") ?? leading.first(where: isMeasure) ?? model.primaryKey
    sort =
      try chosen(names.sort, "sort") ?? leading.first(where: isMeasure) ?? leading.first
      ?? plain.first(where: isMeasure) ?? plain.first ?? model.primaryKey
  }

  /// Whether the rows come out of an index in the order of the column.
  func isIndexed(_ slot: Int) -> Bool {
    slot == model.primaryKey || model.indexes.contains { $0.columns.first?.slot == slot }
  }

  func name(_ slot: Int) -> String { model.properties[slot].name }
}

/// Makes the queries of a mix from values that occur in the data.
struct QueryMaker: Sendable {
  let columns: QueryColumns
  /// The part of the rows that a range covers.
  let selectivity: Double
  /// The most rows that a query fetches.
  let limit: Int
  /// The user's queries, bound to the model.
  let own: [(query: BoundQuery, rule: RowRule)]
  private let rows: DataRows
  private let binder: QueryBinder
  /// Values of the range's column, sorted, without nil.
  private let sorted: [Value]

  /// The most values that are looked at to find the bounds of ranges.
  private static let sampleSize = 50_000

  init(
    _ rows: DataRows, _ columns: QueryColumns, _ mix: OperationMix, selectivity: Double, limit: Int,
    own queries: [OwnQuery] = []
  ) throws {
    self.rows = rows
    self.columns = columns
    self.selectivity = selectivity
    self.limit = limit
    let binder = QueryBinder(rows.model)
    self.binder = binder
    own = try queries.map { try $0.bound(binder, rows.model) }
    if mix.has(.own), own.isEmpty { throw BenchmarkError("--queries: the file has no query") }
    guard mix.has(.range) else {
      sorted = []
      return
    }
    let step = max(1, rows.count / Self.sampleSize)
    var values: [Value] = []
    for index in stride(from: 0, to: rows.count, by: step) {
      let value = try rows.value(index, columns.range)
      if !value.isNull { values.append(value) }
    }
    guard !values.isEmpty else {
      throw BenchmarkError("--range \(columns.name(columns.range)): the column has no values")
    }
    sorted = values.sorted { ValueOrder.compare($0, $1) < 0 }
  }

  /// A query of a kind.
  func query(_ kind: OperationKind, _ random: inout SplitMix64) throws -> BoundQuery {
    try checkedQuery(kind, &random).query
  }

  /// A query of a kind, with what its rows must be like.
  func checkedQuery(_ kind: OperationKind, _ random: inout SplitMix64) throws -> (query: BoundQuery, rule: RowRule) {
    var tree = QueryTree(model: rows.model.name, limit: limit)
    func compare(_ slot: Int, _ comparison: QuarryBackend.Comparison, _ value: Value) -> PredicateTree {
      .compare(.property(PropertyPath(columns.name(slot))), comparison, .value(value))
    }
    let rule: RowRule
    switch kind {
    case .own: return own[random.below(own.count)]
    case .equal:
      let value = try rows.value(random.below(rows.count), columns.equal)
      tree.predicate = compare(columns.equal, .equal, value)
      rule = RowRule(slot: columns.equal, least: value, most: value, order: .none, limit: limit)
    case .range:
      let width = max(1, Int(selectivity * Double(sorted.count)))
      let low = random.below(max(1, sorted.count - width + 1))
      let high = sorted[min(sorted.count - 1, low + width - 1)]
      tree.predicate = .and([
        compare(columns.range, .greaterOrEqual, sorted[low]), compare(columns.range, .lessOrEqual, high),
      ])
      tree.order = [.init(columns.name(columns.range))]
      rule = RowRule(slot: columns.range, least: sorted[low], most: high, order: .ascending, limit: limit)
    default:
      // From a value that occurs on downwards: a page of a sorted list.
      let value = try rows.value(random.below(rows.count), columns.sort)
      if !value.isNull { tree.predicate = compare(columns.sort, .lessOrEqual, value) }
      tree.order = [.init(columns.name(columns.sort), isDescending: true)]
      rule = RowRule(
        slot: columns.sort, least: nil, most: value.isNull ? nil : value, order: .descending, limit: limit)
    }
    return (try binder.bind(tree), rule)
  }

  /// The queries of a mix, each in a sentence.
  func sentences(_ mix: OperationMix) -> [String] {
    func column(_ slot: Int) -> String {
      columns.name(slot) + (columns.isIndexed(slot) ? "" : " (no index)")
    }
    var list: [String] = []
    if mix.has(.own) { list += own.indices.map { "query \($0 + 1) of the file" } }
    if mix.has(.equal) { list.append("\(column(columns.equal)) equal to a value that occurs, at most \(limit) rows") }
    if mix.has(.range) {
      let covered = max(1, Int(selectivity * Double(rows.count)))
      list.append(
        "\(column(columns.range)) between two values that about \(Format.count(covered)) rows lie between "
          + "(\(Format.digits(selectivity * 100)) %), in that order, at most \(limit) rows")
    }
    if mix.has(.sort) {
      list.append("the \(limit) rows from a value of \(column(columns.sort)) downwards, sorted by it")
    }
    return list
  }
}

/// What the rows of a query must be like, whatever else happens to the store.
struct RowRule: Sendable {
  enum Order: Sendable { case none, ascending, descending }

  let slot: Int
  /// The bounds of the column's values; without a bound nil is a value, too.
  let least: Value?
  let most: Value?
  let order: Order
  let limit: Int

  /// - Parameter values: The column's values of the rows that were found, in their order.
  /// - Throws: `WrongAnswer`.
  func check(_ values: [Value]) throws {
    guard values.count <= limit else { throw WrongAnswer("a query found more rows than it may") }
    for (index, value) in values.enumerated() {
      let isAbove = least.map { ValueOrder.compare(value, $0) >= 0 } ?? true
      let isBelow = most.map { !value.isNull || $0.isNull ? ValueOrder.compare(value, $0) <= 0 : false } ?? true
      guard isAbove, isBelow else { throw WrongAnswer("a query found a row that it does not ask for") }
      guard index > 0 else { continue }
      let step = ValueOrder.compare(values[index - 1], value)
      guard order == .none || (order == .ascending ? step <= 0 : step >= 0) else {
        throw WrongAnswer("a query found rows in another order than it asks for")
      }
    }
  }
}
