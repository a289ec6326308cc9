import QuarryBackend
import QuarryQuery

/// Collects rows, and finds out that a key is there twice.
final class RowBuilder {
  private let model: ModelSchema
  private let layout: RowLayout
  private let writer: RowWriter
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var lines: [Int32] = []
  /// The row with each hash of a key, and the few whose hash another one had: keys with one hash are compared.
  private var places: [Int: Int32] = [:]
  private var others: [(hash: Int, place: Int32)] = []

  init(_ model: ModelSchema, _ expected: Int) {
    self.model = model
    layout = RowLayout(model)
    writer = RowWriter(layout)
    ends.reserveCapacity(expected)
  }

  var count: Int { ends.count }

  /// Adds a row.
  ///
  /// - Parameter line: Its line in a file; nil where keys are known to be different.
  /// - Returns: The line of an earlier row with the same key, and the row is not added then.
  func add(_ values: [Value], line: Int?) throws(StorageError) -> Int? {
    if let line {
      if let earlier = try place(of: Key.primary(values[model.primaryKey], model)) { return Int(lines[earlier]) }
      lines.append(Int32(truncatingIfNeeded: line))
    }
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
    bytes.append(contentsOf: try writer.finish())
    ends.append(bytes.count)
    return nil
  }

  /// The row that has the key already; otherwise the key is noted for the row that comes next.
  private func place(of key: Key) throws(StorageError) -> Int? {
    let hash = key.hashValue
    let next = Int32(truncatingIfNeeded: count)
    guard let first = places[hash] else {
      places[hash] = next
      return nil
    }
    for place in [first] + others.filter({ $0.hash == hash }).map(\.place) {
      if try self.key(Int(place)) == key { return Int(place) }
    }
    others.append((hash, next))
    return nil
  }

  private func key(_ index: Int) throws(StorageError) -> Key {
    let start = index > 0 ? ends[index - 1] : 0
    let row = Array(bytes[start..<ends[index]])
    let value: Result<Value, StorageError> = row.withUnsafeBytes { row in
      do throws(StorageError) {
        return .success(try RowView(row, layout).value(layout.keySlot, layout))
      } catch {
        return .failure(error)
      }
    }
    return try Key.primary(value.get(), model)
  }

  func rows() -> DataRows { DataRows(model, bytes: bytes, ends: ends) }
}
