public import QuarryBackend
public import Foundation
import QuarryData

/// A property's value as a form shows it, and as a person types it.
public enum FieldText {
  /// The longest text that a form edits.
  public static let maximumBytes = 64 << 10
  /// The most bytes of data that a form edits, as hexadecimal digits.
  public static let mostDataBytes = 4 << 10

  /// The text of a value for a form, empty for nil; nil where the text would not give the same value again, or is too long.
  ///
  /// - Parameters:
  ///   - value: A stored value of the property.
  ///   - property: The property.
  public static func text(_ value: Value, of property: PropertySchema) -> String? {
    let text: String
    switch value {
    case .null: return ""
    case .data(let data):
      guard data.count <= mostDataBytes else { return nil }
      text = hex(data)
    case .string(let string):
      guard string.utf8.count <= maximumBytes, string.unicodeScalars.allSatisfy(isTypable) else { return nil }
      // Browsers send every end of a line as CR LF: a text with both kinds would be changed.
      let hasCRLF = string.utf8.contains(0x0D)
      let lines = hasCRLF ? string.replacingOccurrences(of: "\r\n", with: "\n") : string
      guard !lines.utf8.contains(0x0D) else { return nil }
      guard !hasCRLF || lines.utf8.filter({ $0 == 0x0A }).count == string.utf8.filter({ $0 == 0x0D }).count else {
        return nil
      }
      return lines
    default: text = ExactText.text(value)
    }
    guard text.utf8.count <= maximumBytes, let same = try? self.value(text, of: property), same == value else {
      return nil
    }
    return text
  }

  /// The value that a person typed.
  ///
  /// - Parameter old: The value before, whose ends of lines a string keeps.
  /// - Throws: `invalidValue` for a text that is no value of the type.
  public static func value(_ text: String, of property: PropertySchema, old: Value = .null) throws -> Value {
    switch property.type {
    case .string:
      let lines = text.replacingOccurrences(of: "\r\n", with: "\n")
      if case .string(let old) = old, old.utf8.contains(0x0D) {
        return .string(lines.replacingOccurrences(of: "\n", with: "\r\n"))
      }
      return .string(lines)
    case .data where property.keyMembers == nil:
      guard let data = data(text) else {
        throw error("data is written as pairs of hexadecimal digits", property)
      }
      return .data(data)
    default:
      let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard let value = TextConversion.value(trimmed.utf8, as: property) else {
        throw error("\(trimmed.shortened) is not of type \(property.typeName)", property)
      }
      return CompoundKeyBytes.shown(value, property.keyMembers)
    }
  }

  /// A primary key from its text, as ``KeyText`` writes it.
  ///
  /// - Parameters:
  ///   - text: The text of the key.
  ///   - model: The model of the object.
  /// - Throws: `invalidValue` for a text that is no key of the model.
  public static func key(_ text: String, of model: ModelSchema) throws -> Value {
    guard let value = TextConversion.value(text.utf8, as: model.keyProperty), !value.isNull else {
      throw error("\(text.excerpt) is not of type \(model.keyProperty.typeName)", model.keyProperty)
        .with(model: model.name)
    }
    return CompoundKeyBytes.shown(value, model.keyProperty.keyMembers)
  }

  /// Data as pairs of hexadecimal digits, sixteen to a line in groups of four.
  public static func hex(_ data: Data) -> String {
    var text = ""
    for (place, byte) in data.enumerated() {
      if place > 0 { text += place % 16 == 0 ? "\n" : place % 4 == 0 ? " " : "" }
      let digits = String(byte, radix: 16)
      text += digits.utf8.count == 1 ? "0" + digits : digits
    }
    return text
  }

  private static func data(_ text: String) -> Data? {
    var digits: [UInt8] = []
    for character in text where !character.isWhitespace {
      guard character.isASCII, let digit = character.hexDigitValue else { return nil }
      digits.append(UInt8(digit))
    }
    guard digits.count % 2 == 0 else { return nil }
    return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  private static func isTypable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case 0..<0x20, 0x7F..<0xA0: false
    default: true
    }
  }

  private static func error(_ message: String, _ property: PropertySchema) -> StorageError {
    StorageError(.invalidValue, message, property: property.name)
  }
}
