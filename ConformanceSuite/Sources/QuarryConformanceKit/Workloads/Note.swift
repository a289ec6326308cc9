import Foundation
package import QuarryBackend
package import QuarryCore

/// The one row that a batch has in a second model: now and then larger than any page.
package struct Note: Model, Equatable {
  var name: String
  var bytes: Data

  package static let modelDefinition = ModelDefinition<Note>(
    name: "Note",
    properties: [
      PropertyDefinition("name", \Note.name, String.self), PropertyDefinition("bytes", \Note.bytes, Data.self),
    ],
    primaryKey: "name")

  package struct Columns: ModelColumns {
    var name = Column<String>("name", 0)
    var bytes = Column<Data>("bytes", 1)
    package init() {}
  }

  package var primaryKeyValue: String { name }

  init(batch: Int) {
    name = "note \(batch)"
    bytes = Data(
      repeating: UInt8(truncatingIfNeeded: batch), count: batch % 5 == 0 ? 10_000 + batch % 3_000 : batch % 50)
  }

  /// A row that fills space.
  package init(filling number: Int, byteCount: Int) {
    name = "filling \(number)"
    bytes = Data(repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
  }

  package init(reading row: ModelReader) throws(StorageError) {
    name = try row.get(0)
    bytes = try row.get(1)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, name)
    try row.set(1, bytes)
  }
}
