/// Names and values as URLs and forms carry them.
struct FormText: Sendable, Equatable {
  /// The most fields of a form. A model has at most a thousand properties, with four fields for each.
  static let mostFields = 5_000

  let fields: [(name: String, value: String)]
  /// The first value of each name: a form of a thousand properties is asked thousands of times.
  private let values: [String: String]

  init(_ fields: [(name: String, value: String)] = []) {
    self.fields = fields
    values = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Reads `a=1&b=2`. Bytes that are no UTF-8 become U+FFFD; fields past the limit are left out.
  init(parsing text: some Sequence<UInt8>) {
    self.init(
      Array(text).split(separator: UInt8(ascii: "&")).prefix(Self.mostFields).map { field in
        let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
        return (Self.decoded(field[..<equals]), Self.decoded(field[equals...].dropFirst()))
      })
  }

  /// The first value of a name.
  subscript(name: String) -> String? { values[name] }

  /// The fields as `a=1&b=2`.
  var text: String {
    fields.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
  }

  static func == (left: FormText, right: FormText) -> Bool {
    left.fields.elementsEqual(right.fields) { $0 == $1 }
  }

  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = digit(rest[rest.startIndex]),
        let low = digit(rest[rest.startIndex + 1])
      {
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
