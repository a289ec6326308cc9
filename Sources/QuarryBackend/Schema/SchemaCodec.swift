package import Foundation

/// The form in which every engine stores a schema: JSON with sorted keys.
package struct SchemaCodec: Sendable {
  private let escapesSlashes: Bool
  private let tooNew: @Sendable (Int) -> String

  /// - Parameters:
  ///   - escapesSlashes: Whether a slash is written as `\/`, which readers take for the same.
  ///   - tooNew: The message for a schema of a newer format.
  package init(escapesSlashes: Bool, tooNew: @escaping @Sendable (_ format: Int) -> String) {
    self.escapesSlashes = escapesSlashes
    self.tooNew = tooNew
  }

  package func encode(_ schema: Schema) throws(StorageError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = escapesSlashes ? [.sortedKeys] : [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(schema))
    } catch {
      throw StorageError(.invalidValue, "the schema cannot be stored", cause: error)
    }
  }

  /// - Throws: `corrupt`, `schemaTooNew`.
  package func decode(_ data: Data) throws(StorageError) -> Schema {
    struct Format: Decodable { var format: Int }
    let decoder = JSONDecoder()
    do {
      // The format is read alone first: a newer one may be of another shape.
      let format = try decoder.decode(Format.self, from: data).format
      guard format <= Schema.currentFormat else { throw StorageError(.schemaTooNew, tooNew(format)) }
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
