import Foundation
import QuarryBackend

/// The stored schema: two records of tree 0. `schema` holds the schema as JSON with sorted keys. `version` holds its
/// version as eight bytes, little-endian, so that a transaction learns in one short read whether a schema that is in
/// memory already is the one of the state that it sees. A store of an engine that limits its keys has a third record,
/// `keyBytes`, with the bytes of the longest key that is stored as it is, in the form of the version.
enum SchemaRecord {
  /// The tree of Quarry's own records.
  static let tree: TreeID = 0
  static let schemaKey = Array("schema".utf8)
  static let versionKey = Array("version".utf8)
  static let keyLimitKey = Array("keyBytes".utf8)

  /// The version of the stored schema; 0 for a store without one.
  ///
  /// - Throws: `corrupt`.
  static func version(in transaction: some KeyValueReadTransaction) throws(StorageError) -> UInt64 {
    try number(versionKey, in: transaction) ?? 0
  }

  private static func number(
    _ key: [UInt8], in transaction: some KeyValueReadTransaction
  ) throws(StorageError) -> UInt64? {
    try key.withBytes { name throws(StorageError) in
      guard let bytes = try transaction.get(tree, name) else { return nil }
      guard bytes.count == 8 else {
        throw StorageError(.corrupt, "the record \(String(decoding: key, as: UTF8.self)) is damaged")
      }
      return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }
  }

  /// Bytes of the longest key that is stored as it is: what the store was made with, or else the engine's limit; nil
  /// where there is none.
  ///
  /// - Throws: `corrupt`; `unsupported` where the engine takes shorter keys than the store has, or too short ones.
  static func keyLimit(
    in transaction: some KeyValueReadTransaction, engineLimit: Int?
  ) throws(StorageError) -> Int? {
    let stored = try number(keyLimitKey, in: transaction)
    guard let limit = stored.map({ Int(clamping: $0) }) ?? engineLimit else { return nil }
    guard limit >= LongKeyFormat.minimumLimit else {
      throw StorageError(
        stored == nil ? .unsupported : .corrupt,
        "keys of \(limit) bytes are too short for a store, which needs \(LongKeyFormat.minimumLimit)")
    }
    if let engineLimit, engineLimit < limit {
      throw StorageError(
        .unsupported, "the store was created with keys of up to \(limit) bytes, but the engine takes \(engineLimit)")
    }
    return limit
  }

  /// The stored schema; an empty one for a store without.
  ///
  /// - Throws: `corrupt`, `schemaTooNew`.
  static func read(in transaction: some KeyValueReadTransaction) throws(StorageError) -> Schema {
    let version = try version(in: transaction)
    let data: Data? = try schemaKey.withBytes { key throws(StorageError) in
      try transaction.get(tree, key).map { Data($0) }
    }
    guard let data else {
      guard version == 0 else { throw StorageError(.corrupt, "the record of the schema is missing") }
      return Schema()
    }
    let schema = try decode(data)
    guard schema.version == version else {
      throw StorageError(.corrupt, "the schema says version \(schema.version), its record \(version)")
    }
    return schema
  }

  /// Stores the schema.
  static func write(
    _ schema: Schema, keyLimit: Int?, in transaction: some KeyValueWriteTransaction
  ) throws(StorageError) {
    try put(schemaKey, try codec.encode(schema), in: transaction)
    try put(versionKey, Self.bytes(of: schema.version), in: transaction)
    if let keyLimit { try put(keyLimitKey, Self.bytes(of: UInt64(keyLimit)), in: transaction) }
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  private static func put(
    _ key: [UInt8], _ value: [UInt8], in transaction: some KeyValueWriteTransaction
  ) throws(StorageError) {
    try key.withBytes { key throws(StorageError) in
      try value.withBytes { value throws(StorageError) in
        _ = try transaction.put(tree, key, value)
      }
    }
  }

  private static let codec = SchemaCodec(escapesSlashes: true) { format in
    "the store has schema format \(format), this version knows up to \(Schema.currentFormat)"
  }

  private static func decode(_ data: Data) throws(StorageError) -> Schema {
    let schema = try codec.decode(data)
    guard schema.nextID <= LongKeyFormat.companionBit else {
      throw StorageError(.corrupt, "the stored schema has ids beyond those of trees")
    }
    return schema
  }
}
