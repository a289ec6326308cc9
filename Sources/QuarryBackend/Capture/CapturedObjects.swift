/// The objects of one model that a transaction has written to: their keys, and their rows before and after.
///
/// All bytes are in one buffer, so that an object takes no allocation of its own. Once the objects are settled, nothing changes
/// them, and any thread may read them.
final class CapturedObjects {
  /// How much is known of what a transaction does to the model.
  enum Knowledge {
    /// Nothing is remembered.
    case ignored
    /// It was written to.
    case touched
    /// The objects are known one by one.
    case objects
  }

  /// Bytes in the buffer.
  struct Piece {
    var start: Int
    /// The number of bytes; negative for one of the marks.
    var count: Int

    /// There is no row.
    static let none = Piece(start: 0, count: -1)
    /// The row is not known: it is read when it is needed.
    static let unknown = Piece(start: 0, count: -2)

    var isKnown: Bool { count != Piece.unknown.count }
    var isNone: Bool { count == Piece.none.count }
  }

  /// An object.
  struct Entry {
    var key: Piece
    /// The row before the first write.
    var old: Piece
    /// The row after the last write.
    var new = Piece.unknown
  }

  let model: ModelID
  /// Nil where the objects are not remembered.
  let layout: RowLayout?
  // One thread writes, and each call ends before the next: to check this again for each row takes as long as the rest.
  @exclusivity(unchecked) private(set) var knowledge: Knowledge
  @exclusivity(unchecked) private(set) var entries: [Entry] = []
  /// What is counted against the limit of a capture.
  @exclusivity(unchecked) private(set) var byteCount = 0
  /// The places of the objects that have changed, in the order of their keys, once they are settled.
  @exclusivity(unchecked) private(set) var changed: [Int] = []
  /// Whether the rows are among the changes.
  let keepsRows: Bool

  @exclusivity(unchecked) private var bytes: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int
  @exclusivity(unchecked) private var used = 0
  /// The bytes of rows after writes, which are read again where they would be too many.
  @exclusivity(unchecked) private var newBytes = 0
  private let limit: Int
  /// Whether the entries are in the order of their keys: then no table is needed.
  @exclusivity(unchecked) private var isAscending = true
  /// The places of the entries plus one by the hashes of their keys, and 0 for none. As many as a power of two.
  @exclusivity(unchecked) private var table: [Int32] = []
  @exclusivity(unchecked) private var merger: RowMerger?

  /// The additional bytes of an entry that are counted.
  static let bytesOfEach = 64

  init(_ model: ModelID, _ layout: RowLayout?, _ knowledge: Knowledge, keepsRows: Bool, limit: Int) {
    self.model = model
    self.layout = layout
    self.knowledge = knowledge
    self.keepsRows = keepsRows
    self.limit = limit
    capacity = knowledge == .objects ? 1024 : 1
    bytes = .allocate(byteCount: capacity, alignment: 8)
    if knowledge == .objects { entries.reserveCapacity(4) }
  }

  deinit {
    bytes.deallocate()
  }

  /// The bytes of a piece; nil for a mark.
  func bytes(_ piece: Piece) -> UnsafeRawBufferPointer? {
    piece.count < 0 ? nil : UnsafeRawBufferPointer(start: bytes + piece.start, count: piece.count)
  }

