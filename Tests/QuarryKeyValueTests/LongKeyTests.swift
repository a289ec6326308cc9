import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryKeyValue

/// Trees with keys of any length over an engine that takes 24 bytes.
@Suite struct LongKeyTests {
  /// Hashes of which the last ones collide all the time.
  enum Hash: String, CaseIterable {
    case real, twoBits, constant

    var function: LongKeyFormat.Hash {
      switch self {
      case .real: { SipHash.hash($0) }
      case .twoBits: { SipHash.hash($0) & 3 }
      case .constant: { _ in 7 }
      }
    }
  }

  static let tree = Tree(5)

  static func withTrees(
    _ hash: Hash = .real, _ body: (TreeAccess<SortedArrayTransaction>) throws -> Void
  ) throws {
    let engine = SortedArrayEngine(maximumKeyBytes: 24)
    let transaction = try engine.beginWrite(timeout: 1)
    defer { transaction.end() }
    try body(TreeAccess(transaction, LongKeyFormat(limit: 24, hash: hash.function)))
  }

  @Test(arguments: Hash.allCases, [1, 2, 3] as [UInt64])
  func sameAsShortKeys(_ hash: Hash, _ seed: UInt64) throws {
    try Self.withTrees(hash) { trees throws in
      var numbers = SeededGenerator(seed: seed)
      var model = SortedEntries()
      for step in 0..<1500 {
        let key = Self.key(&numbers)
        let value = Self.bytes("value \(step)")
        let mistake = "step \(step)"
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0..<6:
          let isNew = model.put(key, value)
          #expect(try trees.put(Self.tree, key, value) == isNew, "\(mistake)")
        case 6..<10:
          let isNew = model.insert(key, value)
          #expect(try trees.insert(Self.tree, key, value) == isNew, "\(mistake)")
        case 10..<15:
          let known = step % 2 == 0 ? key : model.entries.randomElement(using: &numbers)?.key ?? key
          let wasThere = model.remove(known)
          #expect(try trees.delete(Self.tree, known) == wasThere, "\(mistake)")
        case 15:
          let range = Self.narrowRange(&numbers, model)
          let removed = model.remove(in: range)
          #expect(try trees.delete(Self.tree, in: range) == removed, "\(mistake), \(range)")
        case 16:
          let known = model.value(key)
          #expect(try trees.value(Self.tree, key) == known, "\(mistake)")
        default:
          let range = Self.range(&numbers, model)
          let expected = model.entries(in: range)
          #expect(try trees.count(Self.tree, range) == expected.count, "step \(step), \(range)")
          #expect(try trees.entries(Self.tree, range) == expected, "step \(step), \(range)")
          #expect(try trees.entries(Self.tree, range, descending: true) == expected.reversed(), "step \(step)")
          #expect(try trees.values(Self.tree, range) == expected.map(\.value), "step \(step), \(range)")
        }
      }
      for entry in model.entries { #expect(try trees.value(Self.tree, entry.key) == entry.value) }
    }
  }

  @Test func aKeyPastTheCollisionsIsRefused() throws {
    try Self.withTrees(.constant) { trees throws in
      let keys = (0..<256).map { Self.bytes("a prefix that all of them have \($0)") }
      for key in keys { #expect(try trees.insert(Self.tree, key, key)) }
      let next = Self.bytes("a prefix that all of them have, and one more")
      #expect(thrownCode { try trees.insert(Self.tree, next, next) } == .limitExceeded)
      #expect(try trees.value(Self.tree, next) == nil)
      #expect(try trees.delete(Self.tree, keys[100]))
      #expect(try trees.insert(Self.tree, next, next))
      for key in keys where key != keys[100] { #expect(try trees.value(Self.tree, key) == key) }
    }
  }

  @Test func aShortKeyThatLooksLikeAnEntryIsItself() throws {
    try Self.withTrees { trees throws in
      let long = Self.bytes(String(repeating: "x", count: 30))
      let format = LongKeyFormat(limit: 24)
      let entry = long.withUnsafeBytes { format.entry($0) }
      #expect(entry.count == 24)
      try trees.put(Self.tree, long, [1])
      #expect(try trees.value(Self.tree, entry) == nil)
      try trees.put(Self.tree, entry, [2])
      #expect(try trees.value(Self.tree, long) == [1])
      #expect(try trees.value(Self.tree, entry) == [2])
    }
  }

  @Test func treesOfBoundedKeysAreNotSearchedForLongOnes() throws {
    let layout = RowLayout(Books.model())
    let format = LongKeyFormat(limit: 24)
    let indexes = Books.model().indexes.map { TableIndex($0, layout) }
    #expect(!format.concerns(Tree(rowsOf: Books.model(), layout)))
    #expect(indexes.filter { format.concerns($0.tree) }.map(\.schema.name) == ["byISBN", "byAuthor"])
  }

  @Test(arguments: [[], [0, 0, 0], [9, 0, 0, 0, 1, 2]] as [[UInt8]])
  func damagedEntriesAreCorrupt(_ stored: [UInt8]) throws {
    try Self.withTrees { trees throws in
      let long = Self.bytes(String(repeating: "x", count: 30))
      let entry = long.withUnsafeBytes { LongKeyFormat(limit: 24).entry($0) }
      let companion = LongKeyFormat.companion(of: Self.tree.id)
      _ = try entry.withBytes { entry throws(StorageError) in
        try stored.withBytes { stored throws(StorageError) in try trees.base.put(companion, entry, stored) }
      }
      #expect(thrownCode { _ = try trees.value(Self.tree, long) } == .corrupt)
      #expect(thrownCode { _ = try trees.entries(Self.tree, .all) } == .corrupt)
    }
  }

  // MARK: The format

  @Test func entriesAndValuesHaveTheirBytes() throws {
    let key = Self.bytes("0123456789abcdefg")
    let format = LongKeyFormat(limit: 16)
    let entry = key.withUnsafeBytes { format.entry($0) }
    #expect(Array(entry.prefix(7)) == Self.bytes("0123456"))
    #expect(Array(entry.dropFirst(7)) == [0x57, 0x50, 0xb4, 0xe4, 0x93, 0x17, 0x38, 0x15, 0])
    let stored = try key.withBytes { key throws(StorageError) in
      try [UInt8]([1, 2]).withBytes { value throws(StorageError) in try LongKeyFormat.stored(key, value) }
    }
    #expect(stored == [17, 0, 0, 0] + key + [1, 2])
  }

  // MARK: Random keys

  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Keys of which many share 15 bytes or more, and many have a length beside the limit.
  static func key(_ numbers: inout SeededGenerator) -> [UInt8] {
    let letters: [UInt8] = [0, 0x61, 0xFF]
    let length = [0, 1, 14, 15, 16, 23, 24, 25, 26, 40].randomElement(using: &numbers) ?? 0
    let kind = letters.randomElement(using: &numbers) ?? 0
    return (0..<length).map { place in
      place < 14 ? kind : letters.randomElement(using: &numbers) ?? 0
    }
  }

  fileprivate static func range(_ numbers: inout SeededGenerator, _ model: SortedEntries) -> KeyRange {
    func bound(_ numbers: inout SeededGenerator) -> [UInt8]? {
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: nil
      case 1: key(&numbers)
      case 2: model.entries.randomElement(using: &numbers)?.key
      default: model.entries.randomElement(using: &numbers).map { $0.key + [0] }
      }
    }
    return KeyRange(lower: bound(&numbers), upper: bound(&numbers))
  }

  /// A range of at most thirty entries, so that deleting it leaves some.
  fileprivate static func narrowRange(_ numbers: inout SeededGenerator, _ model: SortedEntries) -> KeyRange {
    guard !model.entries.isEmpty else { return .all }
    let first = Int.random(in: model.entries.indices, using: &numbers)
    let last = min(model.entries.count - 1, first + Int.random(in: 0..<30, using: &numbers))
    return KeyRange(lower: model.entries[first].key, upper: model.entries[last].key)
  }
}

private struct SortedEntries {
  struct Entry: Equatable {
    var key: [UInt8]
    var value: [UInt8]
  }

