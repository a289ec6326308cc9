import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines

/// Numbers of any value where a program gives numbers: options of opening and of engines, timeouts, limits, durations; and
/// the texts of URLs that are opened.
extension FuzzTarget {
  private static let optionFolder = Result { try FuzzFolder() }
  private static let urlFolder = Result { try FuzzFolder() }
  private static let refusals: Set<StorageError.Code> = [
    .invalidValue, .limitExceeded, .unsupported, .full, .invalidQuery, .notFound, .readOnly,
  ]

  /// Numbers of eight bytes each, zero where the input has ended.
  private struct Numbers {
    let bytes: UnsafeRawBufferPointer
    var place = 1

    mutating func bits() -> UInt64 {
      defer { place += 8 }
      return bytes.from(place).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func double() -> Double { Double(bitPattern: bits()) }
    mutating func int() -> Int { Int(truncatingIfNeeded: bits()) }
  }

  private static func input(_ engine: UInt8, _ numbers: UInt64...) -> [UInt8] {
    [engine] + numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
  }

  static let options = FuzzTarget(
    "options", "options and arguments that are numbers, of eight bytes each", codes: refusals,
    seeds: {
      let doubles: [Double] = [5, 0, -1, .infinity, -.infinity, .nan, 1e300, 1e9, 9.3e18, .leastNonzeroMagnitude]
      let ints: [Int] = [8, 0, -1, .max, .min, 1 << 31, 1 << 62]
      return (0..<4).flatMap { engine in
        zip(doubles, ints + ints).map { double, int in
          let number = UInt64(bitPattern: Int64(int))
          return input(UInt8(engine), double.bitPattern, number, number, double.bitPattern, number, number, number)
        }
      }
    }
  ) { bytes in
    guard let engine = bytes.first else { return nil }
    let folder = try optionFolder.get()
    try folder.clear()
    var numbers = Numbers(bytes: bytes)
    var options = OpenOptions()
    options.busyTimeout = numbers.double()
    options.durability = BackendManifest.Durability.none
    let (first, second) = (numbers.int(), numbers.int())
    let path = folder.path(of: "store")
    let place: any BackendProvider =
      switch engine % 4 {
      case 0: MemoryConfiguration()
      case 1: FlatFileConfiguration(path: path, compaction: .automatic(garbageBytes: first))
      case 2: SQLiteConfiguration(path: path, cacheBytes: first, readers: second, statements: second)
      // A table of a million readers takes longer than the rest.
      default: LMDBConfiguration(path: path, mapBytes: first, readers: second > 1 << 12 ? 64 : second)
      }
    if engine % 4 == 0 { options.durability = nil }
    let store = try Store(opening: place, options: options)
    defer { try? store.close() }
    try FuzzModel.fill(store, rows: 3)
    let timeout = numbers.double()
    try store.write(timeout: timeout) { _ in }
    let (limit, offset, count) = (numbers.int(), numbers.int(), numbers.int())
    try store.write(retry: count, timeout: timeout) { _ in }
    var query = QueryTree(model: FuzzModel.schema.name)
    let whole = try store.records.fetch(query)
    query.limit = limit
    query.offset = offset
    guard limit >= 0, offset >= 0 else {
      return (try? store.records.fetch(query)) == nil
        ? nil : "a query with limit \(limit) and offset \(offset) was answered"
    }
    let part = try store.records.fetch(query)
    return part == Array(whole.dropFirst(offset).prefix(limit))
      ? nil : "limit \(limit), offset \(offset): \(part.count)"
  }

  static let storeURL = FuzzTarget(
    "store-url", "URLs of stores, whose options are used to open one", codes: refusals,
    seeds: {
      [
        "file:?compaction=1KB", "file:?timeout=1e300&durability=none", "sqlite:?cache=64MB&readers=3&checksums=false",
        "sqlite:?timeout=inf", "lmdb:?map=1MB&readers=2", "lmdb:?map=8589934591GB", "memory:?timeout=0",
        "sqlite:?create=true&readOnly=false", "file:?compaction=9223372036854775807", "lmdb:?timeout=-0",
      ].map { Array($0.utf8) }
    }
  ) { bytes in
    let text = bytes.text
    let folder = try urlFolder.get()
    try folder.clear()
    // Only the options are the input's: its path would be any place of the machine.
    guard let colon = text.firstIndex(of: ":"), let mark = text.firstIndex(of: "?"), colon < mark else {
      _ = try? StoreURL(parsing: text)
      return nil
    }
    let place = text[..<colon] == "memory" ? "" : folder.path(of: "store")
    let url = try StoreURL(parsing: "\(text[...colon])\(place)\(text[mark...])")
    let store = try Store(opening: url)
    defer { try? store.close() }
    try FuzzModel.fill(store, rows: 2)
    return try FuzzModel.content(store).isEmpty ? "what was stored is not there" : nil
  }
}
