import QuarryBackend

/// Reads the rows of comma-separated values: as values, or set in a row directly from the bytes of the cells.
struct CSVRowReader: RowReader {
  /// The action for a column: a plain value without references, so that no count is changed for a cell.
  private struct Column {
    /// The number of its property.
    var index: Int
    /// Its place in the file.
    var place: Int
    var isOptional: Bool
    /// Whether an empty cell is the empty text.
    var takesEmpty: Bool
    /// Whether the program gave the type, whatever the cells are like.
    var isLoose: Bool
  }

  private let reader: CSVReader
  private let properties: [PropertySchema]
  private let columns: [Column]
  private let nulls: NullTexts
  private let size: Int64

  /// - Parameter file: The given properties of the file.
  init(
    _ reader: CSVReader, _ properties: [PropertySchema], _ file: DataFile, size: Int64
  ) throws(StorageError) {
    let places = MemberPlaces(reader.names)
    var columns: [Column] = []
    for (index, property) in properties.enumerated() {
      guard let place = places.place(of: property.name, expected: index) else {
        throw StorageError(.invalidValue, "the header has no column of that name", property: property.name)
      }
      let isLoose = file.types.contains { $0.name.utf8.elementsEqual(property.name.utf8) }
      columns.append(
        Column(
          index: index, place: place, isOptional: property.isOptional,
          takesEmpty: file.emptyAsText && property.type == .string, isLoose: isLoose))
    }
    if let extra = reader.names.indices.first(where: { index in !columns.contains { $0.place == index } }) {
      throw StorageError(
        .invalidValue,
        "line 1, column \(extra + 1): there is no property for \(reader.names[extra].excerpt)")
    }
    self.reader = reader
    self.properties = properties
    self.columns = columns
    self.size = size
    nulls = NullTexts(file.nullTexts)
  }

  var line: Int { max(1, reader.line) }
  var fraction: Double { size > 0 ? min(1, Double(reader.bytesRead) / Double(size)) : 1 }

  mutating func next() throws(StorageError) -> [Value]? {
    guard try reader.next() else { return nil }
    var values: [Value] = []
    values.reserveCapacity(columns.count)
    for column in columns {
      values.append(try isNull(column) ? .null : value(column))
    }
    return values
  }

  mutating func next(into writer: RowWriter, _ slots: [RowLayout.Slot]) throws(StorageError) -> Bool {
    guard try reader.next() else { return false }
    for index in 0..<min(columns.count, slots.count) {
      if try isNull(columns[index]) { continue }
      let cell = reader.bytes(columns[index].place)
      let slot = slots[index]
      switch slot.type {
      case .string:
        writer.set(slot, bytes: cell)
        continue
      case .int64:
        if let value = PlainNumber(cell)?.int64 {
          writer.set(slot, value.littleEndian)
          continue
        }
      case .double:
        if let value = PlainNumber(cell)?.double {
          writer.set(slot, value.bitPattern.littleEndian)
          continue
        }
      default: break
      }
      try writer.set(slot, value: try value(columns[index]))
    }
    return true
  }

  /// Whether the cell of a column is nil, which its property allows.
  @inline(__always)
  private func isNull(_ column: Column) throws(StorageError) -> Bool {
    let cell = reader[column.place]
    guard !cell.isQuoted else { return false }
    if cell.start == cell.end ? column.takesEmpty : !nulls.contain(reader.bytes(column.place)) { return false }
    if !column.isOptional { throw missing(column) }
    return true
  }

  private func missing(_ column: Column) -> StorageError {
    let cell = reader[column.place]
    let property = properties[column.index]
    let what = cell.start == cell.end ? "the cell is empty" : "the cell is nil"
    return StorageError(
      .missingValue, "\(reader.place(column.place)): \(what) and \(property.typeName) is not optional",
      property: property.name)
  }

  private func value(_ column: Column) throws(StorageError) -> Value {
    let text = reader.bytes(column.place)
    let property = properties[column.index]
    if let value = TextConversion.value(text, as: property, isLoose: column.isLoose) { return value }
    throw StorageError(
      .invalidValue,
      "\(reader.place(column.place)): \(String(decoding: text, as: UTF8.self).excerpt) is not of type "
        + property.typeName,
      property: property.name)
  }
}

/// Texts that mean nil in cells without quotes, in addition to the empty text.
struct NullTexts {
  private let texts: [[UInt8]]

  init(_ texts: [String]) {
    self.texts = texts.map { Array($0.utf8) }
  }

  @inline(__always)
  func contain(_ cell: UnsafeRawBufferPointer) -> Bool {
    !texts.isEmpty && texts.contains { $0.count == cell.count && cell.elementsEqual($0) }
  }
}
