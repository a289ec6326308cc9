import QuarryBackend
import QuarryCore
import QuarryData

/// Writes change sets as lines.
struct HistoryLines {
  private let sink: ByteSink
  private let isJSON: Bool

  init(_ sink: ByteSink, isJSON: Bool) {
    self.sink = sink
    self.isJSON = isJSON
  }

  func flush() throws { try sink.flush() }

  /// Writes a change set.
  ///
  /// - Parameters:
  ///   - model: The model whose changes are written; nil for all.
  ///   - key: The key of the object whose changes are written; nil for all.
  /// - Returns: Whether there was something to write.
  func write(_ set: HistorySet, model: String?, key: Value?) throws -> Bool {
    var bytes: [UInt8] = []
    begin(set, &bytes)
    var isEmpty = true
    for name in set.isUnknown ? [] : set.models where model.map({ $0.utf8.elementsEqual(name.utf8) }) ?? true {
      guard !set.isUnknown(name) else {
        unknown(name, isFirst: isEmpty, &bytes)
        isEmpty = false
        continue
      }
      for change in try set.changes(in: name) where key.map({ $0 == change.key }) ?? true {
        append(name, change, isFirst: isEmpty, &bytes)
        isEmpty = false
      }
    }
    if isEmpty, !set.isUnknown { return false }
    if isJSON { bytes.append(contentsOf: "]}\n".utf8) }
    try sink.write(bytes)
    return true
  }

  private func begin(_ set: HistorySet, _ bytes: inout [UInt8]) {
    let date = ExactText.text(.date(set.date))
    guard isJSON else {
      let author = set.author.map { " " + $0.escapedForDisplay } ?? ""
      bytes.append(contentsOf: "\(set.position) \(date)\(author)\(set.isUnknown ? " (unknown)" : "")\n".utf8)
      return
    }
    bytes.append(contentsOf: "{\"position\":\"\(set.position)\",\"date\":\"\(date)\",\"author\":".utf8)
    ExactText.append(set.author.map { .string($0) } ?? .null, to: &bytes)
    bytes.append(contentsOf: "\(set.isUnknown ? ",\"unknown\":true" : ""),\"changes\":[".utf8)
  }

  private func unknown(_ model: String, isFirst: Bool, _ bytes: inout [UInt8]) {
    guard isJSON else { return bytes.append(contentsOf: "  ? \(model.escapedForDisplay)\n".utf8) }
    bytes.append(contentsOf: "\(isFirst ? "" : ","){\"model\":".utf8)
    ExactText.append(model, to: &bytes)
    bytes.append(contentsOf: ",\"change\":\"unknown\"}".utf8)
  }

  private func append(_ model: String, _ change: HistoryRecord, isFirst: Bool, _ bytes: inout [UInt8]) {
    guard isJSON else { return text(model, change, &bytes) }
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: "{\"model\":".utf8)
    ExactText.append(model, to: &bytes)
    bytes.append(contentsOf: ",\"key\":".utf8)
    ExactText.append(change.key, to: &bytes)
    let kind = ["inserted", "updated", "deleted"][Int(change.kind.rawValue)]
    bytes.append(contentsOf: ",\"change\":\"\(kind)\"".utf8)
    for (name, record) in [("old", change.old), ("new", change.new)] {
      guard let record else { continue }
      bytes.append(contentsOf: ",\"\(name)\":{".utf8)
      for (place, field) in record.fields.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        ExactText.append(field.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        ExactText.append(field.value, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
    if change.kind == .update {
      bytes.append(contentsOf: ",\"properties\":".utf8)
      ExactText.append(.array(change.properties.map { .string($0) }), to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// A mark, the model, the key, and the properties: of an object that was changed those that differ with both values.
  private func text(_ model: String, _ change: HistoryRecord, _ bytes: inout [UInt8]) {
    let mark = ["+", "~", "-"][Int(change.kind.rawValue)]
    let key = KeyText.text(change.key) ?? "?"
    bytes.append(contentsOf: "  \(mark) \(model.escapedForDisplay) \(key.escapedForDisplay):".utf8)
    let fields = (change.new ?? change.old)?.fields ?? []
    var isFirst = true
    for field in fields where change.kind != .update || change.properties.contains(field.name) {
      bytes.append(contentsOf: "\(isFirst ? "" : ",") \(field.name.escapedForDisplay): ".utf8)
      isFirst = false
      if change.kind == .update, let old = change.old?[field.name] {
        ExactText.append(old, to: &bytes)
        bytes.append(contentsOf: " -> ".utf8)
      }
      ExactText.append(field.value, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
