package import Foundation
package import QuarryBackend
package import QuarryCore

/// A measured value with the instants at which it was taken and checked.
package struct Measurement: Model {
  var id: Int
  var taken: Date
  var checked: Date?
  var value: Double = 0

  package static let modelDefinition = ModelDefinition<Measurement>(
    name: "Measurement",
    properties: [
      PropertyDefinition("id", \Measurement.id, Int.self), PropertyDefinition("taken", \Measurement.taken, Date.self),
      PropertyDefinition("checked", \Measurement.checked, Date?.self),
      PropertyDefinition("value", \Measurement.value, Double.self),
    ],
    primaryKey: "id")

  package struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    package var taken = Column<Date>("taken", 1)
    package var checked = Column<Date?>("checked", 2)
    package var value = Column<Double>("value", 3)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, _ taken: Date, checked: Date? = nil, value: Double = 0) {
    self.id = id
    self.taken = taken
    self.checked = checked
    self.value = value
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    taken = try row.get(1)
    checked = try row.get(2)
    value = try row.get(3)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, taken)
    try row.set(2, checked)
    try row.set(3, value)
  }
}
