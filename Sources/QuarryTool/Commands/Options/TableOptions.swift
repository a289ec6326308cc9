import ArgumentParser
import QuarryBackend
import QuarryData

/// The options for a file of CSV or JSON.
struct TableOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The character between cells, such as ';', '|' or tab; detected by default.", valueName: "character"),
    transform: {
      guard let delimiter = CSVDialect.delimiter($0) else {
        throw ValidationError("\($0.excerpt) is not a delimiter: one ASCII character that is no quote, or tab")
      }
      return delimiter
    })
  var delimiter: UInt8?

  @Option(
    help: ArgumentHelp(
      "utf-8, latin-1, windows-1252, utf-16le or utf-16be; detected by default.", valueName: "name"),
    transform: {
      guard let encoding = TextEncoding(name: $0) else {
        let names = TextEncoding.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("\($0.excerpt) is not a known encoding: \(names)")
      }
      return encoding
    })
  var encoding: TextEncoding?

  @Option(
    help: ArgumentHelp("The format of standard input: csv, jsonl or json.", valueName: "format"),
    transform: {
      guard let format = DataFormat(rawValue: $0) else {
        throw ValidationError("\($0.excerpt) is not a format: csv, jsonl, json")
      }
      return format
    })
  var format: DataFormat?

  @Option(
    help: ArgumentHelp(
      "The type of a column; '?' after it allows nil. Can be given many times.",
      valueName: "column=type"),
    transform: { try Self.type($0) })
  var type: [DataFile.ColumnType] = []

  @Option(
    help: ArgumentHelp("Text that means nil in an unquoted cell; can be given many times.", valueName: "text"))
  var null: [String] = []

  @Flag(help: "Reads an empty cell of a text column as the empty string, not as nil.")
  var emptyAsText = false

  /// Throws for options that mean nothing in the format.
  func check(_ format: DataFormat) throws {
    guard format != .csv else { return }
    let given: [(String, Bool)] = [
      ("--delimiter", delimiter != nil), ("--type", !type.isEmpty), ("--null", !null.isEmpty),
      ("--empty-as-text", emptyAsText),
    ]
    if let option = given.first(where: \.1)?.0 {
      throw ValidationError("\(option) is for CSV: values in JSON have their own types")
    }
  }

  /// The file with that name, or standard input.
  func file(_ name: String) throws -> DataFile {
    var file: DataFile
    if name == "-" {
      let input = try SpooledInput()
      let format = try format ?? DataFile.format(of: input)
      try check(format)
      file = DataFile(input, format: format, emptyAsText: emptyAsText)
    } else {
      guard let format = format ?? DataFormat(path: name) else { throw ExitCode.validationFailure }
      try check(format)
      file = DataFile(path: name, format: format, emptyAsText: emptyAsText)
    }
    file.delimiter = delimiter
    file.encoding = encoding
    file.nullTexts = null
    file.types = type
    return file
  }

  /// `price=decimal`, `age=int64?`.
  private static func type(_ text: String) throws -> DataFile.ColumnType {
    // A column's name may have the sign, a type's has not.
    guard let sign = text.utf8.lastIndex(of: UInt8(ascii: "=")) else {
      throw ValidationError("\(text.excerpt) has no '=' between the column and its type")
    }
    let name = String(text[..<sign])
    let typeText = String(text[text.utf8.index(after: sign)...])
    guard !name.isEmpty, let type = TypeName(typeText), type.type != .array else {
      let names = PropertyType.allCases.filter(\.isOrdered).map(\.name).joined(separator: ", ")
      throw ValidationError(
        "\(typeText.excerpt) is not a type of a column; types are \(names), followed by '?' if the value may be nil")
    }
    return DataFile.ColumnType(name: name, type: type.type, isOptional: type.isOptional)
  }
}
