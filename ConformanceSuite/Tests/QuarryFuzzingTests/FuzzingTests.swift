import Foundation
import QuarryBackend
import QuarrySealed
import QuarryTestSupport
import Testing

@testable import QuarryFuzzing

/// Readers of foreign bytes: sound inputs, those that something was found with, and a sample of changed ones. `scripts/fuzz`
/// tries as many as one has time for.
@Suite struct FuzzingTests {
  @Test(arguments: FuzzTarget.all.map(\.name)) func readsOrRefuses(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let seeds = try target.seeds()
    #expect(!seeds.isEmpty)
    for seed in seeds { #expect(target.defect(seed) == nil, "a seed of \(name): \(seed.count) bytes") }
    let corpus = try Self.corpus(name)
    for (file, input) in corpus { #expect(target.defect(input) == nil, "\(file)") }
    let mutator = FuzzMutator(seeds + corpus.map(\.input))
    var random = SeededGenerator(seed: 41)
    for number in 0..<(Self.isSlow(name) ? 150 : 1_500) {
      let input = mutator.next(&random)
      guard let defect = target.defect(input) else { continue }
      let path = FileManager.default.temporaryDirectory.appending(path: "fuzz-\(name)-\(number)")
      try Data(input).write(to: path)
      Issue.record("\(name), input \(number), kept in \(path.path): \(defect)")
      return
    }
  }

  /// A file is written, and a store opened, for each input.
  private static func isSlow(_ name: String) -> Bool {
    ["query", "dump", "flat-file", "sqlite", "lmdb", "options", "store-url"].contains(name)
  }

  /// Inputs that something was found with, or that lead far.
  private static func corpus(_ name: String) throws -> [(file: String, input: [UInt8])] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Corpus/\(name)")
      .standardizedFileURL
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return [] }
    return try files.sorted().map { ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0)))) }
  }

  @Test func inputsReachWhatIsBehindChecksums() throws {
    for name in ["flat-file", "dump"] {
      let target = try #require(FuzzTarget.all.first { $0.name == name })
      // A sum that is wrong is put right, and the input is read as the one that it was.
      for var seed in try target.seeds() where seed[0] == 1 {
        seed[seed.count - 4] ^= 1
        #expect(target.defect(seed) == nil)
      }
    }
  }

  /// What is read of sound pages is compared, and changed ones are refused for what is in them.
  @Test func pagesAreSoundToBeginWith() throws {
    let target = try #require(FuzzTarget.all.first { $0.name == "sealed-pages" })
    for seed in try target.seeds() {
      let engine = try seed.withUnsafeBytes { try SealedEngine(checksumming: PageImage($0).engine()) }
      #expect(try engine.check() == [])
      #expect(try !engine.treesWithEntries().isEmpty)
      // Where the places of the first page's entries are.
      var changed = seed
      let place = 2 + Int(seed[0]) + Int(seed[1]) << 8 + 6 + 8
      changed[place] ^= 2
      let damaged = try changed.withUnsafeBytes { try SealedEngine(checksumming: PageImage($0).engine()) }
      let defects = try damaged.check()
      #expect(defects.contains { $0.contains("is no node") }, "\(defects)")
    }
  }

  @Test func aReaderThatIsWrongIsFound() {
    let wrong = FuzzTarget("wrong", "three letters", codes: [.corrupt], seeds: { [Array("abcdef".utf8)] }) { input in
      if input.count < 3 { throw StorageError(.corrupt, "short") }
      if input.count == 3 { throw StorageError(.io, "of a code that it may not have") }
      if input.first == 0xFF { throw CancellationError() }
      return input.last == 0 ? "zero at its end" : nil
    }
    #expect(wrong.defect([1, 2]) == nil)
    #expect(wrong.defect([1, 2, 3])?.contains("another code") == true)
    #expect(wrong.defect([0xFF, 2, 3, 4])?.contains("no StorageError") == true)
    let mutator = FuzzMutator([Array("abcdef".utf8)])
    var random = SeededGenerator(seed: 1)
    #expect((0..<5_000).contains { _ in wrong.defect(mutator.next(&random)) == "zero at its end" })
  }
}
