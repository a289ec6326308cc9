import Foundation

/// The text of a primary key, as ``StorageError/key`` has it on every engine: contract, ERR-4.
///
/// Two keys of one type that are not the same key have different texts. `quarry get` and the quoted literals of the
/// string front read it.
public enum KeyText {
  /// The text of a key's value; nil for nil and for what is no key.
  ///
  /// It never formats with Foundation's calendars, which end the process for dates that they do not know.
  public static func text(_ value: Value) -> String? {
    switch value {
    // Zeros are one key, and so are all NaNs.
    case .float(let value): SpecialNumber.text(Double(value)) ?? FloatOrder.oneForm(of: value).description
    case .double(let value): SpecialNumber.text(value) ?? FloatOrder.oneForm(of: value).description
    case .date(let value):
      value.timeIntervalSinceReferenceDate.isNaN ? "@nan" : ISO8601Text.exactText(value)
    case .decimal(let value): (try? DecimalParts(value)).map { String(decoding: $0.text, as: UTF8.self) } ?? "NaN"
    default: value.plainText
    }
  }

  /// The text of a key in the key format; nil when the bytes are no key of the model.
  public static func text(of key: UnsafeRawBufferPointer, _ model: ModelSchema) -> String? {
    guard let value = try? Key.value(of: key, type: model.keyProperty.type) else { return nil }
    return text(value)
  }

  /// The text of a row's key; nil when it cannot be read.
  public static func text(of row: RowView, _ layout: RowLayout) -> String? {
    guard let value = try? row.value(layout.keySlot, layout) else { return nil }
    return text(value)
  }
}