  func key(_ place: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + entries[place].key.start, count: entries[place].key.count)
  }

  /// Remembers from now on only that the model is written to.
  func forget() {
    knowledge = .touched
    entries = []
    table = []
    changed = []
    used = 0
  }

  // MARK: Writing

  /// The place of the object with a key; nil for one that was not written to.
  func place(of key: UnsafeRawBufferPointer) -> Int? {
    guard !entries.isEmpty else { return nil }
    guard isAscending else { return placeInTable(key) }
    let order = key.compare(self.key(entries.count - 1))
    if order >= 0 { return order == 0 ? entries.count - 1 : nil }
    var (low, high) = (0, entries.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if self.key(middle).precedes(key) { low = middle + 1 } else { high = middle }
    }
    return self.key(low).compare(key) == 0 ? low : nil
  }

  /// Adds an object that is not known.
  ///
  /// - Returns: Its place; nil where the limit is passed, so that nothing is known any more.
  func add(_ key: UnsafeRawBufferPointer, old: UnsafeRawBufferPointer?) -> Int? {
    byteCount += key.count + (old?.count ?? 0) + Self.bytesOfEach
    if byteCount > limit {
      forget()
      return nil
    }
    if isAscending, let last = entries.indices.last, !self.key(last).precedes(key) {
      isAscending = false
      makeTable(entries.count * 4)
    }
    entries.append(Entry(key: append(key), old: old.map(append) ?? .none))
    if !isAscending { enter(entries.count - 1) }
    return entries.count - 1
  }

  /// Notes the row that an object has now.
  func set(_ place: Int, new: UnsafeRawBufferPointer?) {
    guard let new else { return entries[place].new = .none }
    let known = entries[place].new
    if known.count >= new.count {
      (bytes + known.start).copyMemory(from: new)
      entries[place].new.count = new.count
      return
    }
    // Rows that are replaced by larger ones leave their bytes behind.
    newBytes += new.count
    entries[place].new = newBytes > limit ? .unknown : append(new)
  }

  /// Notes that an object has a row that is not known.
  func setUnknown(_ place: Int) { entries[place].new = .unknown }

  /// Notes that slots of an object's row were replaced.
  ///
  /// - Parameter isFirst: Whether that was the first write to the object.
  func merge(_ place: Int, _ row: UnsafeRawBufferPointer, _ slots: [Int], isFirst: Bool) throws(StorageError) {
    guard let layout else { return }
    // A row that is not known stays so.
    guard let before = bytes(isFirst ? entries[place].old : entries[place].new) else { return setUnknown(place) }
    let merger = merger ?? RowMerger(layout)
    self.merger = merger
    set(place, new: try merger.merge(old: before, new: row, slots: slots))
  }

  /// Notes that a savepoint was undone: the rows that objects have are not known any more.
  func forgetNew() {
    for place in entries.indices { entries[place].new = .unknown }
  }

  // MARK: Settling

  /// Finds out which objects have changed.
  ///
  /// - Parameter read: Reads the rows that the objects at these places have.
  func settle(_ read: ([Int], Reading) throws(StorageError) -> Void) throws(StorageError) {
    guard knowledge == .objects, let layout else { return }
    changed.reserveCapacity(entries.count)
    var unknown: [Int] = []
    for place in entries.indices {
      let new = entries[place].new
      guard new.isKnown else {
        unknown.append(place)
        continue
      }
      guard try hasChanged(place, to: bytes(new), layout) else { continue }
      changed.append(place)
      if keepsRows { byteCount += max(0, new.count) }
    }
    if !unknown.isEmpty {
      try read(unknown) { place, row throws(StorageError) in
        guard try hasChanged(place, to: row, layout) else { return }
        changed.append(place)
        guard let row else { return entries[place].new = .none }
        guard keepsRows else { return }
        byteCount += row.count
        if byteCount <= limit { entries[place].new = append(row) }
      }
    }
    if byteCount > limit { return forget() }
    if !isAscending {
      changed.sort { key($0).precedes(key($1)) }
    } else if !unknown.isEmpty {
      changed.sort()
    }
  }

  /// Takes the row that the object at a place has; nil for none.
  typealias Reading = (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void

  private func hasChanged(
    _ place: Int, to new: UnsafeRawBufferPointer?, _ layout: RowLayout
  ) throws(StorageError) -> Bool {
    let old = bytes(entries[place].old)
    guard let old, let new else { return old != nil || new != nil }
    if old.compare(new) == 0 { return false }
    return try RowView(old, layout).differs(from: RowView(new, layout), layout)
  }

  // MARK: Bytes

  private func append(_ piece: UnsafeRawBufferPointer) -> Piece {
    if used + piece.count > capacity { grow(used + piece.count) }
    if let base = piece.baseAddress { (bytes + used).copyMemory(from: base, byteCount: piece.count) }
    defer { used += piece.count }
    return Piece(start: used, count: piece.count)
  }

  private func grow(_ needed: Int) {
    capacity = max(needed, capacity * 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: bytes, byteCount: used)
    bytes.deallocate()
    bytes = larger
  }

  // MARK: The table

  private func makeTable(_ least: Int) {
    var count = 16
    while count < least { count *= 2 }
    table = Array(repeating: 0, count: count)
    for place in entries.indices { put(place) }
  }

  private func enter(_ place: Int) {
    if entries.count * 2 > table.count { makeTable(entries.count * 4) } else { put(place) }
  }

  private func put(_ place: Int) {
    var index = hash(key(place))
    while table[index] != 0 { index = (index + 1) & (table.count - 1) }
    table[index] = Int32(place + 1)
  }

  private func placeInTable(_ key: UnsafeRawBufferPointer) -> Int? {
    var index = hash(key)
    while table[index] != 0 {
      let place = Int(table[index]) - 1
      if self.key(place).compare(key) == 0 { return place }
      index = (index + 1) & (table.count - 1)
    }
    return nil
  }

  private func hash(_ key: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    return hasher.finalize() & (table.count - 1)
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func copyMemory(from row: UnsafeRawBufferPointer) {
    if let base = row.baseAddress { copyMemory(from: base, byteCount: row.count) }
  }
}
