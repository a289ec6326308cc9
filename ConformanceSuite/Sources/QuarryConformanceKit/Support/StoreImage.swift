package import QuarryBackend
package import QuarryCore
import QuarryQuery

/// Everything that a store has, read in each of its orders: two that are equal are the same store to every caller.
package struct StoreImage: Equatable {
  package let models: [ModelSchema]
  /// For each model its objects in the order of keys, then in that of each index, then the counts of each index's groups.
  package let rows: [[Record]]
  let counts: [[Value]]

  package init(_ tx: ReadTransaction) throws {
    models = try tx.models()
    var rows: [[Record]] = []
    var counts: [[Value]] = []
    for model in models {
      let query = QueryTree(model: model.name)
      rows.append(try tx.records.fetch(query))
      counts.append([.int(Int64(try tx.records.count(query)))])
      for index in model.indexes {
        let names = index.columns.map { model.properties[$0.slot].name }
        let order = zip(names, index.columns).map { QueryTree.SortKey($0, isDescending: $1.isDescending) }
        rows.append(try tx.records.fetch(QueryTree(model: model.name, order: order)))
        counts.append(try tx.records.aggregate(query, groupedBy: [names[0]], [(.count, nil)]).map { $0.values[0] })
      }
    }
    self.rows = rows
    self.counts = counts
  }

  package init(_ store: Store) throws {
    self = try store.read { try StoreImage($0) }
  }
}
