import QuarryBackend
import QuarryKeyValue
import QuarryMemory

/// The pages of a store as an input: the content of its root record, then each page without its checksum. The zeros in the
/// midst of a page are left out. From it a store is made whose checksums are right: `docs/formats/sealed-pages.md`.
struct PageImage {
  private struct Page {
    var number: UInt8
    var isChain: Bool
    var content: [UInt8]
    /// Nil until it is known: a page has the checksums of those that it refers to.
    var tag: (UInt64, UInt64)?
    var isUnderWay = false
  }

  private static let contentBytes = 4_048
  private static let referenceBytes = 32
  private var root: [UInt8] = []
  private var pages: [Page] = []

  init() {}

  // MARK: Making

  /// Adds a node whose entries are side by side at the end of its page.
  mutating func append(_ number: UInt8, level: UInt8, _ entries: [[UInt8]]) {
    var content: [UInt8] = [level, 0]
    content.append(littleEndian: UInt16(entries.count))
    var place = Self.contentBytes - entries.reduce(0) { $0 + $1.count }
    content.append(littleEndian: UInt16(place))
    content += [0, 0]
    for entry in entries {
      content.append(littleEndian: UInt16(place))
      place += entry.count
    }
    let end = entries.flatMap { $0 }
    content += [UInt8](repeating: 0, count: Self.contentBytes - content.count - end.count) + end
    pages.append(Page(number: number, isChain: false, content: content))
  }

  /// An entry of a branch.
  static func branch(_ key: [UInt8], _ child: (key: UInt8, page: UInt8, count: UInt64)) -> [UInt8] {
    [UInt8(key.count), 0] + key + reference(child.page, child.count)
  }

