public import QuarryBackend

/// A file of data to be imported: read once to find the types of its columns, then again for its rows.
public struct DataFile: Sendable {
  /// A column whose type is given and not inferred.
  public struct ColumnType: Sendable, Hashable {
    /// The name of the column.
    public var name: String
    /// The type that the column must have.
    public var type: PropertyType
    /// Whether it may be nil even where no cell is.
    public var isOptional: Bool

    /// Creates the type of a column.
    ///
    /// - Parameters:
    ///   - name: The name of the column.
    ///   - type: The type that the column must have.
    ///   - isOptional: Whether it may be nil even where no cell is.
    public init(name: String, type: PropertyType, isOptional: Bool = false) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
    }
  }

  /// The path of the file.
  public var path: String
  /// The format of the file.
  public var format: DataFormat
  /// Whether an empty CSV cell in a text column is the empty text and not nil.
  public var emptyAsText: Bool
  /// The ASCII character between the cells of CSV; found in the file when nil.
  public var delimiter: UInt8?
  /// The encoding of the text; found in the file when nil.
  public var encoding: TextEncoding?
  /// Texts that mean nil in CSV cells without quotes, in addition to the empty text.
  public var nullTexts: [String] = []
  /// The given types of CSV columns.
  public var types: [ColumnType] = []
  var chunkSize = 1 << 18
  /// The source that is read in place of the path.
  private var input: SpooledInput?
  /// Whether a file of JSON is one array; found in the file when nil.
  private var isArray: Bool?

  /// Creates a description of a file, without reading it.
  ///
  /// - Parameters:
  ///   - path: The path of a regular file, which is read more than once.
  ///   - format: The format of the file.
  ///   - emptyAsText: Whether an empty CSV cell in a text column is the empty text and not nil.
  public init(path: String, format: DataFormat, emptyAsText: Bool = false) {
    self.path = path
    self.format = format
    self.emptyAsText = emptyAsText
  }

  /// Kept bytes of standard input or of an upload.
  ///
  /// - Parameters:
  ///   - input: The kept bytes.
  ///   - format: Their format; ``format(of:)`` finds it.
  ///   - emptyAsText: Whether an empty CSV cell in a text column is the empty text and not nil.
  public init(_ input: SpooledInput, format: DataFormat, emptyAsText: Bool = false) {
    self.init(path: input.name, format: format, emptyAsText: emptyAsText)
    self.input = input
  }

  /// More names than this in a file of JSON are no columns.
  static let columnLimit = 4096

  /// The result of a first pass over the file.
  public struct Inference: Sendable {
    /// A property for each column.
    public var properties: [PropertySchema]
    /// For each property the line of the first nil, if there is one.
    public var firstNulls: [Int?]
    /// The number of rows.
    public var rows: Int
    /// The reasons why columns that have nothing but numbers are text.
    public var notes: [String] = []
    /// Columns whose values were seen to differ from each other, in the order of the file.
    var uniqueColumns: [Int] = []
  }

  /// Called from time to time with the part of the file that was read and the number of rows so far.
  public typealias Progress = (_ fraction: Double, _ rows: Int) -> Void

  /// The number of rows between two reports of progress.
  package static let progressInterval = 1024

  /// Opens the file.
  ///
  /// - Throws: `notFound`; `io`; `unsupported` for what is no regular file.
  package func source() throws(StorageError) -> ByteSource {
    if let input { return try ByteSource(input, chunkSize: chunkSize) }
    return try ByteSource(path: path, chunkSize: chunkSize)
  }

  /// The file with its encoding, its delimiter and the form of its JSON, where they were not given.
  ///
  /// The notes are the reasons for them, where a person should know.
  ///
  /// - Throws: `notFound`, `io`; `unsupported` for what is no regular file; `limitExceeded` for a line that is too long.
  /// - Complexity: Without a given encoding it reads the whole file, unless the first bytes decide.
  public func resolved() throws(StorageError) -> (file: DataFile, notes: [String]) {
    var file = self
    var notes: [String] = []
    let encoding: TextEncoding
    if let known = self.encoding {
      encoding = known
    } else {
      let survey = try EncodingSurvey(source())
      encoding = survey.encoding
      if let reason = survey.reason { notes.append(reason) }
    }
    file.encoding = encoding
    switch format {
    case .csv:
      if delimiter == nil, input == nil, DataFormat.hasTabs(path) { file.delimiter = UInt8(ascii: "\t") }
      if file.delimiter == nil {
        let found = try CSVDialect.infer(encoding) { () throws(StorageError) in try source() }
        file.delimiter = found.delimiter
        if let reason = found.reason { notes.append(reason) }
      }
    case .jsonl: file.isArray = false
    case .json: if isArray == nil { file.isArray = try firstCharacter(encoding) == UInt8(ascii: "[") }
    }
    return (file, notes)
  }

  /// The first character of the file that is no space.
  private func firstCharacter(_ encoding: TextEncoding) throws(StorageError) -> UInt8? {
    var lines = LineReader(try source(), encoding)
    while try lines.next() {
      if let byte = lines.text.first(where: { $0 > 0x20 }) { return byte }
    }
    return nil
  }

  /// The format of the kept standard input, by its first character.
  ///
  /// - Parameter input: The kept bytes.
  /// - Throws: `io`; `limitExceeded` for a line that is too long.
  public static func format(of input: SpooledInput) throws(StorageError) -> DataFormat {
    let file = DataFile(input, format: .csv)
    switch try file.firstCharacter(EncodingSurvey(file.source()).encoding) {
    case UInt8(ascii: "["): return .json
    case UInt8(ascii: "{"): return .jsonl
    default: return .csv
    }
  }

  /// Reads the whole file and infers its columns and their types.
  ///
  /// - Parameter progress: Is called from time to time with the part of the file that was read and the number of rows.
  /// - Throws: `invalidValue` with line and column, `notFound`, `io`, `limitExceeded`; `invalidQuery` for a given type of a
  ///   column that does not exist.
  /// - Complexity: O(n) for n bytes of the file.
  public func infer(progress: Progress = { _, _ in }) throws(StorageError) -> Inference {
    try infer(findsKey: false, progress)
  }

  /// - Parameter findsKey: Whether to determine which columns are unique.
  func infer(findsKey: Bool, _ progress: Progress) throws(StorageError) -> Inference {
    let file = try resolved().file
    return switch format {
    case .csv: try file.inferCSV(findsKey, progress)
    case .jsonl, .json: try file.inferJSON(findsKey, progress)
    }
  }

  /// The rows of the file as values of these properties.
  ///
  /// - Parameter properties: The properties that the file has columns for, in any order. A column without a property is
  ///   an error.
  public func rows(as properties: [PropertySchema]) throws(StorageError) -> any RowReader {
    let file = try resolved().file
    let source = try source()
    return switch format {
    case .csv: try CSVRowReader(file.csvReader(source), properties, file, size: source.size)
    case .jsonl, .json: JSONRowReader(file.jsonReader(source), properties, size: source.size)
    }
  }

  /// The names of the columns of a file of CSV.
  package func columnNames() throws(StorageError) -> [String] {
    let file = try resolved().file
    return try file.csvReader(source()).names
  }

  func csvReader(_ source: ByteSource) throws(StorageError) -> CSVReader {
    try CSVReader(source, delimiter: delimiter ?? CSVDialect.comma, encoding: encoding ?? .utf8)
  }

  func jsonReader(_ source: ByteSource) -> JSONObjectReader {
    JSONObjectReader(source, encoding ?? .utf8, isArray: isArray ?? false)
  }
}
