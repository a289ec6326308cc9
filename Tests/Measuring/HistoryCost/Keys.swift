import Foundation
import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarryEngines

/// As ``Entry``, with a key of two members.
struct Pair: Model {
  var first: Int
  var second: Int
  var title: String

  static let modelDefinition = ModelDefinition<Pair>(
    name: "Pair",
    properties: [
      PropertyDefinition("first", \Pair.first, Int.self), PropertyDefinition("second", \Pair.second, Int.self),
      PropertyDefinition("title", \Pair.title, String.self),
      PropertyDefinition("_key", \Pair.primaryKeyValue, Key.self),
    ], primaryKey: "_key", keyMembers: ["first", "second"])

  struct Columns: ModelColumns {
    let first = Column<Int>("first", 0)
    let second = Column<Int>("second", 1)
    var title = Column<String>("title", 2)
  }

  struct Key: CompoundKey {
    var first: Int
    var second: Int

    static var memberTypes: [any Storable.Type] { [Int.self, Int.self] }

    init(_ first: Int, _ second: Int) { (self.first, self.second) = (first, second) }

    init(reading key: inout KeyMemberReader) throws(StorageError) { (first, second) = (try key.next(), try key.next()) }

    func write(to key: KeyMemberWriter) throws(StorageError) {
      try key.append(first)
      try key.append(second)
    }
  }

  var primaryKeyValue: Key { Key(first, second) }

  init(_ id: Int) { (first, second, title) = (id / 100, id % 100, "the title of entry \(id)") }

  init(reading row: ModelReader) throws(StorageError) {
    (first, second, title) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, first)
    try row.set(1, second)
    try row.set(2, title)
    try row.set(3, primaryKeyValue)
  }
}

/// As ``Entry``, with one property as the key, whose bytes are those of a ``Pair``'s key.
struct Wide: Model {
  var id: UUID
  var title: String
  var number: Int

  static let modelDefinition = ModelDefinition<Wide>(
    name: "Wide",
    properties: [
      PropertyDefinition("id", \Wide.id, UUID.self), PropertyDefinition("title", \Wide.title, String.self),
      PropertyDefinition("number", \Wide.number, Int.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<UUID>("id", 0)
    var title = Column<String>("title", 1)
    var number = Column<Int>("number", 2)
  }

  var primaryKeyValue: UUID { id }

  init(_ number: Int) { (id, self.number, title) = (Self.key(number), number, "the title of entry \(number)") }

  static func key(_ number: Int) -> UUID {
    var bytes = UUID.missing.uuid
    withUnsafeMutableBytes(of: &bytes) { bytes in
      bytes.storeBytes(of: (number / 100).bigEndian, as: Int.self)
      bytes.storeBytes(of: (number % 100).bigEndian, toByteOffset: 8, as: Int.self)
      bytes[0] ^= 0x80
      bytes[8] ^= 0x80
    }
    return UUID(uuid: bytes)
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, number) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, number)
  }
}

/// Generates keys, and reads objects by compound keys, by keys of one property, and by such keys of as many bytes.
func measureKeys(in folder: String) throws {
  let generated = 5_000_000
  var last = UUID.generated()
  let time = best(of: 3) { _ in for _ in 0..<generated { last = .generated() } }
  print("UUID.generated() \(String(format: "%.1f", Double(generated) / time)) million a second; the last is \(last)")
  let (count, reads) = (100_000, 20_000)
  print("engine  objects  single us  compound us  single of 16 bytes us  ratio  ratio of 16 bytes")
  for engine in measuredEngines {
    var options = OpenOptions()
    if engine.path == .path { options.durability = .processCrash }
    let place = try engine.provider(at: engine.path(in: folder, UUID().uuidString))
    let store = try Store(models: [Entry.self, Pair.self, Wide.self], in: place, options: options)
    try store.insert(contentsOf: (0..<count).map { Entry($0, $0) })
    try store.insert(contentsOf: (0..<count).map { Pair($0) })
    try store.insert(contentsOf: (0..<count).map { Wide($0) })
    func key(_ number: Int) -> Int { number * 7_919 % count }
    var times = [Double](repeating: .infinity, count: 3)
    // By turns, because other programs run, too.
    for _ in 0..<15 {
      times[0] = min(
        times[0],
        try best(of: 1) { _ in
          try store.read { tx in for number in 0..<reads { _ = try tx.get(Entry.self, key(number)) } }
        })
      times[1] = min(
        times[1],
        try best(of: 1) { _ in
          try store.read { tx in
            for number in 0..<reads { _ = try tx.get(Pair.self, .init(key(number) / 100, key(number) % 100)) }
          }
        })
      times[2] = min(
        times[2],
        try best(of: 1) { _ in
          try store.read { tx in for number in 0..<reads { _ = try tx.get(Wide.self, Wide.key(key(number))) } }
        })
    }
    let ratios = times.dropFirst().map { String(format: "%.2f", times[0] / $0) }
    let figures = times.map { String(format: "%.3f", $0 / Double(reads)) } + ratios
    print(([engine.name, "\(count)"] + figures).joined(separator: "  "))
    try store.close()
  }
}
