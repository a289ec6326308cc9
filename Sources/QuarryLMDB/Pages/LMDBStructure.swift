import QuarryBackend
import QuarryKeyValue

/// Checks the data that LMDB follows blindly: every branch and leaf page of a state, and the lists of free pages.
///
/// LMDB takes its own pages as they are: a changed page ends the process, or makes LMDB write where it must not. In a sealed
/// store these are about one page of a hundred; the others have one sealed page each, which is authentic or not. So all of them
/// are checked before LMDB reads the first record, and nothing of it costs anything later on. In a plain store nearly all pages
/// are such, and the check is done on request (`OpenOptions.checksStructure`). References must lie in the file, no page may be
/// used twice or be free and in use, and trees have just the pages and the entries that their records say. Trees of other
/// programs in a plain store are not checked.
///
/// The layout is LMDB 0.9's (`MDB_page`, `MDB_node`, `MDB_db` in its source), data version 1.
///
/// - Complexity: A read of every branch and leaf page. A bit of memory for each page of the file, and 32 pages.
struct LMDBStructure: ~Copyable {
  private static let deepest = 31
  /// Pages 0 and 1 are the meta pages.
  private static let firstPage: UInt64 = 2

  private let file: LMDBFileReader
  private let meta: LMDBMeta
  private let format: LMDBFormat
  /// Whether the heads of pages that have values are read, too.
  private let readsHeads: Bool
  /// Pages that the file has in full.
  private let pagesThere: UInt64
  /// A bit for each page that is in use, or in a list of free ones.
  private var taken: [UInt64]
  /// A page for each level.
  private let pages: UnsafeMutableRawPointer
  private let places: UnsafeMutablePointer<UInt16>
  /// The trees that the main database names.
  private var trees: [(name: String, record: LMDBTreeRecord)] = []
  /// The last transaction whose free pages are listed.
  private var lastFreed: UInt64 = 0

  /// The pages visited, and the counts so far.
  private struct Visit {
    enum Kind { case free, main, tree }

    let kind: Kind
    let name: String
    let depth: Int
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0

    var order: LMDBKeyOrder { kind == .free ? .numbers : .bytes }
  }

  /// - Parameters:
  ///   - meta: Of the state, which a read transaction keeps as it is.
  ///   - readsHeads: Whether to check the heads of the pages that have values as well. One more read for each of them.
  init(
    _ file: LMDBFileReader, _ meta: LMDBMeta, _ format: LMDBFormat, readsHeads: Bool = false
  ) throws(StorageError) {
    let pagesThere = UInt64(try file.size() / meta.pageSize)
    // Pages missing at the end are free pages that were never written.
    guard meta.lastPage < pagesThere + 1 << 24 else { throw file.damaged("it was cut off") }
    self.file = file
    self.meta = meta
    self.format = format
    self.readsHeads = readsHeads
    self.pagesThere = pagesThere
    taken = Array(repeating: 0, count: Int(meta.lastPage / 64) + 1)
    pages = .allocate(byteCount: (Self.deepest + 1) * meta.pageSize, alignment: 16)
    places = .allocate(capacity: meta.pageSize / 2)
    places.initialize(repeating: 0, count: meta.pageSize / 2)
  }

  deinit {
    pages.deallocate()
    places.deallocate()
  }

  /// - Parameter other: The other meta page; nil where it has a commit that LMDB does not know of yet.
  /// - Throws: `corrupt`, naming the page; `io`.
  mutating func requireWhole(other: LMDBMeta?) throws(StorageError) {
    // The flags of the first record are also the environment's flags; a copy may have been created under a name of its own.
    guard meta.free.flags & ~0x4000 == 0x08, meta.main.flags == 0, meta.mapBytes < 1 << 62 else {
      throw file.damaged("a meta page has flags that no store has")
    }
    try visitTrees()
    if let other { try compare(other) }
  }

