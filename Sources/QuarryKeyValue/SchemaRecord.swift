import Foundation
import QuarryBackend

/// The stored schema: two records of tree 0. `schema` holds the schema as JSON with sorted keys. `version` holds its
/// version as eight bytes, little-endian, so that a transaction learns in one short read whether a schema that is in
/// memory already is the one of the state that it sees.
enum SchemaRecord {
  /// The tree of Quarry's own records.
  static let tree: TreeID = 0
  static let schemaKey = Array("schema".utf8)
  static let versionKey = Array("version".utf8)

  /// The version of the stored schema; 0 for a store without one.
  ///
  /// - Throws: `corrupt`.
  static func version(in transaction: some KeyValueReadTransaction) throws(StorageError) -> UInt64 {
    let stored: UInt64?? = try versionKey.withBytes { key throws(StorageError) in
      guard let bytes = try transaction.get(tree, key) else { return UInt64??.none }
      guard bytes.count == 8 else { return UInt64??.some(nil) }
      return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }
    switch stored {
    case .none: return 0
    case .some(nil): throw StorageError(.corrupt, "the record of the schema's version is damaged")
    case .some(let version?): return version
    }
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
  static func write(_ schema: Schema, in transaction: some KeyValueWriteTransaction) throws(StorageError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let bytes: [UInt8]
    do { bytes = Array(try encoder.encode(schema)) } catch {
      throw StorageError(.invalidValue, "the schema cannot be written down", cause: error)
    }
    var version = schema.version.littleEndian
    let versionBytes = withUnsafeBytes(of: &version) { Array($0) }
    try put(schemaKey, bytes, in: transaction)
    try put(versionKey, versionBytes, in: transaction)
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

  static func decode(_ data: Data) throws(StorageError) -> Schema {
    struct Format: Decodable { var format: Int }
    let decoder = JSONDecoder()
    do {
      // The format is looked at alone first: a newer one may be of another shape.
      let format = try decoder.decode(Format.self, from: data).format
      guard format <= Schema.currentFormat else {
        throw StorageError(
          .schemaTooNew, "the store has schema format \(format), this version knows up to \(Schema.currentFormat)")
      }
      let schema = try decoder.decode(Schema.self, from: data)
      try schema.validateStored()
      return schema
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError(.corrupt, "the stored schema cannot be read", cause: error)
    }
  }
}
