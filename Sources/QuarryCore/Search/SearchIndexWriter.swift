import QuarryBackend
import QuarryText

/// Collects the changes of one index of words, and writes them together: many objects, and each term once.
final class SearchIndexWriter {
  /// The changes of one term's documents.
  private struct Change {
    var added = PostingList()
    var removed: [UInt64] = []
  }

  private let base: any BackendWriteTransaction
  private let model: SearchedModel
  private let index: ModelSchema
  private let layout: RowLayout
  private let rows: RowWriter
  private var state: SearchState
  /// The stored state.
  private var written: SearchState?
  /// By term and slot: ``SearchKey/term(_:in:)``.
  private var terms: [[UInt8]: Change] = [:]
  /// The number of each object that came, nil for one that went.
  private var objects: [Key: UInt64?] = [:]
  /// By their numbers, nil for one that went.
  private var documents: [UInt64: SearchDocuments.Document?] = [:]
  /// About the bytes that the changes take in memory.
  private(set) var byteCount = 0

  /// - Parameters:
  ///   - model: A model with an index.
  ///   - state: The stored state; nil for an index without rows.
  init(_ base: any BackendWriteTransaction, _ model: SearchedModel, _ index: ModelSchema, _ state: SearchState?) {
    self.base = base
    self.model = model
    self.index = index
    layout = RowLayout(index)
    rows = RowWriter(layout)
    self.state = state ?? SearchState(slots: model.slots)
    written = state
  }

  // MARK: Objects

  /// Adds an object that the index does not have.
  func add(_ key: Key, _ texts: [[String]]) {
    let number = state.next
    state.next += 1
    state.count += 1
    var lengths: [UInt64] = []
    for (place, texts) in texts.enumerated() {
      let slot = model.slots[place]
      let length = SearchedTexts.forEachWord(texts) { term, position in
        let term = SearchKey.term(term, in: slot)
        byteCount += 5
        if terms[term] == nil { byteCount += term.count + 160 }
        terms[term, default: Change()].added.append(number, position: position)
      }
      lengths.append(length)
      state.lengths[place] &+= length
    }
    byteCount += 2 * key.bytes.count + 160
    objects[key] = .some(number)
    documents[number] = .some(SearchDocuments.Document(key: key, lengths: lengths))
  }

  /// Gives an object of the index other texts, or takes it out.
  ///
  /// - Parameters:
  ///   - old: The texts that the index has of it.
  ///   - new: Nil for an object that was removed.
  /// - Throws: `corrupt` when the index does not have it.
  func change(_ key: Key, _ old: [[String]], _ new: [[String]]?) throws(StorageError) {
    guard let number = try number(of: key) else {
      throw StorageError(.corrupt, "the index of words lacks an object", model: model.schema.name)
    }
    var lengths: [UInt64] = []
    for (place, oldTexts) in old.enumerated() {
      let slot = model.slots[place]
      let (before, oldLength) = Self.positions(oldTexts, slot)
      let (after, newLength) = Self.positions(new?[place] ?? [], slot)
      for (term, positions) in before where after[term] != positions {
        terms[term, default: Change()].removed.append(number)
        byteCount += term.count + 160
      }
      for (term, positions) in after where before[term] != positions {
        try terms[term, default: Change()].added.insert(number, positions)
        byteCount += term.count + 160 + 4 * positions.count
      }
      state.lengths[place] = state.lengths[place] &- oldLength &+ newLength
      lengths.append(newLength)
    }
    if new == nil {
      state.count -= state.count == 0 ? 0 : 1
      objects[key] = .some(nil)
      documents[number] = .some(nil)
    } else {
      documents[number] = .some(SearchDocuments.Document(key: key, lengths: lengths))
    }
  }

  private static func positions(_ texts: [String], _ slot: Int) -> (terms: [[UInt8]: [UInt32]], length: UInt64) {
    var terms: [[UInt8]: [UInt32]] = [:]
    let length = SearchedTexts.forEachWord(texts) { term, position in
      let term = SearchKey.term(term, in: slot)
      if terms[term]?.last != position { terms[term, default: []].append(position) }
    }
    return (terms, length)
  }

  private func number(of key: Key) throws(StorageError) -> UInt64? {
    let row = SearchKey.object(key)
    var number: UInt64?
    try base.rows(index.id, [row]) { _, row throws(StorageError) in
      guard let row else { return }
      number = try SearchObjects(decoding: value(row)).number(of: key)
    }
    return number
  }

  // MARK: Writing

  /// Writes the changes.
  func flush() throws(StorageError) {
    guard state != written || !terms.isEmpty || !documents.isEmpty else { return }
    // Rows behind these are new, and need no read.
    let next = written?.next ?? 0
    try writePostings(next)
    try writeDocuments(next)
    try writeObjects()
    var batch = RowBatch()
    batch.append(try row(SearchKey.state, state.encoded))
    _ = try base.upsert(index.id, batch, .replace)
    written = state
    terms = [:]
    objects = [:]
    documents = [:]
    byteCount = 0
  }

  /// Some documents of one term that are in one row.
  private struct Postings {
    var key: Key
    var isNew: Bool
    var first: UInt64
    var added: [(document: UInt64, positions: ArraySlice<UInt32>)] = []
    var removed: [UInt64] = []
  }

