import QuarryBackend
import QuarrySQL

extension SQLiteReadTransaction: SubqueryTransaction {
  final func decidesSubqueries(_ predicate: BoundPredicate, of model: ModelID) throws(StorageError) -> Bool {
    gate?.lock()
    defer { gate?.unlock() }
    try check()
    let selection = try SQLSelection(predicate, try models.model(model).table, in: models.state)
    return !selection.residual.contains(where: \.hasSubquery)
  }
}
