import Foundation
import QuarryBackend

/// Values that do not come back as they were stored: each row is changed before the sound backend stores it.
enum ValueFault: String, FaultGroup {
  static let group = "value"

  case nanPayloadLost, negativeZeroLost, doublesAsText, dateRoundedToMilliseconds, decimalAsDouble, emptyDataIsNil
  case emptyStringIsNil, emptyArrayIsNil, textEndsAtNul, textNormalised, textTrimmed, unsignedCut, integersAsDouble
  case longTextCut, uuidLowByteLost, urlNormalised, arrayOrdered, nilInArrayLost, dateAsInteger, floatOverflows
  case nestedEmptied

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .nanPayloadLost: ("Every NaN comes back as the same NaN.", ["VAL-1"])
    case .negativeZeroLost: ("-0.0 comes back as 0.0.", ["VAL-1"])
    case .doublesAsText: ("Doubles come back with fifteen digits.", ["VAL-1"])
    case .dateRoundedToMilliseconds: ("Dates come back in whole milliseconds.", ["VAL-1"])
    case .decimalAsDouble: ("Decimals come back as the nearest Double.", ["VAL-1"])
    case .emptyDataIsNil: ("Empty data comes back as nil.", ["VAL-3"])
    case .emptyStringIsNil: ("An empty string comes back as nil.", ["VAL-3"])
    case .emptyArrayIsNil: ("An empty array comes back as nil.", ["VAL-3"])
    case .textEndsAtNul: ("Text ends at its first NUL.", ["VAL-1", "TEXT-2"])
    case .textNormalised: ("Text comes back composed.", ["VAL-1", "TEXT-1"])
    case .textTrimmed: ("Text comes back without white space at its end.", ["VAL-1"])
    case .unsignedCut: ("Unsigned integers above Int64.max come back as Int64.max.", ["VAL-1"])
    case .integersAsDouble: ("Integers come back as the nearest Double.", ["VAL-1"])
    case .longTextCut: ("Text is cut after 255 bytes.", ["VAL-1"])
    case .uuidLowByteLost: ("The version of a UUID is set to four.", ["VAL-1"])
    case .urlNormalised: ("URLs come back in lower case.", ["VAL-1"])
    case .arrayOrdered: ("Arrays come back sorted.", ["VAL-1"])
    case .nilInArrayLost: ("The first element of an array is lost when there are three.", ["VAL-1"])
    case .dateAsInteger: ("Dates come back in whole seconds.", ["VAL-1"])
    case .nestedEmptied: ("Nested values come back without members.", ["VAL-1", "NEST-2"])
    case .floatOverflows: ("Infinity comes back as the greatest finite number.", ["VAL-1"])
    }
  }

  /// What is stored in the place of the value.
  func changed(_ value: Value, _ property: PropertySchema) -> Value {
    switch (self, value) {
    case (.nanPayloadLost, .double(let double)): .double(double.isNaN ? .nan : double)
    case (.nanPayloadLost, .float(let float)): .float(float.isNaN ? .nan : float)
    case (.negativeZeroLost, .double(let double)): .double(double == 0 ? 0 : double)
    case (.doublesAsText, .double(let double)) where double.isFinite:
      .double(Double(String(format: "%.15g", double)) ?? double)
    case (.dateRoundedToMilliseconds, .date(let date)):
      .date(Date(timeIntervalSinceReferenceDate: (date.timeIntervalSinceReferenceDate * 1000).rounded() / 1000))
    case (.dateAsInteger, .date(let date)):
      .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded()))
    case (.decimalAsDouble, .decimal(let decimal)): .decimal(Decimal(NSDecimalNumber(decimal: decimal).doubleValue))
    case (.emptyDataIsNil, .data(let data)) where data.isEmpty && property.isOptional: .null
    case (.emptyStringIsNil, .string(let text)) where text.isEmpty && property.isOptional: .null
    case (.emptyArrayIsNil, .array(let values)) where values.isEmpty && property.isOptional: .null
    case (.textEndsAtNul, .string(let text)):
      .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix { $0 != "\0" })))
    case (.textNormalised, .string(let text)): .string(text.precomposedStringWithCanonicalMapping)
    case (.textTrimmed, .string(let text)):
      .string(String(text.reversed().drop { $0.isWhitespace }.reversed()))
    case (.unsignedCut, .uint): .int(.max)
    case (.integersAsDouble, .int(let integer)): .int(Int64(exactly: Double(integer)) ?? integer)
    case (.longTextCut, .string(let text)) where text.utf8.count > 255: .string(String(text.prefix(255)))
    case (.uuidLowByteLost, .uuid(let uuid)):
      .uuid(
        {
          var bytes = uuid.uuid
          bytes.6 = bytes.6 & 0x0F | 0x40
          return UUID(uuid: bytes)
        }())
    case (.urlNormalised, .url(let url)): .url(URL(string: url.absoluteString.lowercased()) ?? url)
    case (.arrayOrdered, .array(let values)): .array(values.sorted { ValueOrder.compare($0, $1) < 0 })
    case (.nilInArrayLost, .array(let values)) where values.count == 3: .array(Array(values.dropFirst()))
    case (.nestedEmptied, .object): .object([])
    case (.floatOverflows, .double(let double)) where double.isInfinite:
      .double(double > 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude)
    default: value
    }
  }

  var target: PlantedFault.Target {
    .backend { TwistedHarness("value.\(rawValue)") { RecodingTwist(self) } }
  }
}
