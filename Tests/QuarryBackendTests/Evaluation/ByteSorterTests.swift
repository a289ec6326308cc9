import Testing

@testable import QuarryBackend

@Suite struct ByteSorterTests {
  /// Without memory each entry is a run, and runs are merged twice before all of them are read.
  @Test(arguments: [0, 64, 4096, Int.max]) func sortedBytesMayGoThroughFiles(_ limit: Int) throws {
    let sorter = ByteSorter(limit: limit)
    var expected: [[UInt8]] = []
    for number in 0..<5000 {
      let entry = Array(String(number &* 7919 % 5000).utf8)
      expected.append(entry)
      try entry.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws -> Void in try sorter.append(bytes) }
    }
    var found: [[UInt8]] = []
    try sorter.forEach { found.append(Array($0)) }
    #expect(found == expected.sorted { $0.lexicographicallyPrecedes($1) })
  }
}
