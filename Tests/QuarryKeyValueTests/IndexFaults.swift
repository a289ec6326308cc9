import QuarryBackend
import QuarryMemory
import QuarryTree

@testable import QuarryKeyValue

/// What is wrong with the indexes of a state, compared with what they must hold by its tables. The entries are made
/// from decoded values here, not as the backend makes them.
func indexFaults(_ transaction: any BackendReadTransaction) throws -> [String] {
  switch transaction {
  case let transaction as KeyValueBackendReadTransaction<SortedArrayTransaction>:
    try indexFaults(transaction.trees, transaction.schema)
  case let transaction as KeyValueBackendReadTransaction<TreeReadTransaction>:
    try indexFaults(transaction.trees, transaction.schema)
  case let transaction as KeyValueBackendReadTransaction<TreeWriteTransaction>:
    try indexFaults(transaction.trees, transaction.schema)
  default:
    ["a transaction of an unknown engine"]
  }
}

private func indexFaults(_ trees: TreeAccess<some KeyValueReadTransaction>, _ schema: Schema) throws -> [String] {
  var faults: [String] = []
  for model in schema.models {
    let rows = try entries(trees, model.id.rawValue)
    for index in model.indexes {
      let stored = try entries(trees, index.id)
      let expected = try rows.map { try entry(of: $0.value, key: $0.key, index, model) }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      if Set(expected.map(\.key)).count != expected.count { faults.append("\(index.name): an entry is there twice") }
      if stored.map(\.key) != expected.map(\.key) {
        faults.append("\(index.name): \(stored.count) entries, not the \(expected.count) that there must be")
      } else if stored.map(\.value) != expected.map(\.value) {
        faults.append("\(index.name): an entry leads to another row")
      }
    }
  }
  return faults
}

private typealias StoredEntry = (key: [UInt8], value: [UInt8])

private func entries(_ trees: TreeAccess<some KeyValueReadTransaction>, _ tree: TreeID) throws -> [StoredEntry] {
  var cursor = try trees.cursor(Tree(tree), .all, descending: false)
  var result: [StoredEntry] = []
  while let (key, value) = try cursor.next() { result.append((Array(key), Array(value))) }
  return result
}

private func entry(of row: [UInt8], key: [UInt8], _ index: IndexSchema, _ model: ModelSchema) throws -> StoredEntry {
  let layout = RowLayout(model)
  let writer = KeyWriter()
  var hasNull = false
  try row.withUnsafeBytes { bytes in
    let view = try RowView(bytes, layout)
    for column in index.columns {
      let slot = layout.slots[column.slot]
      let value = try view.value(slot, layout)
      hasNull = hasNull || value.isNull
      try writer.append(
        value, type: slot.type, isOptional: slot.isOptional, isDescending: column.isDescending, isLast: false)
    }
  }
  if index.isUnique, !hasNull { return (Array(writer.bytes), key) }
  guard index.columns.last?.isDescending == true else { return (Array(writer.bytes) + key, key) }
  let value = try key.withUnsafeBytes { try Key.value(of: $0, type: model.keyProperty.type) }
  try writer.append(value, type: model.keyProperty.type, isOptional: false, isDescending: true, isLast: true)
  return (Array(writer.bytes), key)
}
