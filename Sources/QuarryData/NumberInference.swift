import QuarryBackend

/// Finds the type that holds every number of a column without loss.
struct NumberInference {
  private var hasNegative = false
  private var hasFraction = false
  private var allInt64 = true
  private var allUInt64 = true
  private var allDouble = true
  private var allDecimal = true
  /// NaN or an infinity, which only a Double holds.
  var hasSpecial = false

  // The ways in which cells write numbers. A number that two of them write differently would come back as one text.
  private var hasWhole = false
  private var hasPointZero = false
  private var hasPower = false
  private var hasTiny = false

  /// A number of JSON.
  mutating func add(_ form: NumberForm, _ text: some Collection<UInt8>) {
    note(form)
    if allDouble, !form.fitsDouble(text) { allDouble = false }
    if allDecimal, !form.fitsDecimal { allDecimal = false }
  }

  private mutating func note(_ form: NumberForm) {
    if !form.isInteger { hasFraction = true }
    if form.isNegative { hasNegative = true }
    if allInt64, form.isInteger, form.int64 == nil { allInt64 = false }
    if allUInt64, form.isInteger, form.magnitude == nil { allUInt64 = false }
  }

  // MARK: Cells

  /// A number in a cell, whose text has to come back.
  ///
  /// - Returns: Whether it does. The cell must be written as its number is, without zeros at the end of a fraction and without a
  ///   power that is not needed. No earlier cell may write the same number in another way.
  @inline(__always)
  mutating func add(_ plain: PlainNumber, _ text: UnsafeRawBufferPointer) -> Bool {
    // As many digits as every Double and every Decimal gives back.
    guard plain.count <= 15, !plain.isNegative || plain.digits > 0 else { return add(text) ?? false }
    if plain.isNegative { hasNegative = true }
    if plain.fraction == 0 {
      hasWhole = true
      return !hasPointZero
    }
    hasFraction = true
    if text[text.count &- 1] != 0x30 {
      if plain.fraction > 4 { noteTiny(plain.digits, plain.fraction) }
      return !(hasTiny && hasPower)
    }
    guard plain.fraction == 1 else { return false }
    hasPointZero = true
    return !hasWhole
  }

  /// A Double that is below 1/10,000 is written with a power of ten.
  private mutating func noteTiny(_ digits: UInt64, _ fraction: Int) {
    var power: UInt64 = 1
    for _ in 4..<fraction { power &*= 10 }
    if digits > 0, digits < power { hasTiny = true }
  }

  /// A number in a cell, in any notation.
  ///
  /// - Returns: nil for text that is no number.
  mutating func add(_ text: UnsafeRawBufferPointer) -> Bool? {
    guard let form = NumberForm(text, allowsBarePoint: true) else { return nil }
    note(form)
    let exact = Double(String(decoding: text, as: UTF8.self))?.description
    if text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      hasPower = true
      allDecimal = false
      guard let exact, exact.utf8.elementsEqual(text) else { return false }
      return !hasTiny
    }
    guard text.first != UInt8(ascii: "."), !text.starts(with: "-.".utf8) else { return false }
    if let point = text.firstIndex(of: UInt8(ascii: ".")) {
      if text.last == 0x30 {
        guard text.count - point == 2 else { return false }
        hasPointZero = true
      } else if exact?.utf8.contains(UInt8(ascii: "e")) == true {
        hasTiny = true
      }
    } else {
      hasWhole = true
    }
    if allDouble, form.significantDigits > 15 || form.exponent > 0 {
      allDouble =
        exact.map { $0.utf8.elementsEqual(text) || $0.utf8.elementsEqual(Array(text) + Array(".0".utf8)) } ?? false
    }
    // A Decimal has no zero with a sign.
    if allDecimal, !form.fitsDecimal || form.isNegative && form.significantDigits == 0 { allDecimal = false }
    return !(hasWhole && hasPointZero) && !(hasTiny && hasPower)
  }

  /// The type, nil where no type holds all values.
  ///
  /// Integers are Int64, or UInt64 where none is negative, or Decimal. With a fraction or an exponent among them they are Double
  /// if a Double reproduces each of them exactly as it was written, else Decimal.
  var type: PropertyType? {
    if !hasFraction && !hasSpecial {
      if allInt64 { return .int64 }
      if allUInt64 && !hasNegative { return .uint64 }
    } else if allDouble {
      return .double
    }
    return allDecimal && !hasSpecial ? .decimal : nil
  }
}
