package import QuarryBackend
import QuarryQuery

extension ReadTransaction {
  /// The objects of the query in the state in which these rows are stored, nil for removed ones, and all others as they are.
  ///
  /// - Returns: The objects in the order of the query; nil where the query leads to other objects, so that the rows alone do not
  ///   decide on it.
  /// - Complexity: That of the query, and O(n log n) in the number of edits; memory for the result and the edits.
  package final func fetch<M: Model>(
    _ query: Query<M>, laying edits: [Key: Row?]
  ) throws(StorageError) -> [M]? {
    try check()
    let binding = try context.binding(M.self)
    guard try !leadsOn(query.checked(), binding) else { return nil }
    var bound = try bind(query, binding)
    let limit = bound.limit ?? .max
    var toSkip = bound.offset
    // Each edit may take one of the stored rows away.
    bound.limit = bound.limit.flatMap { Self.sum($0, bound.offset, edits.count) }
    bound.offset = 0
    var laid = try LaidRows(edits, bound, binding.layout)
    var result: [M] = []

    /// - Returns: Whether more are wanted.
    func take(_ row: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
      guard result.count < limit else { return false }
      if toSkip > 0 {
        toSkip -= 1
        return true
      }
      result.append(try ModelReader(row, binding).object(M.self))
      return result.count < limit
    }
    func take(_ row: Row) throws(StorageError) -> Bool {
      try row.bytes.withBytes { (bytes) throws(StorageError) in try take(bytes) }
    }

    guard limit > 0 else { return [] }
    let cursor = try backend.cursor(bound)
    beginCoding()
    defer { endCoding() }
    try cursor.forEach { row throws(StorageError) in
      while let laid = try laid.next(before: row) { guard try take(laid) else { return false } }
      return try laid.covers(row) ? true : take(row)
    }
    while result.count < limit, let row = try laid.next(before: nil) { guard try take(row) else { break } }
    return result
  }

  /// Whether objects of the model can be removed without any effect on other objects.
  package final func isFree<M: Model>(_ type: M.Type) throws(StorageError) -> Bool {
    try check()
    let binding = try context.binding(M.self)
    return context.references.map(of: backend)?.references(to: binding.model).isEmpty ?? true
  }

  private func leadsOn(_ query: QueryTree, _ binding: ModelBinding) throws(StorageError) -> Bool {
    if query.links != nil || query.leadsByOrder(binding.schema) { return true }
    guard binding.leadsOn else { return false }
    return try PathResolver(self, binding.schema, binding.binder, isTyped: true, pushes: true).leadsOn(query)
  }

  /// The sum, or nil where it is greater than every number.
  private static func sum(_ numbers: Int...) -> Int? {
    var sum = 0
    for number in numbers {
      let (result, overflows) = sum.addingReportingOverflow(number)
      if overflows { return nil }
      sum = result
    }
    return sum
  }
}
