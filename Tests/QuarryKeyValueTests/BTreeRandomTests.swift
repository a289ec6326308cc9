import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import QuarryTree
import Testing

/// Random changes against an ordered array, with kinds of keys that take different ways through the nodes.
@Suite struct BTreeRandomTests {
  enum Keys: String, CaseIterable, CustomTestStringConvertible {
    /// Eight bytes, few enough that they collide.
    case numbers
    /// Up to 12 bytes of a small alphabet, the empty key and zero bytes among them: heads tie and keys are prefixes.
    case short
    /// A common beginning of 21 bytes.
    case shared
    /// Some of them longer than fits into a node.
    case long

    var testDescription: String { rawValue }

    func make(_ random: inout SeededGenerator) -> [UInt8] {
      switch self {
      case .numbers:
        return bytes(Int.random(in: 0..<6000, using: &random))
      case .short:
        return (0..<Int.random(in: 0...12, using: &random)).map { _ in
          [0, 0, 1, 0xFF].randomElement(using: &random) ?? 0
        }
      case .shared:
        let start = random.next() % 16 == 0 ? [UInt8](repeating: 7, count: 9) : [UInt8](repeating: 7, count: 21)
        return start + (0..<3).map { _ in UInt8.random(in: 0..<16, using: &random) }
      case .long:
        let start = [UInt8](
          repeating: UInt8.random(in: 0..<4, using: &random), count: Int.random(in: 0..<900, using: &random))
        return start + [UInt8.random(in: 0..<4, using: &random)]
      }
    }

    func range(_ random: inout SeededGenerator) -> KeyRange {
      let a = make(&random)
      let b = make(&random)
      switch random.next() % 8 {
      case 0: return KeyRange(lower: a)
      case 1: return KeyRange(upper: a)
      case 2: return KeyRange(lower: max(Key(a), Key(b)).bytes, upper: min(Key(a), Key(b)).bytes)
      case 3: return .prefix(Array(a.prefix(6)))
      default: return KeyRange(lower: min(Key(a), Key(b)).bytes, upper: max(Key(a), Key(b)).bytes)
      }
    }
  }

  static func value(_ random: inout SeededGenerator) -> [UInt8] {
    let length =
      random.next() % 32 == 0 ? Int.random(in: 500..<3000, using: &random) : Int.random(in: 0..<60, using: &random)
    return [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: length)
  }

  @Test(arguments: Keys.allCases, [1, 2, 3] as [UInt64])
  func behavesAsAnOrderedArray(_ keys: Keys, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var tree = BTree()
    var model = BTreeModel()
    for batch in 0..<60 {
      // Phases in which the tree grows, and phases in which it shrinks.
      let growth = (batch / 12).isMultiple(of: 2) ? 75 : 25
      for _ in 0..<150 {
        let key = keys.make(&random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<growth where random.next() % 3 == 0:
          let value = Self.value(&random)
          let isNew = !model.contains(key)
          #expect(try tree.insert(key, value) == isNew)
          if isNew { _ = model.put(key, value) }
        case 0..<growth:
          let value = Self.value(&random)
          #expect(try tree.put(key, value) == model.put(key, value))
        default:
          let existing = model.entries.randomElement(using: &random)?.key ?? key
          let key = random.next() % 4 == 0 ? key : existing
          #expect(tree.remove(key) == model.remove(key))
        }
      }
      if batch % 6 == 5 {
        let range = keys.range(&random)
        #expect(tree.remove(in: range) == model.remove(in: range))
      }
      #expect(tree.defects() == [])
      #expect(tree.count == model.entries.count)
      try #require(tree.entries() == model.entries)
      let range = keys.range(&random)
      #expect(tree.count(in: range) == model[range].count)
      #expect(tree.entries(range) == model[range])
      #expect(tree.entries(range, descending: true) == model[range].reversed())
      let key = keys.make(&random)
      #expect((tree.get(key) != nil) == model.contains(key))
    }
  }

  @Test(arguments: Keys.allCases)
  func cutsAnyRangeOutOfACopy(_ keys: Keys) throws {
    var random = SeededGenerator(seed: 11)
    var tree = BTree()
    var model = BTreeModel()
    for _ in 0..<8000 {
      let key = keys.make(&random)
      try tree.put(key, Array(key.prefix(5)))
      _ = model.put(key, Array(key.prefix(5)))
    }
    for _ in 0..<60 {
      let range = keys.range(&random)
      var copy = tree
      var rest = model
      #expect(copy.remove(in: range) == rest.remove(in: range))
      #expect(copy.defects() == [])
      #expect(copy.entries() == rest.entries)
    }
    #expect(tree.defects() == [])
    #expect(tree.entries() == model.entries)
  }

  @Test func keptCopiesStayAsTheyWere() throws {
    var random = SeededGenerator(seed: 5)
    var tree = BTree()
    var model = BTreeModel()
    var kept: [(BTree, BTreeModel)] = []
    for round in 0..<3000 {
      let key = Keys.numbers.make(&random)
      if random.next() % 3 == 0 {
        #expect(tree.remove(key) == model.remove(key))
      } else {
        let value = Self.value(&random)
        #expect(try tree.put(key, value) == model.put(key, value))
      }
      if round % 100 == 0 { kept.append((tree, model)) }
      if round % 500 == 499 {
        let range = Keys.numbers.range(&random)
        #expect(tree.remove(in: range) == model.remove(in: range))
      }
    }
    for (tree, model) in kept {
      #expect(tree.defects() == [])
      #expect(tree.entries() == model.entries)
    }
  }
}
