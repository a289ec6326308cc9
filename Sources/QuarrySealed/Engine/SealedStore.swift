import QuarryBackend
import QuarryKeyValue

/// Opens and makes sealed stores.
enum SealedStore {
  private enum Content {
    case nothing
    case sealed(Envelope)
  }

  /// The content of an engine.
  ///
  /// - Throws: `notEncrypted`, `corrupt`, `schemaTooNew`.
  private static func content(
    _ transaction: some KeyValueReadTransaction, name: String
  ) throws(StorageError) -> Content {
    if let envelope = try StoredEnvelope.read(transaction, of: name) { return .sealed(envelope) }
    for tree in [SealedTrees.envelope, SealedTrees.pages] {
      var cursor = try transaction.cursor(tree, .all, descending: false)
      if try cursor.next() != nil { throw .damaged("both slots of its key are missing") }
    }
    // Quarry's own records, without which there is no store.
    var cursor = try transaction.cursor(0, .all, descending: false)
    if try cursor.next() != nil { throw .notEncrypted(name) }
    return .nothing
  }

  private static func content(of base: some KeyValueEngine, name: String) throws(StorageError) -> Content {
    let transaction = try base.beginRead()
    defer { transaction.end() }
    return try content(transaction, name: name)
  }

  /// The checksums of the store of an engine, which is made if there is none.
  ///
  /// - Throws: `keyRequired` for a sealed store; `corrupt` for one whose trees are not in pages; `notFound`, `busy`, `io`,
  ///   `full`.
  static func openChecked(
    _ base: some KeyValueEngine, name: String, timeout: Double
  ) throws(StorageError) -> SealedCiphers {
    let ciphers = SealedCiphers(ChecksumKey(), nil)
    if try isChecked(base, name: name) { return ciphers }
    if base.properties.isReadOnly { throw StorageError(.notFound, "\(name) has no store") }
    let transaction = try base.beginWrite(timeout: timeout)
    // After the commit it does nothing.
    defer { transaction.end() }
    // Another user may have been first.
    if try isChecked(transaction, name: name) { return ciphers }
    var record = RootRecord()
    record.seals = 1
    try StoredEnvelope.writeRoot(ciphers.sealRoot(record.content, seals: 0), transaction)
    _ = try transaction.commit()
    return ciphers
  }

  private static func isChecked(_ base: some KeyValueEngine, name: String) throws(StorageError) -> Bool {
    let transaction = try base.beginRead()
    defer { transaction.end() }
    return try isChecked(transaction, name: name)
  }

  private static func isChecked(
    _ transaction: some KeyValueReadTransaction, name: String
  ) throws(StorageError) -> Bool {
    if try StoredEnvelope.read(transaction, of: name) != nil { throw .keyRequired(name) }
    if try SealedTrees.root(in: transaction) != nil { return true }
    for tree in [0, SealedTrees.envelope, SealedTrees.pages] {
      var cursor = try transaction.cursor(tree, .all, descending: false)
      guard try cursor.next() == nil else { throw .damaged("\(name) has trees, and no root record") }
    }
    return false
  }

  /// The ciphers of the store of an engine, which is made if there is none, and whether a slot of its key is damaged.
  static func open(
    _ base: some KeyValueEngine, _ encryption: Encryption, name: String, timeout: Double
  ) throws(StorageError) -> (SealedCiphers, needsMending: Bool) {
    if case .sealed(let envelope) = try content(of: base, name: name) {
      return (try unlock(envelope, encryption), !envelope.stale.isEmpty)
    }
    if base.properties.isReadOnly { throw StorageError(.notFound, "\(name) has no store") }
    return (try make(base, encryption, name: name, timeout: timeout), false)
  }

  private static func unlock(_ envelope: Envelope, _ encryption: Encryption) throws(StorageError) -> SealedCiphers {
    let key = try envelope.unlock(with: encryption)
    guard let slot = envelope.slot else { throw .damaged("both slots of its key are damaged") }
    return SealedCiphers(key, slot)
  }

  private static func make(
    _ base: some KeyValueEngine, _ encryption: Encryption, name: String, timeout: Double
  ) throws(StorageError) -> SealedCiphers {
    let transaction = try base.beginWrite(timeout: timeout)
    // After the commit it does nothing.
    defer { transaction.end() }
    // Another user may have been first.
    if case .sealed(let envelope) = try content(transaction, name: name) { return try unlock(envelope, encryption) }
    let (slot, key) = try encryption.key.makeDataKey(for: .random(count: 16), generation: 1)
    let ciphers = SealedCiphers(key, slot)
    try StoredEnvelope.write(slot, transaction)
    var record = RootRecord()
    record.seals = 1
    try StoredEnvelope.writeRoot(ciphers.sealRoot(record.content, seals: 0), transaction)
    _ = try transaction.commit()
    return ciphers
  }
}
