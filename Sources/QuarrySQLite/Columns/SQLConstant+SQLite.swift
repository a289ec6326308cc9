import Foundation
import QuarryBackend
import QuarrySQL

extension SQLConstant {
  /// The column value of every NaN, so that there is one NaN in order, groups and unique indexes. A BLOB comes after every
  /// number.
  static let nan: [UInt8] = [0x7F, 0xF8, 0, 0, 0, 0, 0, 0]

  static func double(_ value: Double) -> SQLConstant {
    value.isNaN ? .blob(nan) : .real(value)
  }

  static func text(_ string: String) -> SQLConstant {
    .text(Array(string.utf8))
  }

  static func unsigned(_ value: UInt64) -> SQLConstant {
    if let signed = Int64(exactly: value) { return .integer(signed) }
    return .blob(withUnsafeBytes(of: value.bigEndian) { Array($0) })
  }

  /// A constant of a type, in the form in which columns of the type are compared and sorted.
  ///
  /// - Throws: `invalidQuery` for a value of another type.
  init(comparable value: Value, _ type: PropertyType) throws(StorageError) {
    switch (type, value) {
    case (_, .null): self = .null
    case (.bool, .bool(let value)): self = .integer(value ? 1 : 0)
    case (.float, .float(let value)): self = .double(Double(value))
    case (.double, .double(let value)): self = .double(value)
    case (.date, .date(let value)): self = .double(value.timeIntervalSinceReferenceDate)
    case (.string, .string(let value)): self = .text(value)
    case (.url, .url(let value)): self = .text(value.absoluteString)
    case (.data, .data(let value)): self = .blob(Array(value))
    case (.uuid, .uuid(let value)): self = .text(value.uuidString)
    case (.decimal, .decimal(let value)):
      let writer = KeyWriter()
      try writer.append(.decimal(value), type: .decimal, isOptional: false, isDescending: false, isLast: true)
      self = .blob(writer.key.bytes)
    case (_, .int(let value)) where type.isInteger: self = .integer(value)
    case (.uint64, .uint(let value)): self = .unsigned(value)
    default:
      throw StorageError(.invalidQuery, "\(value.kind) is not a constant for a property of type \(type.name)")
    }
  }
}
