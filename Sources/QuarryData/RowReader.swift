public import QuarryBackend

/// Gives the rows of a file as values of given properties, one after the other.
public protocol RowReader {
  /// The values of the next row in the order of the properties, nil at the file's end.
  ///
  /// - Throws: `invalidValue` with line and column for a value of the wrong type; `missingValue` for a nil where the
  ///   property is not optional.
  mutating func next() throws(StorageError) -> [Value]?

  /// The line where the current row begins, for messages about the whole row.
  var line: Int { get }
  /// The part of the file that was read, from 0 to 1.
  var fraction: Double { get }
}

struct CSVRowReader: RowReader {
  private var reader: CSVReader
  private let properties: [PropertySchema]
  /// For each property its column.
  private let columns: [Int]
  private let emptyAsText: Bool
  private let size: Int64

  init(
    _ reader: CSVReader, _ properties: [PropertySchema], emptyAsText: Bool, size: Int64
  ) throws(StorageError) {
    let places = MemberPlaces(reader.names)
    var columns: [Int] = []
    for (index, property) in properties.enumerated() {
      guard let column = places.place(of: property.name, expected: index) else {
        throw StorageError(.invalidValue, "the header has no column of that name", property: property.name)
      }
      columns.append(column)
    }
    if let extra = reader.names.indices.first(where: { !columns.contains($0) }) {
      throw StorageError(
        .invalidValue,
        "line 1, column \(extra + 1): there is no property for \(reader.names[extra].excerpt)")
    }
    self.reader = reader
    self.properties = properties
    self.columns = columns
    self.emptyAsText = emptyAsText
    self.size = size
  }

  var line: Int { reader.cells.first?.line ?? 1 }
  var fraction: Double { size > 0 ? min(1, Double(reader.bytesRead) / Double(size)) : 1 }

  mutating func next() throws(StorageError) -> [Value]? {
    guard try reader.next() else { return nil }
    var values: [Value] = []
    values.reserveCapacity(properties.count)
    for (index, property) in properties.enumerated() {
      let column = columns[index]
      let cell = reader.cells[column]
      if cell.start == cell.end && !cell.isQuoted && !(emptyAsText && property.type == .string) {
        guard property.isOptional else {
          throw StorageError(
            .missingValue, "\(reader.place(column)): the cell is empty and \(property.typeName) is not optional",
            property: property.name)
        }
        values.append(.null)
        continue
      }
      let text = reader.bytes[cell.start..<cell.end]
      guard let value = TextConversion.value(text, as: property) else {
        throw StorageError(
          .invalidValue,
          "\(reader.place(column)): \(String(decoding: text, as: UTF8.self).excerpt) is not of type "
            + property.typeName,
          property: property.name)
      }
      values.append(value)
    }
    return values
  }
}

struct JSONLRowReader: RowReader {
  private var reader: JSONLReader
  private let properties: [PropertySchema]
  private let places: MemberPlaces
  private let size: Int64

  init(_ reader: JSONLReader, _ properties: [PropertySchema], size: Int64) {
    self.reader = reader
    self.properties = properties
    self.size = size
    places = MemberPlaces(properties.map(\.name))
  }

  var line: Int { reader.line }
  var fraction: Double { size > 0 ? min(1, Double(reader.bytesRead) / Double(size)) : 1 }

  mutating func next() throws(StorageError) -> [Value]? {
    guard try reader.next() else { return nil }
    var values = [Value](repeating: .null, count: properties.count)
    for (index, member) in reader.members.enumerated() {
      guard let place = places.place(of: member.name, expected: index) else {
        throw StorageError(.invalidValue, "line \(line): there is no property for \(member.name.excerpt)")
      }
      let property = properties[place]
      guard let value = JSONConversion.value(member.value, as: property) else {
        throw StorageError(
          .invalidValue,
          "line \(line), column \(property.name.escapedForDisplay): \(member.value.kind) that is not of type "
            + property.typeName,
          property: property.name)
      }
      values[place] = value
    }
    for (place, property) in properties.enumerated() where !property.isOptional && values[place].isNull {
      throw StorageError(
        .missingValue,
        "line \(line), column \(property.name.escapedForDisplay): there is no value and \(property.typeName) "
          + "is not optional",
        property: property.name)
    }
    return values
  }
}
