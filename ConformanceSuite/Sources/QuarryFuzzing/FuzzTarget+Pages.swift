import QuarryBackend
import QuarryKeyValue
import QuarryMemory
import QuarrySealed

/// Trees in pages that have checksums, as LMDB has them by option.
extension FuzzTarget {
  static let sealedPages = FuzzTarget(
    "sealed-pages", "pages of trees with checksums, which are put right", codes: [.corrupt],
    seeds: { try [PageSeeds.ofTwoPages(), PageSeeds.ofThreeLevels(), PageSeeds.ofManyTrees()] }
  ) { input in
    let engine = try SealedEngine(checksumming: PageImage(input).engine(), cacheBytes: 1 << 20)
    let defects = try engine.check()
    let sum = XXH64.checksum(input)
    var contents: [(tree: TreeID, content: [[UInt8]: [UInt8]])] = []
    for tree in try engine.treesWithEntries().prefix(4) {
      if defects.isEmpty {
        let (content, wrong) = try whole(engine.beginRead(), tree)
        if let wrong { return "tree \(tree) is sound, and \(wrong)" }
        contents.append((tree, content))
      } else {
        try reads(engine.beginRead(), tree)
        if sum % 2 == 0 { try? changes(engine, tree, []) { _, _ in } }
      }
    }
    guard defects.isEmpty, sum % 4 < 2 else { return nil }
    for (tree, content) in contents {
      var after = content
      try changes(engine, tree, content.keys.sorted { $0.lexicographicallyPrecedes($1) }) { after[$0] = $1 }
      let (found, wrong) = try whole(engine.beginRead(), tree)
      if let wrong { return "tree \(tree) was changed, and \(wrong)" }
      if found != after { return "tree \(tree) was changed, and has \(found.count) entries, other than \(after.count)" }
    }
    let after = try engine.check()
    return after.isEmpty ? nil : "a sound store was changed: \(after)"
  }

  /// The entries of a sound tree, and in what they differ from those that other ways of reading give.
  private static func whole(
    _ tx: SealedReadTransaction, _ tree: TreeID
  ) throws -> (content: [[UInt8]: [UInt8]], wrong: String?) {
    defer { tx.end() }
    var (content, keys) = ([[UInt8]: [UInt8]](), [[UInt8]]())
    var cursor = try tx.cursor(tree, .all, descending: false)
    while let (key, value) = try cursor.next() {
      keys.append(Array(key))
      content[Array(key)] = Array(value)
    }
    if content.count != keys.count { return (content, "a key is there twice") }
    if try tx.count(tree, .all) != keys.count { return (content, "its entries are not counted") }
    var place = keys.count
    cursor = try tx.cursor(tree, .all, descending: true)
    while let (key, _) = try cursor.next() {
      place -= 1
      if place < 0 || !key.elementsEqual(keys[place]) { return (content, "entry \(place) is another one backwards") }
    }
    if place != 0 { return (content, "\(place) entries are missing backwards") }
    for key in keys {
      let value = try key.withBytes { key throws(StorageError) in try tx.get(tree, key).map { Array($0) } }
      if value != content[key] { return (content, "a key does not lead to its value") }
    }
    return (content, nil)
  }

  /// Reads some of a tree that is not sound, both ways.
  private static func reads(_ tx: SealedReadTransaction, _ tree: TreeID) throws {
    defer { tx.end() }
    for isDescending in [false, true] {
      var (left, bytes) = (300, 0)
      var cursor = try tx.cursor(tree, .all, descending: isDescending)
      while left > 0, bytes < 4 << 20, let (key, value) = try cursor.next() {
        left -= 1
        bytes += value.count
        let key = Array(key)
        _ = try tx.count(tree, KeyRange(lower: key))
        try key.withBytes { key throws(StorageError) in _ = try tx.get(tree, key) }
      }
    }
    _ = try tx.statistics(of: tree)
  }

