import QuarryBackend

/// Finds references that lead to nothing. No statement leaves them behind. They were stored before a property became a reference,
/// or by another program.
struct DanglingReferences {
  /// The maximum number of listed references.
  static let told = 10
  /// The number of keys that are looked up at once.
  private static let batch = 1_024

  /// A key that no object has.
  struct Found {
    let target: Key
    /// The keys of the first objects that refer to it.
    var owners: [Key]
    /// The number of objects that refer to it.
    var count: Int
  }

  /// Keys of objects that are not there, with objects that refer to them.
  private(set) var found: [Found] = []
  /// The number of such keys.
  private(set) var count = 0
  private let reference: ReferenceMap.Reference

  /// Reads the keys of a reference in the order of its index, each once.
  ///
  /// - Parameters:
  ///   - most: The number of missing keys that are kept.
  ///   - mostOwners: The number of objects that are kept for each of them.
  /// - Complexity: O(n) in the number of objects that have the reference.
  init(
    _ reference: ReferenceMap.Reference, in transaction: any BackendReadTransaction, keeping most: Int = told,
    owners mostOwners: Int = 1
  ) throws(StorageError) {
    self.reference = reference
    let source = reference.source
    var order = [BoundSortKey(slot: reference.slot)]
    if reference.slot != source.primaryKey { order.append(BoundSortKey(slot: source.primaryKey)) }
    let cursor = try transaction.cursor(
      BoundQuery(
        model: source.id, predicate: .not(.isNull(slot: reference.slot)), order: order,
        projection: [reference.slot, source.primaryKey]))
    defer { cursor.close() }
    let pointers = RowPointers()
    let writer = KeyWriter()
    var last: [UInt8] = []
    // Copied, because the rows are lent until the next call.
    var targets: [Found] = []
    while true {
      let filled = try cursor.fill(pointers.buffer)
      for row in pointers.buffer[..<filled] {
        guard try reference.target(of: row, writer) else { continue }
        if let place = targets.indices.last, last.elementsEqual(writer.bytes) {
          targets[place].count += 1
          if targets[place].owners.count < mostOwners {
            targets[place].owners.append(try reference.owner(of: row, writer))
          }
          continue
        }
        last = Array(writer.bytes)
        let key = reference.layout.slots[reference.slot].isOptional ? Key(Array(last.dropFirst())) : Key(last)
        targets.append(Found(target: key, owners: [try reference.owner(of: row, writer)], count: 1))
      }
      guard filled == 0 || targets.count > Self.batch else { continue }
      // The last one may have more owners among the next rows.
      let checked = filled == 0 ? targets[...] : targets.dropLast()
      let missing = checked.isEmpty ? [] : try transaction.missing(reference.target.id, checked.map(\.target))
      count += missing.count
      for place in missing.prefix(max(0, most - found.count)) { found.append(targets[place]) }
      if filled == 0 { return }
      targets.removeFirst(checked.count)
    }
  }

  /// The first of them as the error of a statement that would have left it.
  var error: StorageError? {
    guard let first = found.first else { return nil }
    let texts = found.map { reference.text(of: $0.target) ?? "?" }
    let others = count > 1 ? "; \(count) keys lead to no object, the first: \(texts.joined(separator: ", "))" : ""
    let error = StorageError.missingReference(
      reference.property, reference.source, target: texts[0], key: first.owners.first.flatMap(ownText))
    return StorageError(
      error.code, error.message + others, model: error.model, property: error.property, key: error.key)
  }

  /// Adds a defect for each object with such a reference.
  func report(_ report: inout DefectReport) {
    for found in found {
      let target = reference.text(of: found.target) ?? "?"
      // What is not kept is not described either: the owners that are kept fill the report.
      for place in 0..<found.count {
        report.add(
          "\(reference.source.name) \(place < found.owners.count ? ownText(found.owners[place]) ?? "?" : "?"): "
            + "\(reference.property.name) refers to \(reference.target.name) \(target), which is not there")
      }
    }
  }

  private func ownText(_ key: Key) -> String? {
    key.bytes.withBytes { KeyText.text(of: $0, reference.source) }
  }
}

extension ReferenceMap.Reference {
  /// Writes what a row refers to, with the mark of what may be nil in front of it.
  ///
  /// - Returns: Whether it refers to anything.
  func target(of row: UnsafeRawBufferPointer, _ writer: KeyWriter) throws(StorageError) -> Bool {
    let view = try RowView(row, layout)
    let place = layout.slots[slot]
    writer.removeAll()
    guard !view.isAbsent(place), !view.isNull(place) else { return false }
    try writer.append(view, place, layout, isDescending: false, isLast: true)
    return true
  }

  /// The primary key of a row that refers.
  func owner(of row: UnsafeRawBufferPointer, _ writer: KeyWriter) throws(StorageError) -> Key {
    writer.removeAll()
    try writer.append(RowView(row, layout), layout.keySlot, layout, isDescending: false, isLast: true)
    return writer.key
  }
}

extension ReferenceMap {
  /// Throws `missingReference` for the first reference that leads to nothing, with the first ten keys.
  func checkAll(in transaction: any BackendReadTransaction) throws(StorageError) {
    for reference in all {
      if let error = try DanglingReferences(reference, in: transaction).error { throw error }
    }
  }
}
