package import Foundation
package import QuarryBackend
package import QuarryCore

/// Values and names that are found wherever they are in the clear, in whatever form engines write them.
package enum Canary {
  /// What every text of a canary begins with.
  package static let word = "ZephyrCanary"
  static let number: Int64 = 0x5A43_616E_6172_7931
  static let double = 1.2345678901234567e123
  static let uuid = UUID(uuid: (0x5A, 0x43, 0x41, 0x4E, 0x41, 0x52, 0x59, 1, 2, 3, 4, 5, 6, 7, 8, 9))

  /// A model whose names are canaries, with an index for each kind of entry.
  package static let model = ModelSchema(
    name: "\(word)Model",
    properties: [
      PropertySchema(name: "\(word)Key", type: .string),
      PropertySchema(name: "\(word)Text", type: .string, isOptional: true),
      PropertySchema(name: "\(word)Number", type: .int64, isOptional: true),
      PropertySchema(name: "\(word)Double", type: .double, isOptional: true),
      PropertySchema(name: "\(word)UUID", type: .uuid, isOptional: true),
      PropertySchema(name: "\(word)Data", type: .data, isOptional: true),
      PropertySchema(name: "\(word)Decimal", type: .decimal, isOptional: true),
    ],
    primaryKey: 0,
    indexes: [
      IndexSchema(name: "\(word)TextIndex", columns: [.init(slot: 1)]),
      IndexSchema(name: "\(word)Descending", columns: [.init(slot: 1, isDescending: true)]),
      IndexSchema(name: "\(word)NumberIndex", columns: [.init(slot: 2), .init(slot: 3, isDescending: true)]),
      IndexSchema(name: "\(word)UUIDIndex", columns: [.init(slot: 4)]),
    ])

  /// - Parameter bytes: How long its text is, about.
  package static func record(_ id: Int, bytes: Int = 40) -> Record {
    let text = String(repeating: "\(word) text \(id) ", count: max(1, bytes / 22))
    return Record([
      "\(word)Key": .string("\(word) key \(id)"), "\(word)Text": .string(text), "\(word)Number": .int(number),
      "\(word)Double": .double(double), "\(word)UUID": .uuid(uuid), "\(word)Data": .data(Data(text.utf8)),
    ])
  }

  /// The bytes by which a canary is known: as they are, the other way round, and as descending keys have them.
  private static let needles: [(name: String, bytes: Data)] = {
    var needles: [(String, Data)] = []
    func add(_ name: String, _ bytes: [UInt8]) {
      needles.append((name, Data(bytes)))
      needles.append(("\(name), each bit turned", Data(bytes.map { ~$0 })))
    }
    add("text", Array(word.utf8))
    add("text in small letters", Array(word.lowercased().utf8))
    add("text in UTF-16", Array(word.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }))
    func add(_ name: String, _ bits: UInt64) {
      let bytes = withUnsafeBytes(of: bits.bigEndian) { Array($0) }
      add("\(name), big-endian", bytes)
      add("\(name), little-endian", bytes.reversed())
      // Keys have the sign turned.
      add("\(name) as a key", [bytes[0] ^ 0x80] + bytes.dropFirst())
    }
    add("number", UInt64(bitPattern: number))
    add("double", double.bitPattern)
    add("uuid", withUnsafeBytes(of: uuid.uuid) { Array($0) })
    return needles
  }()

  /// What is in the clear in some files: a line for each canary and file.
  package static func found(in files: [String: Data]) -> [String] {
    var found: [String] = []
    for (path, data) in files.sorted(by: { $0.key < $1.key }) {
      if path.contains(word) { found.append("the name of \(path)") }
      for needle in needles {
        if let range = data.range(of: needle.bytes) {
          found.append("\(needle.name) at \(range.lowerBound) of \((path as NSString).lastPathComponent)")
        }
      }
    }
    return found
  }
}
