/// Rows of groups for which an aggregator has no memory: sorted by their groups, and then aggregated one range of groups after
/// the other.
final class WaitingRows {
  private let memory: Int
  private let sorter: ByteSorter
  private var entry: [UInt8] = []

  /// - Parameter memory: Bytes that the rows may take before they go into files, and the groups of a range afterwards.
  init(memory: Int) {
    self.memory = memory
    sorter = ByteSorter(limit: memory)
  }

  /// Takes in a row, which is copied. An entry is the key of the group, the row, and the length of the key.
  func append(_ row: UnsafeRawBufferPointer, group: UnsafeRawBufferPointer) throws(StorageError) {
    entry.removeAll(keepingCapacity: true)
    entry.append(contentsOf: group)
    entry.append(contentsOf: row)
    withUnsafeBytes(of: group.count) { entry.append(contentsOf: $0) }
    try entry.withBytes { entry throws(StorageError) in try sorter.append(entry) }
  }

  /// Calls the body with an aggregator for each range of groups, in the order of the groups. Called once, after the last `append`.
  func forEachPart(
    of aggregate: BoundAggregate, _ model: ModelSchema, _ layout: RowLayout,
    _ body: (RowAggregator) throws(StorageError) -> Void
  ) throws(StorageError) {
    var unbounded = aggregate
    unbounded.memory = .max
    var part = try RowAggregator(unbounded, model, layout)
    try sorter.forEach { entry throws(StorageError) in
      let end = entry.count - MemoryLayout<Int>.size
      let length = entry.loadUnaligned(fromByteOffset: end, as: Int.self)
      if try part.isFull(memory, for: UnsafeRawBufferPointer(rebasing: entry[..<length])) {
        try body(part)
        part = try RowAggregator(unbounded, model, layout)
      }
      try part.add(UnsafeRawBufferPointer(rebasing: entry[length..<end]))
    }
    try body(part)
  }
}
