import Foundation
import QuarryBackend

/// Gives keys to the rows of one transaction that have none, and checks compound ones: contract KEY-4 to KEY-8, KEY-20.
///
/// It is the one place that does, for objects, records, imports and migrations.
@usableFromInline
final class KeyAssigner {
  private let writer: any BackendWriteTransaction
  /// The numbers that are taken in advance, where there are many writers; nil in a synced store, and once this transaction has
  /// changed the schema, of which others know nothing yet.
  private var blocks: (any NumberSource)?
  private var keys: GeneratedKeys?
  /// The key of a row's members.
  private lazy var keyWriter = KeyWriter()
  private var sequences: [ModelID: Sequence] = [:]

  private struct Sequence {
    /// The greatest number that was given.
    var last: UInt64
    /// The number that is stored.
    var stored: UInt64
  }

  init(_ writer: any BackendWriteTransaction, _ keys: GeneratedKeys?, _ blocks: (any NumberSource)? = nil) {
    self.writer = writer
    self.keys = keys
    let isSynced = keys?.isSynced ?? false
    self.blocks = isSynced ? nil : blocks
    if isSynced { blocks?.forget() }
  }

  /// Follows a change of the schema.
  func refresh() {
    keys = GeneratedKeys(writer.schema)
    blocks = nil
    sequences = [:]
  }

  /// Gives keys to the rows that have none, and moves the sequence past the keys that others have.
  ///
  /// - Returns: The number of keys that were given.
  /// - Throws: `limitExceeded` where the sequence is exhausted.
  @usableFromInline @discardableResult
  func assign(_ model: ModelID, _ rows: inout RowBatch) throws(StorageError) -> Int {
    if let key = keys?.compound[model] {
      try rows.forEach { _, row throws(StorageError) in try key.check(row, keyWriter) }
      return 0
    }
    guard let key = keys?.models[model] else { return 0 }
    var given = 0
    // Keys of the batch come first: a number that one of its rows has is not given to another.
    var greatest: UInt64 = 0
    if key.generation == .sequence {
      try rows.forEach { _, row throws(StorageError) in greatest = max(greatest, key.number(in: row)) }
      if greatest > 0 { try note(greatest, key) }
    }
    try rows.forEachMutable { row throws(StorageError) in
      guard key.isMissing(in: UnsafeRawBufferPointer(row)) else { return }
      given += 1
      switch key.generation {
      case .uuid: key.set(UUID.generated(), in: row)
      case .sequence: key.set(try next(key), in: row)
      }
    }
    return given
  }

  /// Moves the sequence past the key of a row, which has one.
  @usableFromInline
  func note(_ model: ModelID, _ row: UnsafeRawBufferPointer) throws(StorageError) {
    try check(model, row)
    guard let key = keys?.models[model], key.generation == .sequence else { return }
    let number = key.number(in: row)
    if number > 0 { try note(number, key) }
  }

  /// Checks that the compound key of a row has its members, and that an update changes neither.
  ///
  /// - Parameter slots: The slots that an update writes, of which the row may have no others; nil for all.
  @usableFromInline
  func check(_ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]? = nil) throws(StorageError) {
    guard let key = keys?.compound[model] else { return }
    guard let slots else { return try key.check(row, keyWriter) }
    guard let slot = slots.first(where: key.model.isOfKey) else { return }
    throw .keyChange(.invalidValue, model: key.model.name, property: key.model.properties[slot].name)
  }

  /// Moves the sequence of a model to a number, unless it is there already.
  func note(_ model: ModelID, _ number: UInt64) throws(StorageError) {
    guard let key = keys?.models[model], key.generation == .sequence else { return }
    try note(number, key)
  }

  /// Whether the row has no key, and gets one when it is stored.
  @usableFromInline
  func isMissing(_ model: ModelID, _ row: UnsafeRawBufferPointer) -> Bool {
    keys?.models[model]?.isMissing(in: row) ?? false
  }

  /// Continues the sequence of a model after the keys of another, whose objects it takes over.
  func inherit(_ model: ModelID, from other: ModelSchema) throws(StorageError) {
    try note(model, try SequenceTable.last(of: other, in: writer))
  }

  /// Stores the numbers that were reached: the one write of a transaction.
  func flush() throws(StorageError) {
    let schema = writer.schema
    let moved = sequences.filter { $0.value.last > $0.value.stored && schema.model(id: $0.key) != nil }
    try SequenceTable.set(moved.map { ($0.key, $0.value.last) }.sorted { $0.model < $1.model }, writer)
    for model in moved.keys { sequences[model]?.stored = moved[model]?.last ?? 0 }
  }

  private func next(_ key: GeneratedKey) throws(StorageError) -> UInt64 {
    if let blocks { return try blocks.next(key) }
    var sequence = try sequence(key)
    guard sequence.last < key.greatest else { throw key.exhausted }
    sequence.last += 1
    sequences[key.model.id] = sequence
    return sequence.last
  }

  private func note(_ number: UInt64, _ key: GeneratedKey) throws(StorageError) {
    if let blocks { return try blocks.note(number, key) }
    var sequence = try sequence(key)
    guard number > sequence.last else { return }
    sequence.last = number
    sequences[key.model.id] = sequence
  }

  private func sequence(_ key: GeneratedKey) throws(StorageError) -> Sequence {
    if let sequence = sequences[key.model.id] { return sequence }
    let last = try SequenceTable.last(of: key.model, in: writer)
    let sequence = Sequence(last: last, stored: last)
    sequences[key.model.id] = sequence
    return sequence
  }
}

extension GeneratedKey {
  var exhausted: StorageError {
    StorageError(
      .limitExceeded, "the sequence of keys is exhausted: \(greatest) is the greatest number that a key can be",
      model: model.name, property: model.keyProperty.name)
  }
}
