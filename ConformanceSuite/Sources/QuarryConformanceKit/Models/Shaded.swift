package import QuarryBackend
package import QuarryCore

/// A model with an enum that lists its cases.
package struct Shaded: Model, Equatable {
  package enum Shade: String, CaseIterable, Storable {
    case light, dark, none

    /// Another string of the same type as the raw value.
    package var first: String { String(rawValue.prefix(1)) }
  }

  var id: Int
  package var shade: Shade

  package static let modelDefinition = ModelDefinition<Shaded>(
    name: "Shaded",
    properties: [
      PropertyDefinition("id", \Shaded.id, Int.self), PropertyDefinition("shade", \Shaded.shade, Shade.self),
    ], primaryKey: "id")

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var shade = Column<Shade>("shade", 1)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, _ shade: Shade) {
    (self.id, self.shade) = (id, shade)
  }

  package init(reading row: ModelReader) throws(StorageError) {
    (id, shade) = (try row.get(0), try row.get(1))
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, shade)
  }
}
