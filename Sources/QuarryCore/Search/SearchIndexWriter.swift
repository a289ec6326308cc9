import QuarryBackend
import QuarryText

/// Collects the changes of one index of words, and writes them together: many objects, and each term once.
final class SearchIndexWriter {
  let base: any BackendWriteTransaction
  let model: SearchedModel
  let index: ModelSchema
  private let layout: RowLayout
  private let rows: RowWriter
  private(set) var state: SearchState
  /// The stored state.
  private(set) var written: SearchState?
  /// The words that are to be added and taken out.
  private(set) var words = TermChanges()
  /// The number of each object that came, nil for one that went.
  private(set) var objects: [Key: UInt64?] = [:]
  /// By their numbers, nil for one that went.
  private(set) var documents: [UInt64: SearchDocuments.Document?] = [:]
  /// The documents whose words are written in parts, because one of their texts is very long.
  private(set) var continued: Set<UInt64> = []
  /// Whether the index has no postings yet.
  private(set) var hasNoPostings: Bool
  private var documentBytes = 0
  /// About the bytes that the changes take in memory.
  var byteCount: Int { words.byteCount + documentBytes }

  /// About the bytes of changes that are kept before they are written.
  static let maximumBytes = 64 << 20
  /// About the bytes of changes of one text that are kept before they are written.
  private static let partBytes = 32 << 20
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
    hasNoPostings = state == nil
  }

  // MARK: Objects

  /// Adds an object that the index does not have.
  func add(_ key: Key, _ texts: [[String]]) throws(StorageError) {
    let number: UInt64
    if let own = model.numbering.number(of: key) {
      number = own
    } else {
      number = state.next
      state.next += 1
      objects[key] = .some(number)
      documentBytes += 2 * key.bytes.count
    }
    state.count += 1
    let lengths = try addWords(of: texts, number)
    for (place, length) in lengths.enumerated() { state.lengths[place] &+= length }
    documentBytes += 160
    documents[number] = .some(SearchDocuments.Document(key: model.numbering.stored(key), lengths: lengths))
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
    documentBytes += 160
    if new == nil {
      state.count -= state.count == 0 ? 0 : 1
      if model.numbering == .assigned { objects[key] = .some(nil) }
      documents[number] = .some(nil)
    } else {
      documents[number] = .some(SearchDocuments.Document(key: model.numbering.stored(key), lengths: lengths))
    }
  }

  /// The number of an object of the index; nil where the index lacks it.
  private func number(of key: Key) throws(StorageError) -> UInt64? {
    if let number = model.numbering.number(of: key) { return number }
    let row = SearchKey.object(key)
    var number: UInt64?
    try base.rows(index.id, [row]) { _, row throws(StorageError) in
      guard let row else { return }
      number = try SearchObjects(decoding: value(row)).number(of: key)
    }
    return number
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
      let (before, oldLength) = places(oldTexts, place)
      let (after, newLength) = places(new?[place] ?? [], place)
      var (left, right) = (before[...], after[...])
      while let term = [left.first?.term, right.first?.term].compactMap({ $0 }).min() {
        let (gone, came) = (left.prefix { $0.term == term }, right.prefix { $0.term == term })
        left = left.dropFirst(gone.count)
        right = right.dropFirst(came.count)
        if gone.elementsEqual(came, by: { $0.position == $1.position }) { continue }
        if !gone.isEmpty { words.remove(term, number) }
        for place in came { words.add(term, number, place.position) }
      }
      state.lengths[place] = state.lengths[place] &- oldLength &+ newLength
      lengths.append(newLength)
    }
    return lengths
  }

  /// The places of the words of some texts, by the numbers of their terms, and the number of words.
  private func places(_ texts: [String], _ place: Int) -> (places: [(term: UInt32, position: UInt32)], length: UInt64) {
    var places: [(term: UInt32, position: UInt32)] = []
    let slot = model.slots[place]
    let length = SearchedTexts.forEachWord(texts, in: model.languages[place]) { term, position in
      places.append((words.number(term, in: slot), position))
    }
    places.sort { ($0.term, $0.position) < ($1.term, $1.position) }
    return (places, length)
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
      state.lengths[place] &-= try forEachTerm(texts, place, number) { words, term, _ in words.remove(term, number) }
    }
    try writePostings()
    let lengths = try addWords(of: new ?? old.map { _ in [] }, number)
    for (place, length) in lengths.enumerated() { state.lengths[place] &+= length }
    return lengths
  }

  /// Adds the words of a document.
  ///
  /// - Returns: The number of words of each text.
  private func addWords(of texts: [[String]], _ number: UInt64) throws(StorageError) -> [UInt64] {
    var lengths: [UInt64] = []
    for (place, texts) in texts.enumerated() {
      lengths.append(
        try forEachTerm(texts, place, number) { words, term, position in words.add(term, number, position) })
    }
    return lengths
  }

  /// Calls the body with the number of each word's term, and writes the changes when they are many.
  ///
  /// - Returns: The number of words.
  private func forEachTerm(
    _ texts: [String], _ place: Int, _ number: UInt64, _ body: (inout TermChanges, UInt32, UInt32) -> Void
  ) throws(StorageError) -> UInt64 {
    let slot = model.slots[place]
    var failure: StorageError?
    var start = words.byteCount
    let length = SearchedTexts.forEachWord(texts, in: model.languages[place]) { term, position in
      guard failure == nil else { return }
      let term = words.number(term, in: slot)
      body(&words, term, position)
      guard words.byteCount - start > Self.partBytes || words.byteCount > 2 * Self.maximumBytes else { return }
      continued.insert(number)
      start = 0
      do throws(StorageError) { try writePostings() } catch { failure = error }
    }
    if let failure { throw failure }
    return length
  }

  // MARK: Writing

  /// Writes the changes.
  func flush() throws(StorageError) {
    guard state != written || !words.isEmpty || !documents.isEmpty else { return }
    try writePostings()
    try writeDocuments()
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

  /// Writes what is kept of terms.
  private func writePostings() throws(StorageError) {
    let postings = PostingsWriter(self)
    try words.forEach { change, places throws(StorageError) in
      try postings.add(change, words.text(change.term), places)
    }
    try postings.finish()
    if !words.isEmpty { hasNoPostings = false }
    words.removeAll()
  }

  // MARK: Rows

  func value(_ row: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer {
    try RowView(row, layout).bytes(layout.slots[1])
  }

  func key(_ row: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer {
    try RowView(row, layout).bytes(layout.slots[0])
  }

  func row(_ key: Key, _ value: [UInt8]) throws(StorageError) -> UnsafeRawBufferPointer {
    rows.begin()
    key.bytes.withUnsafeBytes { rows.set(layout.slots[0], bytes: $0) }
    value.withUnsafeBytes { rows.set(layout.slots[1], bytes: $0) }
    return try rows.finish()
  }
}
