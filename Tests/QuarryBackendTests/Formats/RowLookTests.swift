import Testing

@testable import QuarryBackend

/// Looks at many bytes at once see what looks at each of them see.
@Suite struct RowLookTests {
  @Test func aTextIsASCIIWhereNoByteIsHigh() {
    for count in 0...80 {
      var bytes = [UInt8](repeating: 0x7F, count: count)
      #expect(bytes.withUnsafeBytes { $0.isASCII })
      for place in 0..<count {
        bytes[place] = 0x80
        #expect(bytes.withUnsafeBytes { !$0.isASCII }, "\(count) bytes, of which \(place) is high")
        bytes[place] = 0x7F
      }
    }
  }

  /// - Parameter count: The number of slots; every third may be nil, and one of seven is eight bytes wide.
  private func layout(_ count: Int) -> RowLayout {
    RowLayout(
      ModelSchema(
        name: "M",
        properties: (0..<count).map {
          PropertySchema(name: "p\($0)", type: $0 % 7 == 6 ? .int64 : .bool, isOptional: $0 % 3 == 2)
        }, primaryKey: 0))
  }

  @Test(arguments: [1, 2, 3, 7, 8, 9, 16, 17, 63, 64, 65, 80])
  func aRowIsWholeWhereNothingIsNullThatMustNotBe(_ count: Int) throws {
    let layout = layout(count)
    let writer = RowWriter(layout)
    for missing in -1..<count {
      writer.begin()
      for slot in layout.slots where Int(slot.index) != missing {
        try writer.set(slot, value: slot.type == .bool ? .bool(true) : .int(-1))
      }
      let view = try RowView(writer.finish(), layout)
      let isSound = missing < 0 || layout.slots[missing].isOptional
      if view.isWhole(layout.current) {
        #expect(isSound, "\(count) slots without \(missing)")
      } else {
        // Rows that are too short or have too many slots for one look are looked at slot by slot.
        #expect(!isSound || count > 64 || view.byteCount < 8, "\(count) slots without \(missing)")
      }
    }
  }

  @Test func aRowOfAnotherAgeIsNotSaidToBeWhole() throws {
    let old = layout(8)
    let writer = RowWriter(old)
    writer.begin()
    for slot in old.slots { try writer.set(slot, value: slot.type == .bool ? .bool(true) : .int(1)) }
    let new = layout(9)
    let view = try RowView(writer.finish(), new)
    #expect(!view.isWhole(new.current))
  }
}
