import QuarryBackend

/// A schema and the data derived from it: layouts and tables by id.
///
/// Created once for each version of the schema and shared by all transactions that see that version.
final class SchemaState: Sendable {
  let schema: Schema
  private let tables: [UInt32: Table]
  /// The same by small ids, which is what ids are unless a schema had very many models.
  private let tablesByID: [Table?]

  /// - Parameter former: The state before a change of the schema, whose tables of other models are taken over.
  init(_ schema: Schema, after former: SchemaState? = nil) {
    self.schema = schema
    var tables: [UInt32: Table] = [:]
    for model in schema.models {
      let known = former?.tables[model.id.rawValue]
      tables[model.id.rawValue] = if let known, known.model == model { known } else { Table(model) }
    }
    self.tables = tables
    tablesByID = (0..<UInt32(64)).map { tables[$0] }
  }

  /// All tables, in the order of their ids.
  var all: [Table] { schema.models.compactMap { tables[$0.id.rawValue] } }

  /// The table of a model.
  ///
  /// - Throws: `invalidQuery` when the schema has no such model.
  func table(_ model: ModelID) throws(StorageError) -> Table {
    let small = Int(model.rawValue)
    if small < tablesByID.count, let table = tablesByID[small] { return table }
    guard let table = tables[model.rawValue] else {
      throw StorageError(.invalidQuery, "the schema has no model with the id \(model)")
    }
    return table
  }
}

/// A model's tree, its layout and its indexes.
final class Table: Sendable {
  let model: ModelSchema
  let layout: RowLayout
  let tree: Tree
  let indexes: [TableIndex]
  let hasUniqueIndex: Bool
  /// More bytes than any key of the table or entry of its indexes has; nil where there is no such number.
  let keyBytesBound: Int?

  init(_ model: ModelSchema) {
    let layout = RowLayout(model)
    self.model = model
    self.layout = layout
    tree = Tree(rowsOf: model, layout)
    indexes = model.indexes.map { TableIndex($0, layout) }
    hasUniqueIndex = model.indexes.contains(where: \.isUnique)
    let slots = [layout.keySlot] + indexes.flatMap { $0.columns.map(\.slot) } + indexes.map { _ in layout.keySlot }
    // A fixed value takes its width in a key, and a byte that tells whether it is nil.
    keyBytesBound =
      slots.allSatisfy { $0.variableIndex < 0 && $0.type != .decimal }
      ? slots.reduce(0) { $0 + $1.type.fixedWidth + 1 } : nil
  }
}

/// An index's tree and its columns with their places in rows.
final class TableIndex: Sendable {
  struct Column: Sendable {
    var slot: RowLayout.Slot
    var isDescending: Bool
  }

  let schema: IndexSchema
  let tree: Tree
  let columns: [Column]
  var isUnique: Bool { schema.isUnique }
  /// Whether primary keys at the end of entries descend. They go the way of the last column, as ties do in a query's
  /// order, so that a walk has the order of a query forwards and backwards.
  let isKeyDescending: Bool

  init(_ schema: IndexSchema, _ layout: RowLayout) {
    self.schema = schema
    tree = Tree(schema, layout)
    columns = schema.columns.map { Column(slot: layout.slots[$0.slot], isDescending: $0.isDescending) }
    isKeyDescending = columns.last?.isDescending ?? false
  }

  /// Whether one of the index's columns is among these slots.
  func uses(_ slots: [Int]) -> Bool {
    schema.columns.contains { slots.contains($0.slot) }
  }
}
