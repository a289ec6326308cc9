import QuarryBackend
import QuarryQuery

/// Collects rows, and finds out that a key, or a value of a column that is to be unique, is there twice.
final class RowBuilder {
  /// Two rows that may not both be there.
  struct Clash {
    /// The column that has the value twice.
    var slot: Int
    /// The place of the earlier row.
    var earlier: Int
  }

  private let model: ModelSchema
  private let layout: RowLayout
  private let writer: RowWriter
  private let file: RowFileWriter
  private var lines: [Int32] = []
  /// The columns whose values are looked at, each with what was seen.
  private var seen: [(slot: Int, places: ValuePlaces)]

  /// - Parameters:
  ///   - path: The file that the rows are written to.
  ///   - unique: The columns that may not have a value twice.
  init(_ model: ModelSchema, _ expected: Int, file path: String, unique: [Int]) throws {
    self.model = model
    layout = RowLayout(model)
    writer = RowWriter(layout)
    file = try RowFileWriter(path, expected: expected)
    seen = unique.map { (slot: $0, places: ValuePlaces(model.properties[$0])) }
  }

  var count: Int { file.count }

  /// The line of a row that was added with one.
  func line(_ place: Int) -> Int? { place < lines.count ? Int(lines[place]) : nil }

  /// The value of a row that was added.
  func value(_ place: Int, _ slot: Int) throws -> Value {
    try file.row(place).lent { row throws(StorageError) in
      try RowView(row, layout).value(layout.slots[slot], layout)
    }
  }

  /// Adds a row.
  ///
  /// - Parameter line: Its line in a file.
  /// - Returns: What is there already, and the row is not added then.
  func add(_ values: [Value], line: Int?) throws -> Clash? {
    for index in seen.indices {
      let slot = seen[index].slot
      let earlier = try seen[index].places.place(of: values[slot], next: count) { try value($0, slot) }
      if let earlier { return Clash(slot: slot, earlier: earlier) }
    }
    if let line { lines.append(Int32(truncatingIfNeeded: line)) }
    writer.begin()
    for (slot, value) in zip(layout.slots, values) {
      do throws(StorageError) {
        let property = model.properties[Int(slot.index)]
        try writer.set(slot, value: value.converted(to: property.type, element: property.elementType))
      } catch {
        let place = line.map { "line \($0): " } ?? ""
        throw StorageError(
          error.code, place + error.message, model: model.name, property: model.properties[Int(slot.index)].name)
      }
    }
    let row = try writer.finish()
    try file.append(row, digest: AnswerDigest.of(row, layout))
    return nil
  }

  /// Ends the file.
  func rows() throws -> DataRows {
    seen = []
    return try file.finish(model)
  }
}

/// The row that had each value of a column first. Values are the same where they are in an index; nil is none.
private struct ValuePlaces {
  private let property: PropertySchema
  private let writer = KeyWriter()
  /// The row with each hash of a value, and the few whose hash another one had: values with one hash are compared.
  private var places: [Int: Int32] = [:]
  private var others: [(hash: Int, place: Int32)] = []

  init(_ property: PropertySchema) {
    self.property = property
  }

  /// The row that has the value already; otherwise the value is noted for the row that comes next.
  ///
  /// - Parameter value: The value of a row.
  mutating func place(of new: Value, next: Int, value: (_ place: Int) throws -> Value) throws -> Int? {
    guard !new.isNull else { return nil }
    let key = try key(new)
    let hash = key.hashValue
    let next = Int32(truncatingIfNeeded: next)
    guard let first = places[hash] else {
      places[hash] = next
      return nil
    }
    for place in [first] + others.filter({ $0.hash == hash }).map(\.place) {
      if try self.key(value(Int(place))) == key { return Int(place) }
    }
    others.append((hash, next))
    return nil
  }

  private func key(_ value: Value) throws(StorageError) -> Key {
    writer.removeAll()
    do {
      let value = try value.converted(to: property.type, element: property.elementType)
      try writer.append(value, type: property.type, isOptional: false, isDescending: false, isLast: true)
    } catch {
      throw error.with(property: property.name)
    }
    return writer.key
  }
}