  private func writePostings(_ next: UInt64) throws(StorageError) {
    var part: [Postings] = []
    for term in terms.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let change = terms[term] else { continue }
      var rows: [UInt64: Postings] = [:]
      func row(_ document: UInt64) -> UInt64 {
        let row = document / SearchKey.documentsOfPostings
        if rows[row] == nil {
          let first = row * SearchKey.documentsOfPostings
          rows[row] = Postings(key: SearchKey.postings(term, row), isNew: first >= next, first: first)
        }
        return row
      }
      for document in change.removed { rows[row(document)]?.removed.append(document) }
      for (index, document) in change.added.documents.enumerated() {
        rows[row(document)]?.added.append((document, change.added.positions(index)))
      }
      part += rows.sorted { $0.key < $1.key }.map(\.value)
      if part.count >= 512 {
        try write(part)
        part = []
      }
    }
    try write(part)
  }

  private func write(_ part: [Postings]) throws(StorageError) {
    let old = part.indices.filter { !part[$0].isNew }
    var lists: [Int: PostingList] = [:]
    try base.rows(index.id, old.map { part[$0].key }) { place, row throws(StorageError) in
      if let row { lists[old[place]] = try PostingList(decoding: value(row)) }
    }
    var changes = RowChanges()
    for (place, postings) in part.enumerated() {
      var list = lists[place] ?? PostingList()
      for document in postings.removed where !list.remove(document - postings.first) {
        throw StorageError(.corrupt, "the index of words lacks a document", model: model.schema.name)
      }
      for (document, positions) in postings.added { try list.insert(document - postings.first, positions) }
      try changes.set(postings.key, list.isEmpty ? nil : list.encoded(), isStored: lists[place] != nil, self)
    }
    try changes.write(base, index.id)
  }

  private func writeDocuments(_ next: UInt64) throws(StorageError) {
    let byRow = Dictionary(grouping: documents.keys) { $0 / SearchKey.documentsOfRow }
    let numbers = byRow.keys.sorted()
    let old = numbers.filter { $0 * SearchKey.documentsOfRow < next }
    var stored: [UInt64: SearchDocuments] = [:]
    try base.rows(index.id, old.map { SearchKey.documents($0) }) { place, row throws(StorageError) in
      if let row { stored[old[place]] = try SearchDocuments(decoding: value(row), properties: model.slots.count) }
    }
    var changes = RowChanges()
    for number in numbers {
      var content = stored[number] ?? SearchDocuments()
      for document in byRow[number] ?? [] {
        content.documents[document % SearchKey.documentsOfRow] = documents[document].flatMap { $0 }
      }
      let value = content.documents.isEmpty ? nil : content.encoded
      try changes.set(SearchKey.documents(number), value, isStored: stored[number] != nil, self)
    }
    try changes.write(base, index.id)
  }

  private func writeObjects() throws(StorageError) {
    var rows: [Key: SearchObjects] = [:]
    var stored: Set<Key> = []
    let long = objects.keys.filter { SearchKey.isLong($0) }.map { SearchKey.object($0) }
    try base.rows(index.id, long) { place, row throws(StorageError) in
      guard let row else { return }
      rows[long[place]] = try SearchObjects(decoding: value(row))
      stored.insert(long[place])
    }
    for (key, number) in objects {
      let row = SearchKey.object(key)
      rows[row, default: SearchObjects()].set(key, number)
      // An object that went was there, and one that came was not.
      if number == nil { stored.insert(row) }
    }
    var changes = RowChanges()
    for (key, content) in rows.sorted(by: { $0.key < $1.key }) {
      try changes.set(key, content.numbers.isEmpty ? nil : content.encoded, isStored: stored.contains(key), self)
    }
    try changes.write(base, index.id)
  }

  // MARK: Rows

  private func value(_ row: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer {
    try RowView(row, layout).bytes(layout.slots[1])
  }

  fileprivate func row(_ key: Key, _ value: [UInt8]) throws(StorageError) -> UnsafeRawBufferPointer {
    rows.begin()
    key.bytes.withUnsafeBytes { rows.set(layout.slots[0], bytes: $0) }
    value.withUnsafeBytes { rows.set(layout.slots[1], bytes: $0) }
    return try rows.finish()
  }
}

/// Rows of an index to be written together, in the order of their keys.
private struct RowChanges: ~Copyable {
  private var inserted = RowBatch()
  private var replaced = RowBatch()
  private var removed: [Key] = []

  /// Sets the value of a row, or removes the row.
  ///
  /// - Parameter isStored: Whether there is such a row.
  mutating func set(
    _ key: Key, _ value: [UInt8]?, isStored: Bool, _ writer: SearchIndexWriter
  ) throws(StorageError) {
    guard let value else {
      if isStored { removed.append(key) }
      return
    }
    let row = try writer.row(key, value)
    if isStored { replaced.append(row) } else { inserted.append(row) }
  }

  consuming func write(_ base: any BackendWriteTransaction, _ index: ModelID) throws(StorageError) {
    if !removed.isEmpty { _ = try base.delete(index, removed) }
    if replaced.count > 0 { _ = try base.upsert(index, replaced, .replace) }
    if inserted.count > 0 { try base.insert(index, inserted) }
  }
}
