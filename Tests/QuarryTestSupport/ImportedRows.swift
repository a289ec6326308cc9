package import QuarryBackend
package import QuarryData

/// What an import would make of the text: the types by name, and the rows.
package func imported(
  _ text: String, _ ending: String = "csv", emptyAsText: Bool = false
) throws -> (types: [String], names: [String], rows: [[Value]]) {
  let scratch = try ScratchFile(text, ending: ending)
  guard let format = DataFormat(path: scratch.path) else {
    throw StorageError(.invalidValue, "no file of data ends in \(ending)")
  }
  let file = DataFile(path: scratch.path, format: format, emptyAsText: emptyAsText)
  let properties = try file.infer().properties
  return (properties.map(\.typeName), properties.map(\.name), try allRows(file, properties))
}

package func allRows(_ file: DataFile, _ properties: [PropertySchema]) throws -> [[Value]] {
  var reader = try file.rows(as: properties)
  var rows: [[Value]] = []
  while let row = try reader.next() { rows.append(row) }
  return rows
}