  private mutating func visitTrees() throws(StorageError) {
    try visit(meta.free, .free, "the lists of free pages")
    try visit(meta.main, .main, "the main database")
    for tree in trees { try visit(tree.record, .tree, "tree \(tree.name)") }
  }

  /// Every commit but the first lists pages that it freed: so the lists tell whether it is the newest commit that LMDB
  /// takes for it.
  private borrowing func compare(_ other: LMDBMeta) throws(StorageError) {
    if other.transaction == 0 {
      // In a store that was created or rewritten, the other meta page has no commit yet. One that has is the next commit's, which
      // a crash has left in part, or its number was changed: 2, 4, 8 and so on are one bit from it.
      if other.main.depth == 0 { return }
      guard try isTorn(other, ofCommit: meta.transaction + 1) else {
        throw file.damaged("a meta page has the number of another commit")
      }
      return
    }
    let otherKey = lastKey(of: other) ?? 0
    let isNewest = lastFreed > other.transaction
    if isNewest, otherKey <= other.transaction { return }
    guard isNewest, try isTorn(other, ofCommit: otherKey) else {
      throw file.damaged("a meta page has the number of another commit")
    }
  }

  /// Whether the other meta page is the part of the next commit that a crash left.
  ///
  /// Its first records are there, and not the last, nor the number, which is at the end, so that LMDB does not choose it. Records
  /// of two commits do not fit together; where all of them belong to one commit, its number was changed.
  private borrowing func isTorn(_ other: LMDBMeta, ofCommit number: UInt64) throws(StorageError) -> Bool {
    guard number == meta.transaction + 1, other.transaction == 0 || other.transaction + 1 == meta.transaction else {
      return false
    }
    var state = other
    state.transaction = number
    do throws(StorageError) {
      var structure = try LMDBStructure(file, state, format)
      try structure.visitTrees()
      return false
    } catch {
      guard error.code == .corrupt else { throw error }
      return true
    }
  }

  /// The last transaction whose free pages the other state lists; nil when its pages are not as they were.
  private borrowing func lastKey(of other: LMDBMeta) -> UInt64? {
    do throws(StorageError) {
      var number = other.free.root
      for _ in 0..<Self.deepest where number < pagesThere {
        let page = try read(number, 0)
        if page.isLeaf {
          let key = try page.key(page.count - 1)
          return key.count == 8 ? key.loadUnaligned(as: UInt64.self) : nil
        }
        number = try page.child(page.count - 1)
      }
      return nil
    } catch {
      return nil
    }
  }

  // MARK: Trees

  private mutating func visit(
    _ record: LMDBTreeRecord, _ kind: Visit.Kind, _ name: String
  ) throws(StorageError) {
    guard record.depth <= Self.deepest, (record.depth == 0) == (record.root == LMDBTreeRecord.noPage) else {
      throw file.damaged("\(name) has \(record.depth) levels and its root at page \(record.root)")
    }
    var visit = Visit(kind: kind, name: name, depth: Int(record.depth))
    if record.depth > 0 { try self.visit(record.root, level: 0, LMDBKeyBounds(), &visit) }
    guard visit.branchPages == record.branchPages, visit.leafPages == record.leafPages,
      visit.overflowPages == record.overflowPages, visit.entries == record.entries
    else {
      throw file.damaged(
        "\(name) has \(visit.entries) entries in \(visit.branchPages + visit.leafPages + visit.overflowPages) pages, "
          + "and its record says others")
    }
  }

  private borrowing func read(_ number: UInt64, _ level: Int) throws(StorageError) -> LMDBPage {
    let start = pages + level * meta.pageSize
    let room = UnsafeMutableRawBufferPointer(start: start, count: meta.pageSize)
    guard try file.read(into: room, at: Int(number) * meta.pageSize) == meta.pageSize else {
      throw file.damaged("it ends before page \(number)")
    }
    do throws(StorageError) {
      return try LMDBPage(at: start, size: meta.pageSize)
    } catch {
      throw file.damaged("page \(number) is of the wrong kind")
    }
  }

