import QuarryBackend

/// Text that an import takes for a value of another type.
package enum ScalarText {
  /// Whether the text would be read as a number or a Bool if it stood without quotes.
  package static func isScalar(_ text: String) -> Bool {
    switch text.utf8.first {
    case .some(0x30...0x39), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "N"), UInt8(ascii: "I"):
      NumberForm(text.utf8, allowsBarePoint: true) != nil || SpecialNumber.number(text.utf8) != nil
    case UInt8(ascii: "t"), UInt8(ascii: "f"):
      text.utf8.elementsEqual("true".utf8) || text.utf8.elementsEqual("false".utf8)
    default: false
    }
  }
}
