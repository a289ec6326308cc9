import Foundation
import QuarryBackend
import Testing

@testable import QuarryText

@Suite struct PostingListTests {
  private func list(_ entries: [(UInt64, [UInt32])]) throws -> PostingList {
    var list = PostingList()
    for (document, positions) in entries { try list.insert(document, positions) }
    return list
  }

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  /// The bytes that docs/formats/postings.md shows.
  @Test func goldenBytes() throws {
    let list = try list([(3, [0]), (4, [1, 2, 300]), (1000, [7])])
    let bytes: [UInt8] = [1, 3, 5, 7, 0, 1, 0xC7, 0x0F, 0, 1, 0, 0xA9, 2, 7]
    #expect(list.encoded() == bytes)
    #expect(try PostingList(decoding: bytes) == list)
    #expect(PostingList().encoded() == [1, 0, 0])
    #expect(try PostingList(decoding: [1, 0, 0]).isEmpty)
  }

  @Test func largestNumbers() throws {
    let list = try list([(0, [0, .max]), (PostingList.maximumDocument, [.max])])
    #expect(try PostingList(decoding: list.encoded()) == list)
    #expect(
      code {
        var list = list; try list.insert(PostingList.maximumDocument + 1, [1])
      } == .invalidValue)
  }

  @Test func insertionInAnyOrderRemovalAndMerging() throws {
    var random = RandomTexts(seed: 7)
    for _ in 0..<200 {
      var entries: [UInt64: [UInt32]] = [:]
      for _ in 0..<random.number(0...20) {
        let positions = Set((0..<random.number(1...5)).map { _ in UInt32(random.number(0...400)) }).sorted()
        entries[UInt64(random.number(0...300))] = positions
      }
      let sorted = try list(entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
      var other = try list(entries.shuffled(using: &random).map { ($0.key, $0.value) })
      #expect(sorted == other)
      #expect(try PostingList(decoding: other.encoded()) == sorted)
      let some = entries.keys.sorted().filter { $0 % 2 == 0 }
      var rest = PostingList()
      for document in some {
        try rest.insert(document, entries[document] ?? [])
        let (first, second) = (other.remove(document), other.remove(document))
        #expect(first && !second)
      }
      #expect(try other.merging(rest) == sorted)
      #expect(try rest.merging(other) == sorted)
      for (document, positions) in entries {
        let index = try #require(sorted.index(of: document))
        #expect(Array(sorted.positions(index)) == positions)
        #expect(sorted.frequency(index) == positions.count)
      }
    }
  }

  @Test func whatCannotBeAddedIsRefused() throws {
    var list = try list([(3, [0])])
    #expect(code { try list.insert(3, [1]) } == .duplicateKey)
    #expect(code { try list.insert(4, []) } == .invalidValue)
    #expect(code { try list.insert(4, [1, 1]) } == .invalidValue)
    #expect(code { try list.insert(4, [2, 1]) } == .invalidValue)
    #expect(code { _ = try list.merging(list) } == .duplicateKey)
    var index = PostingsIndex()
    try index.insert(1, "a b")
    let before = index
    #expect(code { try index.insert(1, "c") } == .duplicateKey)
    #expect(code { try index.insert(.max, "c") } == .invalidValue)
    #expect(code { try index.remove(2, "a b") } == .notFound)
    #expect(code { try index.remove(1, "a c") } == .corrupt)
    #expect(code { try index.remove(1, "a") } == .corrupt)
    #expect(code { try index.merge(index) } == .duplicateKey)
    #expect(index == before)
  }

  @Test(
    arguments: [
      [], [1], [0, 0, 0], [1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [1, 0x81, 0, 1, 1, 0],
      [1, 1, 2, 1, 0, 0],
      [1, 1, 1, 0, 0], [1, 2, 2, 1, 1, 0],
      // A frequency and a count of which there are not so many bytes.
      [1, 1, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0], [1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0],
      // A number of a document above the largest, and a position above the largest.
      [1, 1, 10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0],
      [1, 1, 1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F],
    ] as [[UInt8]])
  func damagedBytesAreRefused(bytes: [UInt8]) {
    #expect(code { _ = try PostingList(decoding: bytes) } == .corrupt)
  }

  @Test func aLaterFormatIsRefused() {
    #expect(code { _ = try PostingList(decoding: [2, 0, 0]) } == .schemaTooNew)
  }

  @Test func randomAndChangedBytes() throws {
    var random = RandomTexts(seed: 9)
    for _ in 0..<30_000 {
      let bytes = [1] + random.bytes(0...20)
      #expect(TextProperties.postingsDefect(of: bytes) == nil, "\(bytes)")
    }
    var entries: [(UInt64, [UInt32])] = []
    for number in UInt32(0)..<20 { entries.append((UInt64(number) * 37, [number, number + 200])) }
    let sound = try list(entries).encoded()
    for place in sound.indices {
      for bit in 0..<8 {
        var changed = sound
        changed[place] ^= 1 << bit
        #expect(TextProperties.postingsDefect(of: changed) == nil)
      }
      #expect(code { _ = try PostingList(decoding: Array(sound[..<place])) } == .corrupt)
    }
  }
}
