import QuarryBackend
import QuarryCore
import QuarryData

/// Writes the changes of records, a line for each object.
final class ChangeLines: @unchecked Sendable {
  // Unchecked because of the sink alone: the calls of one observation come one after the other.

  private let sink: ByteSink
  private let isJSON: Bool

  init(_ sink: ByteSink, isJSON: Bool) {
    self.sink = sink
    self.isJSON = isJSON
  }

  /// Writes the lines of one change, all of them before it returns.
  func write(_ change: QueryChange<Record>) throws {
    let version = change.version
    if change.isInitial {
      for (place, object) in change.objects.enumerated() { try line("initial", "=", version, place, object) }
    }
    for deletion in change.deletions { try line("deleted", "-", version, deletion.place, deletion.object) }
    for insertion in change.insertions { try line("inserted", "+", version, insertion.place, insertion.object) }
    for move in change.moves { try line("moved", ">", version, move.to, change.objects[move.to], from: move.from) }
    for update in change.updates {
      try line(
        "updated", "~", version, update.place, update.new, from: update.oldPlace, old: update.old,
        properties: update.properties)
    }
    try sink.flush()
  }

  private func line(
    _ event: String, _ mark: String, _ version: CommitVersion, _ place: Int, _ object: Record, from: Int? = nil,
    old: Record? = nil, properties: [String]? = nil
  ) throws {
    var bytes: [UInt8] = []
    guard isJSON else {
      bytes.append(contentsOf: "\(mark) ".utf8)
      append(object, old, to: &bytes)
      bytes.append(UInt8(ascii: "\n"))
      return try sink.write(bytes)
    }
    bytes.append(contentsOf: "{\"event\":\"\(event)\",\"version\":\(version),\"place\":\(place)".utf8)
    if let from { bytes.append(contentsOf: ",\"from\":\(from)".utf8) }
    append("object", object, to: &bytes)
    if let old { append("old", old, to: &bytes) }
    if let properties {
      bytes.append(contentsOf: ",\"properties\":".utf8)
      ExactText.append(.array(properties.map { .string($0) }), to: &bytes)
    }
    bytes.append(contentsOf: "}\n".utf8)
    try sink.write(bytes)
  }

  private func append(_ name: String, _ record: Record, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: ",\"\(name)\":{".utf8)
    for (place, field) in record.fields.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      ExactText.append(field.name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      ExactText.append(field.value, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Names and values, of an object that was changed those that differ with both values.
  private func append(_ record: Record, _ old: Record?, to bytes: inout [UInt8]) {
    for (place, field) in record.fields.enumerated() {
      if place > 0 { bytes.append(contentsOf: ", ".utf8) }
      bytes.append(contentsOf: "\(field.name): ".utf8)
      if let before = old?[field.name], before != field.value {
        ExactText.append(before, to: &bytes)
        bytes.append(contentsOf: " -> ".utf8)
      }
      ExactText.append(field.value, to: &bytes)
    }
  }
}
