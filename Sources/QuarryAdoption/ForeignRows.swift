import Foundation
import QuarryBackend

/// The rows of a table as rows of its model.
struct ForeignRows {
  let layout: RowLayout
  /// The number of rows so far.
  private(set) var count = 0
  /// A statement that is asked again after its last row starts from its first row.
  private var hasEnded = false
  private let table: String
  private let model: ModelSchema
  private let statement: ForeignStatement
  private let writer: RowWriter
  /// Nil for a key of one column.
  private let keys: CompoundKeySetter?
  /// For each property the column of the statement and the form; the form is nil for the number of the row.
  private var columns: [(index: Int32?, form: ForeignForm?)] = []

  /// - Parameter model: The model of the plan, as the store has it.
  init(_ database: ForeignDatabase, _ plan: TablePlan, _ model: ModelSchema) throws(StorageError) {
    layout = RowLayout(model)
    writer = RowWriter(layout)
    table = plan.table
    keys = CompoundKeySetter(model)
    self.model = model
    var names: [String] = []
    for source in plan.sources {
      switch source {
      case .column(let name, let form):
        columns.append((Int32(names.count), form))
        names.append(ForeignDatabase.quoted(name))
      case .rowID(let name):
        columns.append((Int32(names.count), nil))
        names.append(name)
      case .counted: columns.append((nil, nil))
      case .key: break
      }
    }
    statement = try ForeignStatement(
      database, "SELECT \(names.joined(separator: ", ")) FROM \(ForeignDatabase.quoted(plan.table))")
  }

  /// The next row, lent until the one after it.
  ///
  /// - Throws: `invalidValue` and `missingValue` with the table, the column and the number of the row.
  mutating func next() throws(StorageError) -> UnsafeRawBufferPointer? {
    guard !hasEnded else { return nil }
    guard try statement.step() else {
      hasEnded = true
      return nil
    }
    count += 1
    writer.begin()
    for (slot, column) in columns.enumerated() {
      let property = model.properties[slot]
      do throws(StorageError) {
        let value: Value
        if let index = column.index {
          value = try column.form?.value(statement, index, as: property) ?? .int(statement.integer(index))
        } else {
          value = .int(Int64(count))
        }
        if value.isNull, property.isOptional { continue }
        try writer.set(layout.slots[slot], value: value)
      } catch {
        let place = "table \(table.shortened), row \(count)"
        throw StorageError(
          error.code, "\(place): \(error.message)", model: model.name, property: property.name)
      }
    }
    guard let keys else { return try writer.finish() }
    // The row gets the bytes of its key from the members.
    try writer.set(layout.keySlot, value: .data(Data()))
    return try keys.row(writer.finish())
  }
}
