import Foundation
import QuarryBackend

/// Primary keys as people read them, for errors.
enum KeyText {
  /// The text of a key in the key format; nil when the bytes are no key.
  static func of(_ key: UnsafeRawBufferPointer, _ table: Table) -> String? {
    guard let value = try? Key.value(of: key, type: table.layout.keySlot.type) else { return nil }
    return of(value)
  }

  static func of(_ value: Value) -> String? {
    switch value {
    case .null, .array, .object: nil
    case .bool(let value): String(value)
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .float(let value): value.description
    case .double(let value): value.description
    case .string(let value): value
    case .date(let value): value.formatted(.iso8601)
    case .data(let value): value.base64EncodedString()
    case .uuid(let value): value.uuidString
    case .decimal(let value): value.description
    case .url(let value): value.absoluteString
    }
  }
}
