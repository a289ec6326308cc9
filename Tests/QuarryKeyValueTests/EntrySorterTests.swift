import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryKeyValue

@Suite struct EntrySorterTests {
  /// Entries of any length behind a beginning that they share, zeros at their ends, and many that are equal.
  private func entries(_ seed: Int) -> [[UInt8]] {
    var random = SeededGenerator(seed: UInt64(seed))
    let beginning = [UInt8](repeating: 7, count: seed % 12)
    return (0..<400).map { _ in
      let count = Int.random(in: 0...(seed % 3 == 0 ? 3 : 20), using: &random)
      return beginning + (0..<count).map { _ in UInt8.random(in: 0...(seed % 2 == 0 ? 2 : 255), using: &random) }
    }
  }

  @Test(arguments: 0..<24)
  func entriesComeInTheOrderOfTheirBytes(_ seed: Int) throws {
    let entries = entries(seed)
    let sorter = EntrySorter()
    for round in 0..<2 {
      for (place, entry) in entries.enumerated() {
        let key = Array("\(round) \(place)".utf8)
        entry.withUnsafeBytes { entry in key.withUnsafeBytes { sorter.append(entry, $0) } }
      }
      var found: [(entry: [UInt8], key: [UInt8])] = []
      try sorter.forEach { (entry, key) throws(StorageError) in found.append((Array(entry), Array(key))) }
      sorter.removeAll()
      let expected = entries.enumerated().sorted { left, right in
        left.element == right.element
          ? left.offset < right.offset : left.element.lexicographicallyPrecedes(right.element)
      }
      #expect(found.map(\.entry) == expected.map(\.element))
      #expect(found.map(\.key) == expected.map { Array("\(round) \($0.offset)".utf8) })
    }
  }
}
