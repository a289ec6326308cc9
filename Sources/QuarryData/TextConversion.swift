import Foundation
package import QuarryBackend

/// Text as people write it, in a cell or on the command line, to a value of a property's type.
package enum TextConversion {
  /// - Parameter isLoose: Whether numbers may have leading zeros and a plus sign, for a column that was declared to have numbers
  ///   in spite of them.
  /// - Returns: nil where the text is not of the type.
  package static func value(
    _ text: some BidirectionalCollection<UInt8>, as property: PropertySchema, isLoose: Bool = false
  ) -> Value? {
    switch property.type {
    case let type where isLoose && type.isNumeric: number(unpadded(text), as: type)
    case .string: .string(String(decoding: text, as: UTF8.self))
    case .bool: bool(text)
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal:
      number(text, as: property.type)
    case .date: ISO8601Text.exactDate(text).map(Value.date)
    case .uuid: UUIDText.bytes(text, allowsLowercase: true).map { .uuid(UUID(uuid: $0)) }
    case .data:
      if let members = property.keyMembers {
        (try? JSONParser.parse(Array(text), line: 1)).flatMap { JSONConversion.key($0, members) }
      } else {
        Data(base64Encoded: Data(text)).map(Value.data)
      }
    case .url: URL(string: String(decoding: text, as: UTF8.self)).map(Value.url)
    case .nested, .array:
      (try? JSONParser.parse(Array(text), line: 1)).flatMap { JSONConversion.value($0, as: property) }
    }
  }

  /// A number without a plus sign and without zeros that another digit follows.
  private static func unpadded(_ text: some BidirectionalCollection<UInt8>) -> [UInt8] {
    var rest = text[...]
    var result: [UInt8] = []
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      if sign == UInt8(ascii: "-") { result.append(sign) }
      rest = rest.dropFirst()
    }
    while rest.first == UInt8(ascii: "0"), rest.dropFirst().first?.isDigit == true { rest = rest.dropFirst() }
    return result + rest
  }

  static func number(_ text: some BidirectionalCollection<UInt8>, as type: PropertyType) -> Value? {
    guard let form = NumberForm(text, allowsBarePoint: true) else {
      guard let special = SpecialNumber.number(text) else { return nil }
      if type == .double { return .double(special) }
      return type == .float ? .float(Float(special)) : nil
    }
    switch type {
    case .float:
      guard let value = Float(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
      return .float(value)
    case .double:
      guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
      return .double(value)
    case .decimal:
      return form.fitsDecimal ? .decimal(decimal(text, form)) : nil
    default:
      guard let range = type.integerRange, let magnitude = form.magnitude else { return nil }
      let value = form.isNegative ? -Int128(magnitude) : Int128(magnitude)
      return range.contains(value) ? Value(integer: value) : nil
    }
  }

  /// The decimal of the digits before the power of ten, whose last one that is not zero has the power of the form: as many
  /// zeros and as large a power as the text may have, they are the number that the form says a Decimal holds.
  private static func decimal(_ text: some Collection<UInt8>, _ form: NumberForm) -> Decimal {
    var digits = DecimalDigits()
    for byte in text.prefix(while: { $0 | 0x20 != UInt8(ascii: "e") }) where byte.isDigit { digits.append(byte) }
    return DecimalParts(isNegative: form.isNegative, exponent: form.exponent, mantissa: digits.mantissa).decimal
  }

  private static func bool(_ text: some BidirectionalCollection<UInt8>) -> Value? {
    if text.elementsEqual("true".utf8) { return .bool(true) }
    return text.elementsEqual("false".utf8) ? .bool(false) : nil
  }
}
