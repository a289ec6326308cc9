import QuarryBackend

/// Finds references that lead to nothing. No statement leaves them behind. They were stored before a property became a reference,
/// or by another program.
struct DanglingReferences {
  /// The maximum number of listed references.
  static let told = 10
  /// The number of keys that are looked up at once.
  private static let batch = 1_024

  /// Keys of objects that are not there, each with the key of one object that refers to it.
  private(set) var found: [(target: Key, own: Key)] = []
  private(set) var count = 0
  private let reference: ReferenceMap.Reference

  /// Reads the keys of a reference in the order of its index, each once.
  ///
  /// - Complexity: O(n) in the number of objects that have the reference.
  init(
    _ reference: ReferenceMap.Reference, in transaction: any BackendReadTransaction, keeping most: Int = told
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
    var keys: [Key] = []
    var owners: [Key] = []
    while true {
      let filled = try cursor.fill(pointers.buffer)
      for row in pointers.buffer[..<filled] {
        guard try reference.target(of: row, writer), !last.elementsEqual(writer.bytes) else { continue }
        last = Array(writer.bytes)
        keys.append(reference.layout.slots[reference.slot].isOptional ? Key(Array(last.dropFirst())) : Key(last))
        owners.append(try reference.owner(of: row, writer))
      }
      guard filled == 0 || keys.count >= Self.batch else { continue }
      let missing = keys.isEmpty ? [] : try transaction.missing(reference.target.id, keys)
      count += missing.count
      for place in missing.prefix(max(0, most - found.count)) { found.append((keys[place], owners[place])) }
      if filled == 0 { return }
      keys.removeAll(keepingCapacity: true)
      owners.removeAll(keepingCapacity: true)
    }
  }

  /// The first of them as the error of a statement that would have left it.
  var error: StorageError? {
    guard let first = found.first else { return nil }
    let texts = found.map { reference.text(of: $0.target) ?? "?" }
    let others = count > 1 ? "; \(count) keys lead to no object, the first: \(texts.joined(separator: ", "))" : ""
    let error = StorageError.missingReference(
      reference.property, reference.source, target: texts[0], key: ownText(first.own))
    return StorageError(
      error.code, error.message + others, model: error.model, property: error.property, key: error.key)
  }

  /// A sentence for each listed reference.
  var lines: [String] {
    found.map { found in
      "\(reference.source.name) \(ownText(found.own) ?? "?"): \(reference.property.name) refers to \(reference.target.name) "
        + "\(reference.text(of: found.target) ?? "?"), which is not there"
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
