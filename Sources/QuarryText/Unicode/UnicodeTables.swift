/// The tables of scalars in blocks, so that a look-up is two loads.
///
/// Blocks with equal contents are stored once. The tables are built from ``UnicodeData`` at the first use.
struct UnicodeTables: Sendable {
  static let shared = UnicodeTables()

  static let blockBits: UInt32 = 7

  /// The bits of ``ScalarClass``.
  let classes: BlockTable
  /// The scalar that a scalar folds to; with the highest bit the place of several in ``sequences``.
  let foldings: BlockTable
  /// What scalars fold to that fold to several.
  let sequences: [[UInt32]]

  private init() {
    let count = 0x11_0000
    var values = [UInt32](repeating: 0, count: count)
    let bits = Self.words(UnicodeData.classes).map { Self.hexadecimal($0) }
    for word in Self.words(UnicodeData.ranges) {
      let sides = word.split(separator: UInt8(ascii: "="))
      let range = sides[0].split(separator: UInt8(ascii: "+")).map { Int(Self.hexadecimal($0)) }
      let rest = range.count > 1 ? range[1] : 0
      let value = bits[Int(Self.hexadecimal(sides[1]))]
      for scalar in range[0]...range[0] + rest { values[scalar] = value }
    }
    classes = BlockTable(values)

    values = [UInt32](repeating: 0, count: count)
    var sequences: [[UInt32]] = []
    for word in Self.words(UnicodeData.foldings) {
      let sides = word.split(separator: UInt8(ascii: ">"))
      let targets = sides[1].split(separator: UInt8(ascii: ".")).map { $0.split(separator: UInt8(ascii: "*")) }
      let source = sides[0].split(separator: UInt8(ascii: "+"))
      let first = Int(Self.hexadecimal(source[0]))
      if targets.count > 1 {
        values[first] = 1 << 31 | UInt32(sequences.count)
        sequences.append(targets.map { Self.hexadecimal($0[0]) })
      } else if source.count == 1 {
        values[first] = Self.hexadecimal(targets[0][0])
      } else {
        let steps = source[1].split(separator: UInt8(ascii: "*")).map { Int(Self.hexadecimal($0)) }
        let target = targets[0].map { Self.hexadecimal($0) }
        for place in 0..<steps[0] { values[first + place * steps[1]] = target[0] + UInt32(place) * target[1] }
      }
    }
    foldings = BlockTable(values)
    self.sequences = sequences
  }

  private static func words(_ text: StaticString) -> [ArraySlice<UInt8>] {
    text.withUTF8Buffer { Array($0) }.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32 {
    digits.reduce(0) {
      $0 << 4 | UInt32($1 <= UInt8(ascii: "9") ? $1 - UInt8(ascii: "0") : $1 - UInt8(ascii: "A") + 10)
    }
  }
}

/// A number for each scalar.
struct BlockTable: Sendable {
  let blocks: [UInt16]
  let values: [UInt32]

  init(_ all: [UInt32]) {
    let size = 1 << Int(UnicodeTables.blockBits)
    var places: [ArraySlice<UInt32>: UInt16] = [:]
    var blocks: [UInt16] = []
    var values: [UInt32] = []
    for start in stride(from: 0, to: all.count, by: size) {
      let block = all[start..<start + size]
      if let place = places[block] {
        blocks.append(place)
      } else {
        let place = UInt16(values.count / size)
        places[block] = place
        blocks.append(place)
        values += block
      }
    }
    self.blocks = blocks
    self.values = values
  }

  @inline(__always)
  subscript(_ scalar: UInt32) -> UInt32 {
    let block = Int(blocks[Int(scalar >> UnicodeTables.blockBits)])
    return values[block << Int(UnicodeTables.blockBits) | Int(scalar & (1 << UnicodeTables.blockBits - 1))]
  }
}
