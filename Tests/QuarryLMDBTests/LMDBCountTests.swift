import CLMDB
import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

/// Counts by the heads of pages are those of a walk from entry to entry.
@Suite struct LMDBCountTests {
  let place: Place

  init() throws {
    place = try Place()
  }

  /// Keys whose first bytes decide rarely, and of a length that makes a tree of several levels out of few.
  private func key(_ longest: Int, _ random: inout SeededGenerator) -> [UInt8] {
    let count = Int.random(in: 0...longest, using: &random)
    return (0..<count).map { _ in [0, 0, 1, 200, 255].randomElement(using: &random) ?? 0 }
  }

  private func range(_ keys: [[UInt8]], _ longest: Int, _ random: inout SeededGenerator) -> KeyRange {
    let bounds = (0..<2).map { _ -> [UInt8]? in
      switch Int.random(in: 0..<6, using: &random) {
      case 0: nil
      case 1: key(longest, &random)
      default: keys.randomElement(using: &random)
      }
    }
    return KeyRange(lower: bounds[0], upper: bounds[1])
  }

  private func walked(
    _ transaction: OpaquePointer, _ handle: MDB_dbi, _ range: KeyRange
  ) throws(StorageError) -> Int {
    let walk = try LMDBWalk(transaction, handle, range, descending: false)
    defer { mdb_cursor_close(walk.cursor) }
    var count = 0
    while try walk.advance() { count += 1 }
    return count
  }

  /// Trees that grow and shrink from commit to commit; each state is counted before its commit, after it and in a
  /// snapshot of before.
  @Test(arguments: [(8, 1), (40, 2), (400, 3)])
  func everyRangeHasAsManyAsAWalkFinds(longest: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let engine = try place.open()
    var depths: Set<Int> = []
    var keys: [[UInt8]] = []
    for round in 0..<24 {
      let before = round > 0 ? try engine.snapshot() : nil
      let writer = try engine.beginWrite(timeout: 1)
      for _ in 0..<(round < 12 ? 400 : 20) {
        keys.append(key(longest, &random))
        let size = Int.random(in: 0..<50, using: &random) == 0 ? 9_000 : Int.random(in: 0..<60, using: &random)
        try writer.put(7, keys[keys.count - 1], Array(repeating: 3, count: size))
      }
      if round >= 12 {
        for _ in 0..<400 { _ = try writer.delete(7, keys.remove(at: Int.random(in: keys.indices, using: &random))) }
        if round % 4 == 0 { _ = try writer.delete(7, in: range(keys, longest, &random)) }
      }
      for _ in 0..<10 {
        let range = range(keys, longest, &random)
        #expect(try writer.count(7, range) == writer.keys(7, range).count, "\(seed) \(range)")
      }
      if round % 5 == 4 { writer.end() } else { _ = try writer.commit() }
      var readers = [try engine.beginRead()]
      if let before { readers.append(try before.beginRead()) }
      for reader in readers {
        guard let handle = reader.table.handle(7) else { continue }
        depths.insert(LMDBSearch(7, reader.transaction, engine.environment)?.depth ?? -1)
        for _ in 0..<60 {
          let range = range(keys, longest, &random)
          #expect(try reader.count(7, range) == walked(reader.transaction, handle, range), "\(seed) \(range)")
        }
        reader.end()
      }
      before?.close()
    }
    #expect(!depths.contains(-1))
    #expect(depths.contains { $0 > 2 } || longest < 400)
  }

  @Test func aTreeThatIsEmptyOrNotThereHasNoEntries() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in
      try tx.put(7, [1], [1])
      _ = try tx.delete(7, [1])
    }
    let reader = try engine.beginRead()
    defer { reader.end() }
    for tree: TreeID in [7, 8] {
      for range in [KeyRange(lower: [1]), KeyRange(upper: [1]), KeyRange(lower: [], upper: [2]), .prefix([1])] {
        #expect(try reader.count(tree, range) == 0)
      }
    }
  }

  private enum Damage: CaseIterable {
    /// A branch leads to itself; all branches do; to the first branch; to a page behind the end; to a leaf that has another
    /// number; a leaf's count, kind and number are changed.
    case itself, allThemselves, first, behindEnd, otherLeaf, oddCount, noCount, largeCount, kind, number
  }

  /// None of them ends the process, goes on for ever, or is counted.
  @Test(arguments: Damage.allCases)
  private func aDamagedPageIsAnError(damage: Damage) throws {
    var engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for number in 0..<60_000 { try tx.put(1, QuarryLMDBTests.key(number), [1, 2]) }
    }
    try engine.close()
    let file = URL(fileURLWithPath: place.path + "/data.mdb")
    var bytes = [UInt8](try Data(contentsOf: file))
    func number(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    func pages(_ kind: Int) -> [Int] {
      stride(from: 0, to: bytes.count, by: 4096).filter { number($0 + 10) == kind && number($0 + 12) > 100 }
    }
    func set(_ offset: Int, _ value: Int) {
      bytes[offset] = UInt8(value & 0xFF)
      bytes[offset + 1] = UInt8(value >> 8 & 0xFF)
    }
    func lead(_ branch: Int, to page: Int) {
      for entry in 3..<6 {
        let node = branch + number(branch + 16 + 2 * entry)
        set(node, page & 0xFFFF)
        set(node + 2, page >> 16)
      }
    }
    let (branches, leaves) = (pages(1), pages(2))
    #expect(!branches.isEmpty)
    switch damage {
    case .itself: lead(branches[0], to: branches[0] / 4096)
    case .allThemselves: for branch in branches { lead(branch, to: branch / 4096) }
    case .first: for branch in branches.dropFirst() { lead(branch, to: branches[0] / 4096) }
    case .behindEnd: for branch in branches { lead(branch, to: bytes.count / 4096 + 1_000_000) }
    case .otherLeaf: for leaf in leaves.dropFirst(10).prefix(4) { set(leaf, leaves[0] / 4096) }
    case .oddCount: for leaf in leaves { set(leaf + 12, number(leaf + 12) + 1) }
    case .noCount: for leaf in leaves { set(leaf + 12, 16) }
    case .largeCount: for leaf in leaves { set(leaf + 12, 4000) }
    case .kind: for leaf in leaves { set(leaf + 10, 4) }
    case .number: for leaf in leaves { set(leaf, 0xFFFF) }
    }
    try Data(bytes).write(to: file)
    engine = try place.open()
    let reader = try engine.beginRead()
    defer { reader.end() }
    let code = code { () throws(StorageError) in
      _ = try reader.count(1, KeyRange(lower: QuarryLMDBTests.key(1), upper: QuarryLMDBTests.key(59_999)))
    }
    #expect(code == .corrupt)
  }
}
