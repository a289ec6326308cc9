import Foundation
import QuarryBackend

@testable import QuarrySync

/// A line of a trace.
struct JSON {
  let raw: Any

  init(_ line: some StringProtocol) throws {
    raw = try JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
  }

  init(raw: Any) {
    self.raw = raw
  }

  subscript(_ name: String) -> JSON? { (raw as? [String: Any])?[name].map(JSON.init(raw:)) }
  subscript(_ index: Int) -> JSON {
    let list = raw as? [Any] ?? []
    return JSON(raw: list.indices.contains(index) ? list[index] : NSNull())
  }
  var list: [JSON] { (raw as? [Any] ?? []).map(JSON.init(raw:)) }
  var members: [String: JSON] { (raw as? [String: Any] ?? [:]).mapValues(JSON.init(raw:)) }
  var text: String { raw as? String ?? "" }
  var int: Int { (raw as? NSNumber)?.intValue ?? 0 }
  var bool: Bool { (raw as? NSNumber)?.boolValue ?? false }
  var isNull: Bool { raw is NSNull }

  var value: Value {
    switch raw {
    case let text as String: .string(text)
    case let number as NSNumber: .int(number.int64Value)
    case let list as [Any]: .array(list.map { JSON(raw: $0).value })
    default: .null
    }
  }

  /// `Model/key`: keys are numbers, but those of links.
  var object: ObjectID {
    let parts = text.split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return ObjectID("?", .null) }
    return ObjectID(SyncName(String(parts[0])), Int64(parts[1]).map { .int($0) } ?? .string(String(parts[1])))
  }

  var row: SyncRow {
    SyncRow(uniqueKeysWithValues: members.map { (SyncName($0.key), $0.value.value) })
  }
}

extension ObjectID {
  var traceName: String {
    switch key {
    case .int(let number): "\(model.text)/\(number)"
    case .string(let text): "\(model.text)/\(text)"
    default: "?"
    }
  }
}
