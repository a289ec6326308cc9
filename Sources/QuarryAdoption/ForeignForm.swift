import CSQLite
import Foundation
import QuarryBackend

/// How a value of SQLite becomes a value of a property's type.
enum ForeignForm: Sendable, Hashable {
  /// As it is.
  case value
  /// Seconds or milliseconds since 1970, seconds since 2001.
  case seconds1970, milliseconds1970, seconds2001
  /// A date as text.
  case dateText
  case uuidText, uuidBytes, decimalText
  /// Numbers as text, for columns that have both.
  case text
  /// Text and numbers as bytes, for columns that have data besides.
  case bytes
  /// The names of numbers: the entities of Core Data.
  case names([Int64: String])

  /// ISO 8601, and the form of SQLite's functions and of GRDB, with a space before the time.
  static func date(_ text: String) -> Date? {
    var bytes = Array(text.utf8)
    guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-") else { return nil }
    if bytes.count > 10, bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
    return ISO8601Text.date(String(decoding: bytes, as: UTF8.self))
  }

  /// A decimal that has all digits of the text.
  static func decimal(_ text: String) -> Decimal? {
    Array(text.utf8).withUnsafeBytes { DecimalParts(text: $0) }?.decimal
  }

  /// The value of a column.
  ///
  /// - Throws: `invalidValue` for what the property cannot hold.
  func value(
    _ statement: ForeignStatement, _ column: Int32, as property: PropertySchema
  ) throws(StorageError) -> Value {
    let kind = statement.kind(column)
    if kind == SQLITE_NULL { return .null }
    guard let value = converted(kind, statement, column, property.type) else {
      throw StorageError(.invalidValue, "a value of the column is not of the type \(property.typeName)")
    }
    return value
  }

  private func converted(
    _ kind: Int32, _ statement: ForeignStatement, _ column: Int32, _ type: PropertyType
  ) -> Value? {
    switch self {
    case .value: return Self.plain(kind, statement, column, type)
    case .seconds1970: return .date(Date(timeIntervalSince1970: statement.real(column)))
    case .milliseconds1970: return .date(Date(timeIntervalSince1970: statement.real(column) / 1000))
    case .seconds2001: return .date(Date(timeIntervalSinceReferenceDate: statement.real(column)))
    case .dateText: return Self.date(statement.text(column)).map(Value.date)
    case .uuidText:
      return UUIDText.bytes(statement.bytes(column), allowsLowercase: true).map { .uuid(UUID(uuid: $0)) }
    case .uuidBytes:
      let bytes = statement.bytes(column)
      guard bytes.count == 16 else { return nil }
      return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    case .decimalText: return Self.decimal(statement.text(column)).map(Value.decimal)
    case .text: return .string(Self.textOf(kind, statement, column))
    case .bytes:
      if kind == SQLITE_TEXT || kind == SQLITE_BLOB { return .data(Data(statement.bytes(column))) }
      return .data(Data(Self.textOf(kind, statement, column).utf8))
    case .names(let names): return .string(names[statement.integer(column)] ?? String(statement.integer(column)))
    }
  }

  private static func plain(
    _ kind: Int32, _ statement: ForeignStatement, _ column: Int32, _ type: PropertyType
  ) -> Value? {
    switch (type, kind) {
    case (.bool, SQLITE_INTEGER): .bool(statement.integer(column) != 0)
    case (.int64, SQLITE_INTEGER): .int(statement.integer(column))
    case (.double, SQLITE_INTEGER), (.double, SQLITE_FLOAT): .double(statement.real(column))
    case (.string, SQLITE_TEXT): .string(statement.text(column))
    case (.data, SQLITE_BLOB): .data(Data(statement.bytes(column)))
    default: nil
    }
  }

  private static func textOf(_ kind: Int32, _ statement: ForeignStatement, _ column: Int32) -> String {
    switch kind {
    case SQLITE_INTEGER: String(statement.integer(column))
    case SQLITE_FLOAT: statement.real(column).description
    default: statement.text(column)
    }
  }

  /// The type of a column and the form of its values, by its content and its declaration.
  ///
  /// - Returns: Besides, a note where a person should know of a choice.
  static func choose(
    _ column: ForeignTable.Column, _ survey: ColumnSurvey, isCoreData: Bool
  ) -> (type: PropertyType, form: ForeignForm, note: String?) {
    let declaration = column.declaration
    func says(_ words: String...) -> Bool { words.contains { declaration.contains($0) } }
    let isDate = says("DATE", "TIME")
    if survey.values == 0 { return empty(declaration, isDate: isDate, isCoreData: isCoreData) }
    if survey.hasOnlyNumbers {
      if isDate {
        if isCoreData { return (.date, .seconds2001, nil) }
        // Beyond the year 5000 in seconds, such numbers are milliseconds.
        let areMilliseconds = survey.hasOnlyIntegers && survey.greatestMagnitude > 100_000_000_000
        return (
          .date, areMilliseconds ? .milliseconds1970 : .seconds1970,
          "its numbers are read as \(areMilliseconds ? "milliseconds" : "seconds") since 1970"
        )
      }
      if survey.hasOnlyIntegers {
        return says("BOOL") && survey.areBits ? (.bool, .value, nil) : (.int64, .value, nil)
      }
      if survey.areExactDoubles { return (.double, .value, nil) }
      return (.string, .text, "it has integers that no Double holds beside other numbers, and becomes text")
    }
    if survey.hasOnlyTexts {
      if !survey.isUTF8 { return (.data, .bytes, "its text is not UTF-8, and becomes data") }
      if survey.areUUIDs { return (.uuid, .uuidText, nil) }
      if survey.areDates && isDate || survey.areMoments { return (.date, .dateText, nil) }
      if survey.areDecimals && says("DECIMAL", "NUMERIC") { return (.decimal, .decimalText, nil) }
      return (.string, .value, isDate ? "not all its texts are dates, and it stays text" : nil)
    }
    if survey.hasOnlyBlobs {
      return survey.areUUIDBytes ? (.uuid, .uuidBytes, nil) : (.data, .value, nil)
    }
    if survey.blobs > 0 || !survey.isUTF8 {
      return (.data, .bytes, "it has data beside other values, and becomes data")
    }
    return (.string, .text, "it has text beside numbers, and becomes text")
  }

  /// The type of a column without values, by the rules of SQLite's affinities and some words besides.
  private static func empty(
    _ declaration: String, isDate: Bool, isCoreData: Bool
  ) -> (type: PropertyType, form: ForeignForm, note: String?) {
    func says(_ words: String...) -> Bool { words.contains { declaration.contains($0) } }
    if isDate { return (.date, isCoreData ? .seconds2001 : .dateText, nil) }
    if says("BOOL") { return (.bool, .value, nil) }
    if says("UUID", "GUID") { return (.uuid, .uuidText, nil) }
    if says("INT") { return (.int64, .value, nil) }
    if says("CHAR", "CLOB", "TEXT") { return (.string, .value, nil) }
    if says("REAL", "FLOA", "DOUB", "NUM", "DEC") { return (.double, .value, nil) }
    return says("BLOB") ? (.data, .value, nil) : (.string, .value, nil)
  }
}
