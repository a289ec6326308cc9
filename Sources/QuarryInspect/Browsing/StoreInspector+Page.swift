public import QuarryBackend
import QuarryCore
import QuarryQuery

extension StoreInspector {
  /// The bytes of values after which a page ends early.
  static var pageBytes: Int { 8 << 20 }

  /// A page of a model's objects, with the number of those that fulfil its condition.
  ///
  /// - Parameter deadline: The instant after which no more rows are read.
  /// - Throws: ``QueryTextError`` where the condition or the order cannot be read or names something that does not exist.
  ///   `invalidQuery` for an unknown model, a column or a place of another query; `limitExceeded` past the deadline or for a
  ///   limit out of range; `corrupt`, `io`.
  /// - Complexity: O(size of the page) besides the count, which reads all objects when the condition has no index.
  public func page(_ request: PageRequest, until deadline: Deadline = .never) throws -> ObjectPage {
    guard (1...PageRequest.mostObjects).contains(request.limit) else {
      throw StorageError.limitExceeded(
        "objects of a page", limit: PageRequest.mostObjects, actual: request.limit, model: request.model)
    }
    return try store.read { tx in
      let model = try tx.model(named: request.model)
      let query = try checked(request, tx)
      let total = try tx.records.count(QueryTree(model: model.name))
      try deadline.requireTime()
      let slices = KeySlices(model, total)
      let matching = query.predicate == .constant(true) ? total : try slices.count(query, tx, deadline)
      if request.isRanked { return try ranked(request, model, total: total, matching: matching, tx) }
      try slices.requireTime(for: query, matching: matching, tx, deadline)
      var reader = PageReader(model, query, request)
      try reader.read(tx, deadline)
      return ObjectPage(
        model: model, columns: reader.columns, rows: reader.rows, total: total, matching: matching,
        previous: reader.previous, next: reader.next)
    }
  }

  /// The plan by which the engine executes a request.
  ///
  /// - Throws: As ``page(_:until:)``.
  public func explain(_ request: PageRequest) throws -> QueryPlan {
    try store.read { tx in
      _ = try tx.model(named: request.model)
      return try tx.records.explain(checked(request, tx))
    }
  }

  /// The query of a request, whose names are those of the store.
  func checked(_ request: PageRequest, _ tx: ReadTransaction) throws -> QueryTree {
    var query = try request.query()
    if !request.search.isBlank { try addSearch(request.search, to: &query, tx) }
    var condition = query
    condition.order = []
    do {
      _ = try tx.records.explain(condition)
    } catch let error as StorageError {
      throw error.code == .invalidQuery || error.code == .invalidValue || error.code == .unsupported
        ? QueryTextError(.condition, request.condition, error) : error
    }
    guard !query.order.isEmpty else { return query }
    do {
      _ = try tx.records.explain(query)
    } catch let error as StorageError {
      throw error.code == .invalidQuery || error.code == .unsupported
        ? QueryTextError(.order, request.order, error) : error
    }
    return query
  }
}

extension Deadline {
  /// Throws `limitExceeded` where the time is over.
  func requireTime() throws(StorageError) {
    guard hasPassed else { return }
    throw StorageError(.limitExceeded, "the query takes too long: narrow the condition, or give it an index")
  }
}

/// Reads the rows of a page, and the places of the pages beside it.
private struct PageReader {
  let columns: [String]
  private(set) var rows: [ObjectPage.Row] = []
  private(set) var previous: PagePlace?
  private(set) var next: PagePlace?

  private let model: ModelSchema
  private let query: QueryTree
  private let request: PageRequest
  private let isBackwards: Bool
  /// The names of the sort keys before the primary key; nil where a key leads to other objects.
  private let keys: [String]?
  private var edges: [[Value]] = []
  private var endsEarly = false