  /// Notes pages that are in use, or free.
  private mutating func take(_ number: UInt64, _ count: UInt64 = 1, until end: UInt64) throws(StorageError) {
    guard number >= Self.firstPage, number < end, count <= end - number else {
      throw file.damaged("a reference to page \(number), of \(end)")
    }
    for page in number..<number + count {
      let bit: UInt64 = 1 << (page % 64)
      guard taken[Int(page / 64)] & bit == 0 else { throw file.damaged("page \(page) is used twice") }
      taken[Int(page / 64)] |= bit
    }
  }

  private var usedEnd: UInt64 { min(meta.lastPage + 1, pagesThere) }

  private mutating func visit(
    _ number: UInt64, level: Int, _ bounds: LMDBKeyBounds, _ visit: inout Visit
  ) throws(StorageError) {
    try take(number, until: usedEnd)
    let page = try read(number, level)
    guard page.isLeaf == (level + 1 == visit.depth) else { throw file.damaged("page \(number) is of another level") }
    do throws(StorageError) {
      if let defect = try page.defect(
        number, visit.order, bounds, valuesShrink: visit.kind == .free || format == .plain, places)
      {
        throw file.damaged("page \(number): \(defect)")
      }
    } catch {
      throw file.damaged("page \(number), \(error.message)")
    }
    if page.isLeaf {
      visit.leafPages += 1
      visit.entries += UInt64(page.count)
      for index in 0..<page.count { try self.visitEntry(index, of: page, number, &visit) }
      return
    }
    // LMDB ends the process at a branch of one child.
    guard page.count > 1 || visit.kind == .free else { throw file.damaged("page \(number) has one child") }
    visit.branchPages += 1
    for index in 0..<page.count {
      let below = LMDBKeyBounds(
        lower: index == 0 ? bounds.lower : try page.key(index),
        upper: index + 1 < page.count ? try page.key(index + 1) : bounds.upper)
      try self.visit(page.child(index), level: level + 1, below, &visit)
    }
  }

  private mutating func visitEntry(
    _ index: Int, of page: LMDBPage, _ number: UInt64, _ visit: inout Visit
  ) throws(StorageError) {
    let flags = page.nodeFlags(page.place(index))
    switch visit.kind {
    case .main: try noteRecord(index, of: page, number, flags)
    case .tree where flags == 0: break
    case .tree where flags == 1:
      if let (first, count) = try page.largeValue(index) { try takeValue(first, count, &visit) }
    case .free where flags == 0:
      if let list = try page.value(index) { try takeFree(list, page.key(index)) }
    case .free where flags == 1:
      if let (first, count) = try page.largeValue(index) {
        try takeFree(first, count, page.key(index), &visit)
      }
    default: throw file.damaged("page \(number) has a record of a tree where none can be")
    }
  }

  /// The main database has the marker and the records of trees; a plain store's may have foreign records, too.
  private mutating func noteRecord(
    _ index: Int, of page: LMDBPage, _ number: UInt64, _ flags: UInt16
  ) throws(StorageError) {
    let key = try page.key(index)
    if flags == 0, key.elementsEqual(LMDBMarker.key) { return }
    let name = String(decoding: key, as: UTF8.self)
    guard let tree = TreeID(name), LMDBEnvironment.name(tree).utf8.elementsEqual(key) else {
      if format == .plain, flags <= 2 { return }
      throw file.damaged("page \(number) has a record that no sealed store has")
    }
    // LMDB takes 48 bytes, however long the record is.
    guard flags == 2, let value = try page.record(index) else {
      throw file.damaged("page \(number) has a record of tree \(name) that is none")
    }
    let record = LMDBTreeRecord(value)
    guard record.flags == 0 else { throw file.damaged("tree \(name) has flags that no store has") }
    trees.append((name, record))
  }

  // MARK: Pages of values

