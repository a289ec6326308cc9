import QuarryBackend
import QuarryDump

// Checksums would keep the driver from all that is behind them: it changes bytes, and does not find the sum of those that it
// has changed. So inputs get right ones, wherever they say that there is one.

/// Right checksums in a text that is like a dump: `docs/formats/dump.md`.
enum DumpRepair {
  private static let name = Array("\"sha256\":\"".utf8)

  static func withChecksums(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    guard let digest = try? SHA256Digest() else { return Array(bytes) }
    var repaired: [UInt8] = []
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init) {
      var line = line
      if repaired.count < bytes.count, let place = line.lastPlace(of: name), place + name.count + 64 <= line.count,
        let text = try? digest.text()
      {
        line.replaceSubrange(place + name.count..<place + name.count + 64, with: text.utf8)
      }
      line.append(UInt8(ascii: "\n"))
      try? digest.add(line)
      repaired += line
    }
    // Between the last line feed and the end there is no line.
    repaired.removeLast()
    return repaired
  }
}

/// Right checksums in bytes that are like a flat file: `docs/formats/flat-file.md`. Marks say of the file what it has.
enum FlatFileRepair {
  private static let marks = [128, 768]
  private static let firstBatch = 1024
  private static let batchHeader = 48

  static func withChecksums(_ input: UnsafeRawBufferPointer) -> [UInt8] {
    var file = Array(input)
    guard file.count >= firstBatch else { return file }
    file.withUnsafeMutableBytes { file in
      let tag = UnsafeRawBufferPointer(file).loadLittleEndian(32, as: UInt64.self)
      file.storeLittleEndian(sum(file, 0, 60), at: 60)
      var (place, chain, commit) = (firstBatch, UInt32(0), UInt64(0))
      while place + batchHeader <= file.count {
        let bytes = UnsafeRawBufferPointer(file)
        let length = bytes.loadLittleEndian(place + 32, as: UInt64.self)
        guard length <= UInt64(file.count - place - batchHeader) else { break }
        let end = place + batchHeader + Int(length)
        file.storeLittleEndian(tag, at: place + 8)
        file.storeLittleEndian(sum(file, place + batchHeader, end), at: place + 40)
        file.storeLittleEndian(sum(file, place, place + 44), at: place + 44)
        chain = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[place + 44..<place + 48]), continuing: chain)
        commit = bytes.loadLittleEndian(place + 16, as: UInt64.self)
        place = end
      }
      for mark in marks {
        file.storeLittleEndian(tag, at: mark + 8)
        file.storeLittleEndian(UInt64(place), at: mark + 24)
        file.storeLittleEndian(commit, at: mark + 32)
        file.storeLittleEndian(chain, at: mark + 40)
        file.storeLittleEndian(sum(file, mark, mark + 44), at: mark + 44)
      }
    }
    return file
  }

  private static func sum(_ file: UnsafeMutableRawBufferPointer, _ start: Int, _ end: Int) -> UInt32 {
    CRC32C.checksum(UnsafeRawBufferPointer(rebasing: file[start..<end]))
  }
}

extension [UInt8] {
  /// Where other bytes are found last.
  fileprivate func lastPlace(of other: [UInt8]) -> Int? {
    guard count >= other.count else { return nil }
    return (0...count - other.count).last { self[$0..<$0 + other.count].elementsEqual(other) }
  }
}
