public import QuarryBackend

/// A file of data to be imported: read once to find the types of its columns, then again for its rows.
public struct DataFile: Sendable {
  public var path: String
  public var format: DataFormat
  /// In columns of text an empty cell of CSV is the empty text and not nil.
  public var emptyAsText: Bool
  var chunkSize = 1 << 18

  public init(path: String, format: DataFormat, emptyAsText: Bool = false) {
    self.path = path
    self.format = format
    self.emptyAsText = emptyAsText
  }

  /// More names than this in a file of JSON Lines are no columns.
  static let columnLimit = 4096

  /// What a first pass over the file found.
  public struct Inference: Sendable {
    public var properties: [PropertySchema]
    /// For each property the line of the first nil, if there is one.
    public var firstNulls: [Int?]
    public var rows: Int
  }

  /// Called from time to time with the part of the file that was read and the number of rows so far.
  public typealias Progress = (_ fraction: Double, _ rows: Int) -> Void

  /// The progress is reported every so many rows.
  package static let progressInterval = 1024

  /// Reads the whole file and finds its columns and their types.
  ///
  /// - Throws: `invalidValue` with line and column, `notFound`, `io`, `limitExceeded`.
  public func infer(progress: Progress = { _, _ in }) throws(StorageError) -> Inference {
    switch format {
    case .csv: try inferCSV(progress)
    case .jsonl: try inferJSONL(progress)
    }
  }

  /// The rows of the file as values of these properties.
  ///
  /// - Parameter properties: The properties that the file has columns for, in any order. A column without a property is
  ///   an error.
  public func rows(as properties: [PropertySchema]) throws(StorageError) -> any RowReader {
    let source = try ByteSource(path: path, chunkSize: chunkSize)
    return switch format {
    case .csv: try CSVRowReader(CSVReader(source), properties, emptyAsText: emptyAsText, size: source.size)
    case .jsonl: JSONLRowReader(JSONLReader(source), properties, size: source.size)
    }
  }

  private func inferCSV(_ progress: Progress) throws(StorageError) -> Inference {
    let source = try ByteSource(path: path, chunkSize: chunkSize)
    var reader = try CSVReader(source)
    var columns = reader.names.map { ColumnInference(name: $0) }
    var rows = 0
    var isEverythingQuoted = reader.isHeaderQuoted
    while try reader.next() {
      rows += 1
      for index in columns.indices {
        let cell = reader.cells[index]
        if cell.start == cell.end && !cell.isQuoted {
          columns[index].addNull(line: cell.line)
        } else {
          if !cell.isQuoted { isEverythingQuoted = false }
          columns[index].add(reader.bytes[cell.start..<cell.end], isQuoted: cell.isQuoted)
        }
      }
      if rows % Self.progressInterval == 0 { progress(fraction(reader.bytesRead, source), rows) }
    }
    var result = Inference(properties: [], firstNulls: [], rows: rows)
    for column in columns {
      var property =
        column.property(quotesMeanText: !isEverythingQuoted, allowsText: true)
        ?? PropertySchema(name: column.name, type: .string, isOptional: column.hasNull)
      if emptyAsText && property.type == .string { property.isOptional = false }
      result.properties.append(property)
      result.firstNulls.append(property.isOptional ? column.firstNull : nil)
    }
    return result
  }

  private func inferJSONL(_ progress: Progress) throws(StorageError) -> Inference {
    let source = try ByteSource(path: path, chunkSize: chunkSize)
    var reader = JSONLReader(source)
    var columns: [ColumnInference] = []
    var names = MemberPlaces([])
    // How many objects had the member; fewer than there are rows means that it is nil somewhere.
    var counts: [Int] = []
    var firstMissing: [Int] = []
    var rows = 0
    var firstLine = 0
    while try reader.next() {
      rows += 1
      if rows == 1 { firstLine = reader.line }
      for (index, member) in reader.members.enumerated() {
        let place: Int
        if let known = names.place(of: member.name, expected: index) {
          place = known
        } else {
          guard columns.count < Self.columnLimit else {
            throw .limitExceeded(
              "line \(reader.line): number of columns", limit: Self.columnLimit, actual: Self.columnLimit + 1)
          }
          guard !member.name.isEmpty else {
            throw StorageError(.invalidValue, "line \(reader.line): the object has an empty name")
          }
          place = names.add(member.name)
          columns.append(ColumnInference(name: member.name))
          // It was missing in the first row, if there was a row before this one.
          counts.append(0)
          firstMissing.append(rows > 1 ? firstLine : 0)
        }
        counts[place] += 1
        try columns[place].add(member.value, line: reader.line)
      }
      for place in columns.indices where counts[place] < rows && firstMissing[place] == 0 {
        firstMissing[place] = reader.line
      }
      if rows % Self.progressInterval == 0 { progress(fraction(reader.bytesRead, source), rows) }
    }
    var result = Inference(properties: [], firstNulls: [], rows: rows)
    for (place, column) in columns.enumerated() {
      guard var property = column.property(quotesMeanText: false, allowsText: false) else {
        throw StorageError(
          .invalidValue,
          "column \(column.name.escapedForDisplay): no type holds all its numbers without loss; write them as strings",
          property: column.name)
      }
      if counts[place] < rows { property.isOptional = true }
      result.properties.append(property)
      let lines = [firstMissing[place], column.hasNull ? column.firstNull : 0].filter { $0 > 0 }
      result.firstNulls.append(lines.min())
    }
    return result
  }

  private func fraction(_ read: Int64, _ source: ByteSource) -> Double {
    source.size > 0 ? min(1, Double(read) / Double(source.size)) : 1
  }
}
