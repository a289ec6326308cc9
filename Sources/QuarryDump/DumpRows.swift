import QuarryBackend
import QuarryData
import QuarryQuery

/// Creates rows from the lines of a dump.
final class DumpRows {
  let model: ModelSchema
  /// In the order of a line's values.
  let properties: [PropertySchema]
  private let slots: [RowLayout.Slot]
  private let writer: RowWriter
  /// Sets the compound keys of rows, which a dump does not have.
  private let keys: CompoundKeySetter?
  /// Whether each value of a line is of the type of its slot, so that a line can be read in place.
  private let isPlain: Bool

  /// - Parameter model: The model as it is stored.
  init(_ model: ModelSchema) {
    let layout = RowLayout(model)
    self.model = model
    properties = model.shownSlots.map { model.properties[$0] }
    slots = model.shownSlots.map { layout.slots[$0] }
    writer = RowWriter(layout)
    keys = CompoundKeySetter(model)
    isPlain = !model.hasCompoundKeys
  }

  /// The row of values, lent until the next one is created.
  ///
  /// - Throws: `corrupt` for a value of another type; `missingValue`, `invalidValue`.
  func row(_ values: [JSONValue]) throws(StorageError) -> UnsafeRawBufferPointer {
    writer.begin()
    for (place, json) in values.enumerated() {
      let property = properties[place]
      guard let value = DumpValue.value(json, of: property) else {
        throw StorageError(
          .corrupt, "the value of \(property.name.excerpt) is not of the type \(property.typeName)")
      }
      do throws(StorageError) {
        try writer.set(slots[place], value: value.converted(to: property.type, element: property.elementType))
      } catch {
        throw error.with(model: model.name, property: property.name)
      }
    }
    let row = try writer.finish()
    guard let keys else { return row }
    return try keys.row(row)
  }

  /// The row of a line, read in place. Nil for a line with unusual content, which only ``row(_:)`` reads: spaces, escapes, nested
  /// values, mistakes.
  func quickRow(_ text: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard isPlain, text.count >= 2, text[0] == UInt8(ascii: "["), text[text.count - 1] == UInt8(ascii: "]") else {
      return nil
    }
    writer.begin()
    var place = 1
    for index in 0..<slots.count {
      guard let end = try set(index, text, place) else { return nil }
      let isLast = index == slots.count - 1
      guard end < text.count, text[end] == (isLast ? UInt8(ascii: "]") : UInt8(ascii: ",")) else { return nil }
      place = end + 1
    }
    return place == text.count ? try writer.finish() : nil
  }

  /// Sets a value.
  ///
  /// - Returns: The place behind it; nil where it is unusual.
  private func set(_ index: Int, _ text: UnsafeRawBufferPointer, _ start: Int) throws(StorageError) -> Int? {
    let slot = slots[index]
    guard start < text.count else { return nil }
    switch text[start] {
    case UInt8(ascii: "\""):
      guard let end = stringEnd(text, start + 1) else { return nil }
      let bytes = UnsafeRawBufferPointer(rebasing: text[(start + 1)..<end])
      if slot.type == .string {
        writer.set(slot, bytes: bytes)
      } else {
        guard set(slot, .string(String(decoding: bytes, as: UTF8.self))) else { return nil }
      }
      return end + 1
    case UInt8(ascii: "n"):
      return isWord("null", text, start) && slot.isOptional ? start + 4 : nil
    case UInt8(ascii: "t") where slot.type == .bool && isWord("true", text, start):
      writer.set(slot, 1 as UInt8)
      return start + 4
    case UInt8(ascii: "f") where slot.type == .bool && isWord("false", text, start):
      writer.set(slot, 0 as UInt8)
      return start + 5
    case UInt8(ascii: "-"), 0x30...0x39:
      var end = start + 1
      while end < text.count, text[end] != UInt8(ascii: ","), text[end] != UInt8(ascii: "]") { end += 1 }
      let bytes = UnsafeRawBufferPointer(rebasing: text[start..<end])
      if let number = PlainNumber(bytes) {
        if slot.type == .int64, let value = number.int64 {
          writer.set(slot, value.littleEndian)
          return end
        }
        if slot.type == .double, let value = number.double {
          writer.set(slot, value.bitPattern.littleEndian)
          return end
        }
      }
      guard let number = JSONParser.number(bytes[...]), set(slot, number) else { return nil }
      return end
    default: return nil
    }
  }

  /// Sets a value that is read as any line has it.
  private func set(_ slot: RowLayout.Slot, _ json: JSONValue) -> Bool {
    guard slot.type != .nested, slot.type != .array, let value = DumpValue.value(json, slot.type, nil) else {
      return false
    }
    return (try? writer.set(slot, value: value)) != nil
  }

  /// The place of the closing quote of a string that has no escape in it and is UTF-8.
  @inline(__always)
  private func stringEnd(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
    var end = start
    var bits: UInt8 = 0
    while end < text.count {
      let byte = text[end]
      if byte == UInt8(ascii: "\"") {
        return bits < 0x80 || UnsafeRawBufferPointer(rebasing: text[start..<end]).isUTF8 ? end : nil
      }
      if byte == UInt8(ascii: "\\") || byte < 0x20 { return nil }
      bits |= byte
      end &+= 1
    }
    return nil
  }

  private func isWord(_ word: StaticString, _ text: UnsafeRawBufferPointer, _ start: Int) -> Bool {
    let count = word.utf8CodeUnitCount
    guard start + count <= text.count else { return false }
    for place in 0..<count where text[start + place] != word.utf8Start[place] { return false }
    return true
  }
}