  init(_ model: ModelSchema, _ query: QueryTree, _ request: PageRequest) {
    self.model = model
    self.query = query
    self.request = request
    columns = request.columns ?? model.liveProperties.map(\.name)
    isBackwards = request.place?.readsBackwards ?? false
    keys = Self.keys(query.order, model.keyProperty.name)
  }

  private static func keys(_ order: [QueryTree.SortKey], _ primary: String) -> [String]? {
    var keys: [String] = []
    for key in order {
      guard key.members.isEmpty else { return nil }
      if key.property.utf8.elementsEqual(primary.utf8) { break }
      if !keys.contains(where: { $0.utf8.elementsEqual(key.property.utf8) }) { keys.append(key.property) }
    }
    return keys
  }

  mutating func read(_ tx: ReadTransaction, _ deadline: Deadline) throws {
    var reading = query
    if isBackwards { reading.order = Self.reversed(query.order, model.keyProperty.name) }
    request.place?.apply(to: &reading, limit: request.limit)
    reading.limit = request.limit + 1
    let edge = (keys ?? []) + [model.keyProperty.name]
    // A record has each name once.
    var names: [String] = []
    for name in columns + edge where !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
      names.append(name)
    }
    let places = columns.map { name in names.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? 0 }
    let edgePlaces = edge.map { name in names.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? 0 }
    var bytes = 0
    var hasMore = false
    do {
      try tx.records.forEach(reading, columns: names) { record in
        try deadline.requireTime()
        guard rows.count < request.limit, rows.isEmpty || bytes < StoreInspector.pageBytes else {
          hasMore = true
          throw PageEnd()
        }
        let values = places.map { record.values[$0] }
        bytes += values.reduce(0) { $0 + $1.storedBytes }
        let found = edgePlaces.map { record.values[$0] }
        rows.append(ObjectPage.Row(key: found[found.count - 1], values: values))
        edges.append(found)
      }
    } catch is PageEnd {}
    if isBackwards {
      rows.reverse()
      edges.reverse()
    }
    setPlaces(hasMore)
  }

  private mutating func setPlaces(_ hasMore: Bool) {
    guard let first = edges.first, let last = edges.last else { return }
    let isFirst = isBackwards ? !hasMore : request.place == nil || request.place?.offset(limit: request.limit) == 0
    let isLast = isBackwards ? false : !hasMore
    let start = request.place == nil ? 0 : request.place?.offset(limit: request.limit)
    if !isFirst { previous = place(.before, first, offset: start) }
    if !isLast { next = place(.after, last, offset: start.map { $0 + rows.count }) }
  }

  private func place(_ side: PagePlace.Side, _ edge: [Value], offset: Int?) -> PagePlace? {
    if keys != nil {
      var asked = query
      if side == .before { asked.order = Self.reversed(query.order, model.keyProperty.name) }
      let position = QueryTree.PagePosition(
        values: Array(edge.dropLast()), key: edge[edge.count - 1], fingerprint: asked.fingerprint)
      let place = PagePlace(side, position: position)
      if place.text != nil { return place }
    }
    return offset.map { PagePlace(side, offset: $0) }
  }

  /// The opposite of an order. The primary key, its last key, follows the direction of the last one that is named.
  private static func reversed(_ order: [QueryTree.SortKey], _ primary: String) -> [QueryTree.SortKey] {
    guard !order.isEmpty else { return [QueryTree.SortKey(primary, isDescending: true)] }
    return order.map { key in
      var key = key
      key.isDescending.toggle()
      return key
    }
  }
}

/// Ends a page before its last row.
private struct PageEnd: Error {}

extension Value {
  /// About as many bytes as the value takes in a row.
  var storedBytes: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let data): data.count
    case .url(let url): url.absoluteString.utf8.count
    case .array(let values): values.reduce(8) { $0 + $1.storedBytes }
    case .object(let members): members.reduce(8) { $0 + $1.name.utf8.count + $1.value.storedBytes }
    default: 8
    }
  }
}
