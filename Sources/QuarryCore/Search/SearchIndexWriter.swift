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
  /// The documents whose words are written in parts, because one of their texts is very long.
  private var continued: Set<UInt64> = []
  /// No row of postings has this document or a later one.
  private var nextOfPostings: UInt64
  private var termBytes = 0
  private var documentBytes = 0
  /// About the bytes that the changes take in memory.
  var byteCount: Int { termBytes + documentBytes }

  /// About the bytes of changes that are kept before they are written.
  static let maximumBytes = 32 << 20
  /// About the bytes of changes of one text that are kept before they are written.
  private static let partBytes = 16 << 20
  /// The bytes of an object's texts that are compared before they are replaced.
  private static let comparedBytes = 1 << 20

  /// - Parameters:
  ///   - model: A model with an index.
  ///   - state: The stored state; nil for an index without rows.
  init(_ base: any BackendWriteTransaction, _ model: SearchedModel, _ index: ModelSchema, _ state: SearchState?) {
    self.base = base
    self.model = model
    self.index = index
    layout = RowLayout(index)
    rows = RowWriter(layout)
    self.state = state ?? SearchState(model)
    written = state
    nextOfPostings = state?.next ?? 0
  }

  // MARK: Objects

  /// Adds an object that the index does not have.
  func add(_ key: Key, _ texts: [[String]]) throws(StorageError) {
    let number = state.next
    state.next += 1
    state.count += 1
    let lengths = try addWords(of: texts, number)
    for (place, length) in lengths.enumerated() { state.lengths[place] &+= length }
    documentBytes += 2 * key.bytes.count + 160
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
    let bytes = (old + (new ?? [])).joined().reduce(0) { $0 + $1.utf8.count }
    let lengths =
      bytes > Self.comparedBytes
      ? try replaceWords(of: old, by: new, number) : try changeWords(of: old, to: new, number)
    if new == nil {
      state.count -= state.count == 0 ? 0 : 1
      objects[key] = .some(nil)
      documents[number] = .some(nil)
    } else {
      documents[number] = .some(SearchDocuments.Document(key: key, lengths: lengths))
    }
  }

  // MARK: Words

  /// Writes the words that differ between the texts of a document.
  ///
  /// - Returns: The number of words of each new text.
  private func changeWords(
    of old: [[String]], to new: [[String]]?, _ number: UInt64
  ) throws(StorageError) -> [UInt64] {
    var lengths: [UInt64] = []
    for (place, oldTexts) in old.enumerated() {
      let (before, oldLength) = positions(oldTexts, place)
      let (after, newLength) = positions(new?[place] ?? [], place)
      for (term, positions) in before where after[term] != positions {
        terms[term, default: Change()].removed.append(number)
        termBytes += term.count + 160
      }
      for (term, positions) in after where before[term] != positions {
        try terms[term, default: Change()].added.insert(number, positions)
        termBytes += term.count + 160 + 4 * positions.count
      }
      state.lengths[place] = state.lengths[place] &- oldLength &+ newLength
      lengths.append(newLength)
    }
    return lengths
  }

  /// Takes out all words of a document and adds others, in bounded memory: both texts may be very long.
  ///
  /// - Returns: The number of words of each new text.
  private func replaceWords(
    of old: [[String]], by new: [[String]]?, _ number: UInt64
  ) throws(StorageError) -> [UInt64] {
    try writePostings()
    continued.insert(number)
    for (place, texts) in old.enumerated() {
      let length = try forEachTerm(texts, place, number) { change, _ in
        if change.removed.last != number { change.removed.append(number) }
      }
      state.lengths[place] &-= length
    }
    try writePostings()
    let lengths = try addWords(of: new ?? old.map { _ in [] }, number)
    for (place, length) in lengths.enumerated() { state.lengths[place] &+= length }
    return lengths
  }

  /// Adds the words of a document that is behind all others of which words are kept.
  ///
  /// - Returns: The number of words of each text.
  private func addWords(of texts: [[String]], _ number: UInt64) throws(StorageError) -> [UInt64] {
    var lengths: [UInt64] = []
    for (place, texts) in texts.enumerated() {
      lengths.append(
        try forEachTerm(texts, place, number) { change, position in change.added.append(number, position: position) })
    }
    return lengths
  }

  /// Calls the body with the change of each word, and writes the changes when they are many.
  ///
  /// - Returns: The number of words.
  private func forEachTerm(
    _ texts: [String], _ place: Int, _ number: UInt64, _ body: (inout Change, UInt32) -> Void
  ) throws(StorageError) -> UInt64 {
    let slot = model.slots[place]
    var failure: StorageError?
    var start = termBytes
    let length = SearchedTexts.forEachWord(texts, in: model.languages[place]) { term, position in
      guard failure == nil else { return }
      let term = SearchKey.term(term, in: slot)
      termBytes += 5
      if terms[term] == nil { termBytes += term.count + 160 }
      body(&terms[term, default: Change()], position)
      guard termBytes - start > Self.partBytes || termBytes > 2 * Self.maximumBytes else { return }
      continued.insert(number)
      start = 0
      do throws(StorageError) { try writePostings() } catch { failure = error }
    }
    if let failure { throw failure }
    return length
  }

  private func positions(_ texts: [String], _ place: Int) -> (terms: [[UInt8]: [UInt32]], length: UInt64) {
    let slot = model.slots[place]
    var terms: [[UInt8]: [UInt32]] = [:]
    let length = SearchedTexts.forEachWord(texts, in: model.languages[place]) { term, position in
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
    try writePostings()
    // Rows behind these are new, and need no read.
    try writeDocuments(written?.next ?? 0)
    try writeObjects()
    var batch = RowBatch()
    batch.append(try row(SearchKey.state, state.encoded))
    _ = try base.upsert(index.id, batch, .replace)
    written = state
    objects = [:]
    documents = [:]
    continued = []
    documentBytes = 0
  }

  /// Some documents of one term that are in one row.
  private struct Postings {
    var key: Key
    var isNew: Bool
    var first: UInt64
    var added: [(document: UInt64, positions: ArraySlice<UInt32>)] = []
    var removed: [UInt64] = []
  }

  /// Writes what is kept of terms.
  private func writePostings() throws(StorageError) {
    var part: [Postings] = []
    for term in terms.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let change = terms[term] else { continue }
      var rows: [UInt64: Postings] = [:]
      func row(_ document: UInt64) -> UInt64 {
        let row = document / SearchKey.documentsOfPostings
        if rows[row] == nil {
          let first = row * SearchKey.documentsOfPostings
          rows[row] = Postings(key: SearchKey.postings(term, row), isNew: first >= nextOfPostings, first: first)
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
    nextOfPostings = state.next
    terms = [:]
    termBytes = 0
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
        if continued.contains(document) { continue }
        throw StorageError(.corrupt, "the index of words lacks a document", model: model.schema.name)
      }
      for (document, positions) in postings.added {
        let number = document - postings.first
        guard continued.contains(document), let index = list.index(of: number) else {
          try list.insert(number, positions)
          continue
        }
        let before = Array(list.positions(index))
        list.remove(number)
        try list.insert(number, before + positions.drop { $0 <= before[before.count - 1] })
      }
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
