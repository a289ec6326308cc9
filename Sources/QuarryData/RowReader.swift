public import QuarryBackend

/// Reads the rows of a file as values of given properties, one after the other.
public protocol RowReader {
  /// The values of the next row in the order of the properties, nil at the file's end.
  ///
  /// - Throws: `invalidValue` with line and column for a value of the wrong type; `missingValue` for a nil where the property is
  ///   not optional; `limitExceeded` for a line that is too long; `io`.
  mutating func next() throws(StorageError) -> [Value]?

  /// Sets the next row's values in a row that was begun.
  ///
  /// - Parameters:
  ///   - writer: A writer for the rows of the model, with a row that was begun.
  ///   - slots: The slots of the properties, in their order.
  /// - Returns: Whether there was a row.
  /// - Throws: As ``next()``.
  mutating func next(into writer: RowWriter, _ slots: [RowLayout.Slot]) throws(StorageError) -> Bool

  /// The line where the current row begins, for messages about the whole row.
  var line: Int { get }
  /// The part of the file that was read, from 0 to 1.
  var fraction: Double { get }
}

extension RowReader {
  /// Sets the values that ``next()`` returns.
  ///
  /// - Throws: As ``next()``, and the errors of `RowWriter.set(_:value:)`.
  public mutating func next(into writer: RowWriter, _ slots: [RowLayout.Slot]) throws(StorageError) -> Bool {
    guard let values = try next() else { return false }
    for (slot, value) in zip(slots, values) where !value.isNull { try writer.set(slot, value: value) }
    return true
  }
}

struct JSONRowReader: RowReader {
  private var reader: JSONObjectReader
  private let properties: [PropertySchema]
  private let places: MemberPlaces
  private let size: Int64

  init(_ reader: JSONObjectReader, _ properties: [PropertySchema], size: Int64) {
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