  /// Changes a tree: short and long entries, those that are there and others, a part that is undone, and a range that goes.
  ///
  /// - Parameter note: Is told each key with its new value, nil where it was removed.
  private static func changes(
    _ engine: SealedEngine<MemoryEngine>, _ tree: TreeID, _ keys: [[UInt8]], _ note: ([UInt8], [UInt8]?) -> Void
  ) throws {
    let tx = try engine.beginWrite(timeout: 0)
    defer { tx.end() }
    let others: [(key: [UInt8], bytes: Int)] = [
      ([1], 0), ([UInt8](repeating: 61, count: 240), 40), ([UInt8](repeating: 122, count: 480), 1_100),
      ([UInt8](repeating: 183, count: 8), 1_990), ([UInt8](repeating: 244, count: 960), 9_000),
    ]
    for (key, bytes) in others {
      let value = [UInt8](repeating: key[0], count: bytes)
      try tx.put(tree, key, value)
      note(key, value)
    }
    try tx.savepoint()
    try tx.put(tree, [1], [2])
    _ = try tx.delete(tree, in: KeyRange(upper: [0x80]))
    try tx.rollbackSavepoint()
    for (number, key) in keys.enumerated() where number % 2 == 0 {
      if number % 4 == 0 {
        try key.withBytes { key throws(StorageError) in _ = try tx.delete(tree, key) }
        note(key, nil)
      } else {
        let value = [UInt8](repeating: 7, count: 300)
        try tx.put(tree, key, value)
        note(key, value)
      }
    }
    if keys.count > 3 {
      let (lower, upper) = (keys[keys.count / 3], keys[keys.count * 2 / 3])
      _ = try tx.delete(tree, in: KeyRange(lower: lower, upper: upper))
      for key in keys + others.map(\.key)
      where !key.lexicographicallyPrecedes(lower) && key.lexicographicallyPrecedes(upper) {
        note(key, nil)
      }
    }
    _ = try tx.commit()
  }
}

/// Stores to begin with, most of which are small: their keys are compared for each input.
private enum PageSeeds {
  private typealias Put = (TreeID, [UInt8], [UInt8]) throws(StorageError) -> Void

  /// A store as the engine makes it.
  private static func written(_ body: (Put) throws -> Void) throws -> [UInt8] {
    let base = MemoryEngine()
    let tx = try SealedEngine(checksumming: base).beginWrite(timeout: 0)
    try body { tree, key, value throws(StorageError) in try tx.put(tree, key, value) }
    _ = try tx.commit()
    return try PageImage(base).bytes
  }

  static func ofTwoPages() throws -> [UInt8] {
    try written { put in
      for entry in 0..<UInt8(150) { try put(0, [0, entry], [UInt8](repeating: entry, count: 30)) }
      try put(0, [0, 7, 7], [UInt8](repeating: 0, count: 8_500) + [1])
    }
  }

  static func ofManyTrees() throws -> [UInt8] {
    try written { put in
      for tree in [0, 1, 9, 1 << 20] as [TreeID] { try put(tree, [UInt8(tree & 0xFF)], Array("value".utf8)) }
    }
  }

  /// A tree whose pages are nearly empty, so that it has three levels in few bytes.
  static func ofThreeLevels() -> [UInt8] {
    var image = PageImage()
    var children: [(key: UInt8, page: UInt8, count: UInt64)] = []
    for page in 1...UInt8(6) {
      let entries = [page * 2, page * 2 + 1].map { [1, 0, 2, 0, $0, 1, 2] as [UInt8] }
      image.append(page, level: 0, entries)
      children.append((page * 2, page, 2))
    }
    var page: UInt8 = 7
    for level in 1...UInt8(2) {
      var parents: [(key: UInt8, page: UInt8, count: UInt64)] = []
      for first in stride(from: 0, to: children.count, by: 3) {
        let group = children[first..<min(children.count, first + 3)]
        let entries = group.map { PageImage.branch($0.page == group.first?.page ? [] : [$0.key], $0) }
        image.append(page, level: level, entries)
        parents.append((group.first?.key ?? 0, page, group.reduce(0) { $0 + $1.count }))
        page += 1
      }
      children = parents
    }
    image.setRoot(nextPage: page, children[0])
    return image.bytes
  }
}