  var entries: [Entry] = []

  func place(_ key: [UInt8]) -> Int {
    entries.firstIndex { !$0.key.lexicographicallyPrecedes(key) } ?? entries.count
  }

  func value(_ key: [UInt8]) -> [UInt8]? { entries.first { $0.key == key }?.value }

  func entries(in range: KeyRange) -> [Entry] {
    entries.filter { entry in entry.key.withUnsafeBytes { range.contains($0) } }
  }

  mutating func insert(_ key: [UInt8], _ value: [UInt8]) -> Bool {
    if self.value(key) != nil { return false }
    entries.insert(Entry(key: key, value: value), at: place(key))
    return true
  }

  mutating func put(_ key: [UInt8], _ value: [UInt8]) -> Bool {
    let wasThere = remove(key)
    return insert(key, value) && !wasThere
  }

  mutating func remove(_ key: [UInt8]) -> Bool {
    let count = entries.count
    entries.removeAll { $0.key == key }
    return entries.count < count
  }

  mutating func remove(in range: KeyRange) -> Int {
    let count = entries.count
    entries.removeAll { entry in entry.key.withUnsafeBytes { range.contains($0) } }
    return count - entries.count
  }
}

extension TreeAccess<SortedArrayTransaction> {
  fileprivate func value(_ tree: Tree, _ key: [UInt8]) throws -> [UInt8]? {
    try key.withBytes { key throws(StorageError) in try get(tree, key).map { Array($0) } }
  }

  @discardableResult
  fileprivate func put(_ tree: Tree, _ key: [UInt8], _ value: [UInt8]) throws -> Bool {
    try key.withBytes { key throws(StorageError) in
      try value.withBytes { value throws(StorageError) in try put(tree, key, value) }
    }
  }

  @discardableResult
  fileprivate func insert(_ tree: Tree, _ key: [UInt8], _ value: [UInt8]) throws -> Bool {
    try key.withBytes { key throws(StorageError) in
      try value.withBytes { value throws(StorageError) in try insert(tree, key, value) }
    }
  }

  fileprivate func delete(_ tree: Tree, _ key: [UInt8]) throws -> Bool {
    try key.withBytes { key throws(StorageError) in try delete(tree, key) }
  }

  fileprivate func entries(
    _ tree: Tree, _ range: KeyRange, descending: Bool = false
  ) throws -> [SortedEntries.Entry] {
    var cursor = try cursor(tree, range, descending: descending)
    var result: [SortedEntries.Entry] = []
    while let (key, value) = try cursor.next() { result.append(.init(key: Array(key), value: Array(value))) }
    return result
  }

  /// The values as batches of seven lend them.
  fileprivate func values(_ tree: Tree, _ range: KeyRange) throws -> [[UInt8]] {
    guard let walk = try walk(tree, range, descending: false) else { return [] }
    let batch = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 7)
    batch.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    defer { batch.deallocate() }
    var result: [[UInt8]] = []
    while case let count = try walk.fill(batch), count > 0 { result += batch[..<count].map { Array($0) } }
    return result
  }
}