  /// The pages of a value. In a sealed store they are just as many as it needs. In a plain one a value that is written again in
  /// the transaction that has written it stays in its pages when they suffice (`mdb_cursor_put` in LMDB's source), so that
  /// their number stands in their head alone.
  private mutating func takeValue(_ first: UInt64, _ count: Int, _ visit: inout Visit) throws(StorageError) {
    let needed = try pagesNeeded(for: count, from: first)
    var pages = needed
    if format == .plain {
      guard let found = try pagesOfHead(first), found >= needed else {
        throw file.damaged("page \(first) is no head of a value")
      }
      pages = found
    } else if readsHeads, try pagesOfHead(first) != needed {
      throw file.damaged("page \(first) is no head of a value")
    }
    try take(first, UInt64(pages), until: usedEnd)
    visit.overflowPages += UInt64(pages)
  }

  /// How many pages as many bytes need, which are within the used ones.
  private borrowing func pagesNeeded(for count: Int, from first: UInt64) throws(StorageError) -> Int {
    let needed = LMDBPage.pages(for: count, size: meta.pageSize)
    guard first < usedEnd, UInt64(needed) <= usedEnd - first else {
      throw file.damaged("a reference to page \(first), of \(usedEnd)")
    }
    return needed
  }

  /// The number of pages that the head of a value says; nil where it is none.
  private borrowing func pagesOfHead(_ number: UInt64) throws(StorageError) -> Int? {
    let start = pages + Self.deepest * meta.pageSize
    let room = UnsafeMutableRawBufferPointer(start: start, count: LMDBPage.head)
    guard try file.read(into: room, at: Int(number) * meta.pageSize) == LMDBPage.head,
      LMDBPage.number(at: start) == number, LMDBPage.flags(at: start) == 4
    else { return nil }
    return LMDBPage.overflowPages(at: start)
  }

  // MARK: Free pages

  /// A list of free pages that has pages of its own, more than it needs where it became shorter in them.
  private mutating func takeFree(
    _ first: UInt64, _ count: Int, _ key: UnsafeRawBufferPointer, _ visit: inout Visit
  ) throws(StorageError) {
    let needed = try pagesNeeded(for: count, from: first)
    let bytes = try file.bytes(LMDBPage.head + count, at: Int(first) * meta.pageSize)
    try bytes.withBytes { bytes throws(StorageError) in
      guard let start = bytes.baseAddress, bytes.count == LMDBPage.head + count,
        LMDBPage.number(at: start) == first, LMDBPage.flags(at: start) == 4,
        let pages = LMDBPage.overflowPages(at: start), pages >= needed
      else { throw file.damaged("page \(first) is no head of a value") }
      try take(first, UInt64(pages), until: usedEnd)
      visit.overflowPages += UInt64(pages)
      try takeFree(UnsafeRawBufferPointer(rebasing: bytes[LMDBPage.head...]), key)
    }
  }

  /// A list of free pages: how many, and their numbers, the greatest first.
  private mutating func takeFree(
    _ list: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) {
    let transaction = key.loadUnaligned(as: UInt64.self)
    guard transaction > 0, transaction <= meta.transaction else {
      throw file.damaged("a list of free pages is of commit \(transaction), and the newest is \(meta.transaction)")
    }
    lastFreed = transaction
    guard list.count >= 8, list.count % 8 == 0 else {
      throw file.damaged("a list of free pages has \(list.count) bytes")
    }
    let count = list.loadLittleEndian(0, as: UInt64.self)
    guard count < UInt64(list.count / 8) else {
      throw file.damaged("a list of free pages is longer than its record")
    }
    var last = UInt64.max
    for index in 0..<Int(count) {
      let number = list.loadLittleEndian(8 + index * 8, as: UInt64.self)
      guard number < last else { throw file.damaged("a list of free pages is out of order") }
      try take(number, until: meta.lastPage + 1)
      last = number
    }
  }
}