  /// A reference without its checksum.
  private static func reference(_ page: UInt8, _ count: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt64(page))
    bytes += [UInt8](repeating: 0, count: 16)
    bytes.append(littleEndian: count)
    return bytes
  }

  /// Makes a page the root of the only tree.
  mutating func setRoot(nextPage: UInt8, _ child: (key: UInt8, page: UInt8, count: UInt64)) {
    root = []
    root.append(littleEndian: UInt64(nextPage))
    root += [UInt8](repeating: 0, count: 8 + 4) + Self.reference(child.page, child.count)
  }

  // MARK: Inputs

  /// The root record's length u16 and content; for each page its number, its kind, the length of its beginning u16 and of
  /// its end u16, and these.
  init(_ input: UnsafeRawBufferPointer) {
    var rest = input
    func take(_ count: Int) -> [UInt8] {
      defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
      return Array(rest.prefix(count))
    }
    func length() -> Int { take(2).reversed().reduce(0) { $0 << 8 | Int($1) } }
    root = take(length())
    while rest.count >= 6 {
      let (number, kind) = (take(1)[0], take(1)[0])
      let (head, tail) = (min(length(), Self.contentBytes), length())
      var content = take(head)
      let end = take(min(tail, Self.contentBytes - content.count))
      content += [UInt8](repeating: 0, count: Self.contentBytes - content.count - end.count) + end
      guard number > 0, !pages.contains(where: { $0.number == number }) else { continue }
      pages.append(Page(number: number, isChain: kind & 1 == 1, content: content))
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt16(root.count))
    bytes += root
    for page in pages {
      let (head, tail) = Self.parts(page)
      bytes += [page.number, page.isChain ? 1 : 0]
      bytes.append(littleEndian: UInt16(head.count))
      bytes.append(littleEndian: UInt16(tail.count))
      bytes += head + tail
    }
    return bytes
  }

  /// What is before the zeros of a page, and what is behind them.
  private static func parts(_ page: Page) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
    let content = page.content
    if page.isChain { return (content.prefix(1 + (content.lastIndex { $0 != 0 } ?? 0)), []) }
    let count = Int(content[2]) | Int(content[3]) << 8
    let high = Int(content[4]) | Int(content[5]) << 8
    return (content[..<(8 + 2 * count)], content[high...])
  }

  // MARK: Stores

  /// The pages of a store with numbers below 256.
  init(_ base: MemoryEngine) throws {
    let tx = try base.beginRead()
    defer { tx.end() }
    let stored = try SealedTrees.rootKey.withBytes { key throws(StorageError) in
      try tx.get(SealedTrees.envelope, key).map { Array($0) }
    }
    root = (stored ?? []).dropFirst(8).dropLast(28)
    var cursor = try tx.cursor(SealedTrees.pages, .all, descending: false)
    while let (key, value) = try cursor.next() {
      let number = key[7]
      let content = Array(value.prefix(Self.contentBytes))
      let tag = value.loadLittleEndian(4_064, as: UInt64.self)
      let isChain = Self.tag(content, number, isChain: true).0 == tag
      pages.append(Page(number: number, isChain: isChain, content: content))
    }
  }

  /// An engine that has the pages, each with the checksums of what it has.
  consuming func engine() throws -> MemoryEngine {
    var (root, place) = (root, 16)
    while place + 36 <= root.count {
      putRight(&root, place + 4)
      place += 36
    }
    for place in pages.indices { complete(place) }
    let base = MemoryEngine()
    let tx = try base.beginWrite(timeout: 0)
    for page in pages {
      guard let tag = page.tag else { continue }
      try tx.put(SealedTrees.pages, Self.key(page.number), page.content + [0, 0, 0, 0] + Self.trailer(tag))
    }
    let associated = Array("QuarryRoot".utf8) + [1, 0, 0, 0, 0, 0]
    try tx.put(
      SealedTrees.envelope, SealedTrees.rootKey,
      [1, 0, 0, 0, 0, 0, 0, 0] + root + Self.trailer(Self.sums(root, associated)))
    _ = try tx.commit()
    return base
  }

  private static func key(_ number: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, number] }

  // MARK: Checksums

  private static func sums(_ content: [UInt8], _ associated: [UInt8]) -> (UInt64, UInt64) {
    let sum = content.withBytes { XXH64.checksum($0) }
    var bound = associated
    bound.append(littleEndian: sum)
    return (bound.withBytes { XXH64.checksum($0) }, sum)
  }

  private static func trailer(_ tag: (UInt64, UInt64)) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 12)
    bytes.append(littleEndian: tag.0)
    bytes.append(littleEndian: tag.1)
    return bytes
  }

  private static func tag(_ content: [UInt8], _ number: UInt8, isChain: Bool) -> (UInt64, UInt64) {
    var associated: [UInt8] = []
    associated.append(littleEndian: UInt64(number))
    associated.append(littleEndian: UInt64(isChain ? 2 : 1) << 32)
    return sums(content, associated)
  }

  /// Puts the checksums into the references of a page, and notes its own.
  private mutating func complete(_ place: Int) {
    guard pages[place].tag == nil, !pages[place].isUnderWay else { return }
    // A page that is below itself cannot have its checksum.
    pages[place].isUnderWay = true
    var content = pages[place].content
    for reference in references(content, isChain: pages[place].isChain) { putRight(&content, reference) }
    pages[place].content = content
    pages[place].tag = Self.tag(content, pages[place].number, isChain: pages[place].isChain)
  }

  /// Puts the checksum of the page that is referred to behind its number.
  private mutating func putRight(_ bytes: inout [UInt8], _ place: Int) {
    let number = bytes.withBytes { $0.loadLittleEndian(place, as: UInt64.self) }
    guard let page = pages.firstIndex(where: { UInt64($0.number) == number }) else { return }
    complete(page)
    guard let tag = pages[page].tag else { return }
    bytes.withUnsafeMutableBytes { bytes in
      bytes.storeLittleEndian(tag.0, at: place + 8)
      bytes.storeLittleEndian(tag.1, at: place + 16)
    }
  }

  /// Where references are in a page.
  private func references(_ content: [UInt8], isChain: Bool) -> [Int] {
    if isChain { return [0] }
    func number(_ place: Int) -> Int { Int(content[place]) | Int(content[place + 1]) << 8 }
    var places: [Int] = []
    for index in 0..<min(number(2), (Self.contentBytes - 8) / 2) {
      let entry = number(8 + 2 * index)
      guard entry + 4 <= Self.contentBytes else { continue }
      let isLeaf = content[0] == 0
      if isLeaf, number(entry + 2) != 0xFFFF { continue }
      let reference = entry + number(entry) + (isLeaf ? 4 : 2)
      if reference + Self.referenceBytes <= Self.contentBytes { places.append(reference) }
    }
    return places
  }
}
