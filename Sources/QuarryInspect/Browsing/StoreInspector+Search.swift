public import QuarryBackend
import QuarryCore
import QuarryQuery
import QuarryText

extension StoreInspector {
  /// The most hits that pages in the order of scores show.
  public static var mostRanked: Int { 1_000 }

  /// Adds the condition that the searchable properties have some words.
  ///
  /// - Throws: `invalidQuery` for a model without searchable properties.
  func addSearch(_ text: String, to query: inout QueryTree, _ tx: ReadTransaction) throws {
    let names = try tx.model(named: query.model).searchableNames
    guard !names.isEmpty else {
      throw StorageError(.invalidQuery, "no property of the model is searchable", model: query.model)
    }
    let search = PredicateTree.search(names.map { .property(PropertyPath($0)) }, typed: text)
    query.predicate = query.predicate == .constant(true) ? search : .and([query.predicate, search])
  }

  /// A page of the hits of a search, the best first.
  func ranked(
    _ request: PageRequest, _ model: ModelSchema, total: Int, matching: Int, _ tx: ReadTransaction
  ) throws -> ObjectPage {
    let start = min(request.place?.offset(limit: request.limit) ?? 0, Self.mostRanked)
    let end = min(start + request.limit, Self.mostRanked)
    let hits =
      start < end
      ? try tx.records.ranked(
        in: model.name, by: SearchQuery(typed: request.search),
        where: request.condition.isBlank ? nil : request.condition, limit: end) : []
    let columns = request.columns ?? model.liveProperties.map(\.name)
    let rows = hits.dropFirst(start).map { hit in
      ObjectPage.Row(
        key: hit.record[model.keyProperty.name] ?? .null, values: columns.map { hit.record[$0] ?? .null })
    }
    return ObjectPage(
      model: model, columns: columns, rows: rows, total: total, matching: matching,
      previous: start > 0 ? PagePlace(.before, offset: start) : nil,
      next: hits.count == end && end < min(matching, Self.mostRanked) ? PagePlace(.after, offset: end) : nil)
  }
}

extension ModelSchema {
  /// The names of the searchable properties.
  public var searchableNames: [String] { searchedSlots.map { properties[$0].name } }
}
