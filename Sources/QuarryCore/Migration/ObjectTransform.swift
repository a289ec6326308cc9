import QuarryBackend

/// Creates rows of one model from the rows of another, by types of the program.
protocol ObjectTransform: AnyObject {
  /// Begins with the model that the new rows are of.
  func begin(_ target: ModelSchema) throws(StorageError)

  /// - Parameter coding: Called around code of the program that reads or writes a row.
  /// - Returns: The new row, valid until the next call, with its object's key for errors; nil for none.
  func row(
    _ row: UnsafeRawBufferPointer, coding: (MigrationContext.Phase) -> Void
  ) throws -> UnsafeRawBufferPointer?
}

final class TypedTransform<Old: Model, New: Model>: ObjectTransform {
  private let source: ModelBinding
  private let body: (Old) throws -> New?
  private var target: (binding: ModelBinding, writer: RowWriter)?

  init(_ source: ModelSchema, _ body: @escaping (Old) throws -> New?) throws(StorageError) {
    self.source = try ModelBinding(Old.anyDefinition, source)
    self.body = body
  }

  func begin(_ target: ModelSchema) throws(StorageError) {
    let binding = try ModelBinding(New.anyDefinition, target)
    self.target = (binding, RowWriter(binding.layout))
  }

  func row(
    _ row: UnsafeRawBufferPointer, coding: (MigrationContext.Phase) -> Void
  ) throws -> UnsafeRawBufferPointer? {
    guard let target else { return nil }
    coding(.coding)
    let old: Old
    do {
      defer { coding(.rewriting) }
      old = try ModelReader(row, source).object(Old.self)
    }
    guard let new = try body(old) else { return nil }
    coding(.coding)
    defer { coding(.rewriting) }
    return try ModelEncoder.row(of: new, target.binding, target.writer)
  }
}

/// Writes an object's row where there is no transaction that would.
enum ModelEncoder {
  static func row<M: Model>(
    of object: M, _ binding: ModelBinding, _ writer: RowWriter
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    writer.begin()
    do throws(StorageError) {
      try object.write(to: ModelWriter(writer, binding))
      let row = try writer.finish()
      try binding.checkComplete(RowView(row, binding.layout))
      return row
    } catch {
      throw error.with(model: binding.name, key: object.primaryKeyValue.keyText)
    }
  }
}
