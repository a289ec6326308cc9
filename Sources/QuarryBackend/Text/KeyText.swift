import Foundation

/// The text of a primary key, as ``StorageError/key`` has it on every engine: contract, ERR-4.
///
/// Two keys of one type that are not the same key have different texts. `quarry get` and the quoted literals of the
/// string front read it.
public enum KeyText {
  /// The text of a key's value; nil for nil and for what is no key.
  ///
  /// A compound key is the array of its members. It never formats with Foundation's calendars, which end the process for dates
  /// that they do not know.
  ///
  /// - Parameter value: The value of a primary key; an array of the members for a compound one.
  public static func text(_ value: Value) -> String? {
    switch value {
    // Zeros are one key, and so are all NaNs.
    case .float(let value): SpecialNumber.text(Double(value)) ?? FloatOrder.oneForm(of: value).description
    case .double(let value): SpecialNumber.text(value) ?? FloatOrder.oneForm(of: value).description
    case .date(let value):
      value.timeIntervalSinceReferenceDate.isNaN ? "@nan" : ISO8601Text.exactText(value)
    case .decimal(let value): (try? DecimalParts(value)).map { String(decoding: $0.text, as: UTF8.self) } ?? "NaN"
    case .array(let values): text(values)
    default: value.plainText
    }
  }

  /// The text of a key's value, where the key may be compound: then it is a JSON array of its members.
  ///
  /// - Parameter members: The members of a compound key; nil for a key of one property.
  public static func text(_ value: Value, _ members: [KeyMember]?) -> String? {
    text(CompoundKeyBytes.shown(value, members))
  }

  private static func text(_ values: [Value]) -> String {
    var bytes: [UInt8] = []
    append(values, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(_ values: [Value], to bytes: inout [UInt8]) {
    JSONSyntax.append(array: values, to: &bytes) { value, bytes in
      switch value {
      case .array(let values): append(values, to: &bytes)
      case .bool, .int, .uint, .decimal: bytes.append(contentsOf: (text(value) ?? "").utf8)
      case .float(let number) where number.isFinite: bytes.append(contentsOf: (text(value) ?? "").utf8)
      case .double(let number) where number.isFinite: bytes.append(contentsOf: (text(value) ?? "").utf8)
      default: JSONSyntax.append(string: text(value) ?? "", to: &bytes, .readable)
      }
    }
  }

  /// The text of a key in the key format; nil when the bytes are no key of the model.
  ///
  /// - Parameters:
  ///   - key: A primary key in the key format.
  ///   - model: The model of the object.
  public static func text(of key: UnsafeRawBufferPointer, _ model: ModelSchema) -> String? {
    guard let value = try? Key.value(of: key, type: model.keyProperty.type) else { return nil }
    return text(value, model.keyProperty.keyMembers)
  }

  /// The text of a row's key; nil when it cannot be read.
  ///
  /// - Parameters:
  ///   - row: A row of the layout.
  ///   - layout: The layout of the model.
  public static func text(of row: RowView, _ layout: RowLayout) -> String? {
    guard let value = try? row.value(layout.keySlot, layout) else { return nil }
    return text(value, layout.keyMembers)
  }
}
