import QuarryBackend
import QuarryText

/// Writes the changes of terms into the rows of their postings.
///
/// A term has one row or several, each with the documents up to the number in its key. The key of the last one has the largest
/// number, so that it is found without a search. New documents of most terms go there.
final class PostingsWriter {
  /// The changes of one term.
  private struct Term {
    var text: ArraySlice<UInt8>
    var added: ArraySlice<TermChanges.Place>
    var removed: [UInt64]
  }

  private let writer: SearchIndexWriter
  private let isNew: Bool
  private var part: [Term] = []
  private var changes = RowChanges()

  init(_ writer: SearchIndexWriter) {
    self.writer = writer
    isNew = writer.hasNoPostings
  }

  /// Adds the changes of a term. Terms come in the order of their bytes.
  func add(
    _ change: TermChanges.Change, _ text: ArraySlice<UInt8>, _ places: [TermChanges.Place]
  ) throws(StorageError) {
    part.append(Term(text: text, added: places[change.added], removed: change.removed))
    if part.count == 512 { try finish() }
  }

  /// Writes what was added.
  func finish() throws(StorageError) {
    let part = part
    self.part = []
    let keys = part.map { SearchKey.lastPostings($0.text) }
    var last = [PostingBlock?](repeating: nil, count: part.count)
    if !isNew {
      try writer.base.rows(writer.index.id, keys) { place, row throws(StorageError) in
        if let row { last[place] = try PostingBlock(decoding: writer.value(row)) }
      }
    }
    for (place, term) in part.enumerated() {
      // A block is changed in its place, not copied.
      let block = last[place]
      last[place] = nil
      try write(term, keys[place], block)
    }
    var written = RowChanges()
    swap(&written, &changes)
    try written.write(writer.base, writer.index.id)
  }

  private func write(_ term: Term, _ key: Key, _ last: consuming PostingBlock?) throws(StorageError) {
    let first = term.added.first?.document
    let isStored = last != nil
    if term.removed.isEmpty, let first, last.map({ $0.count == 0 ? first >= $0.start : first > $0.last }) ?? true {
      var block = last ?? PostingBlock(start: first, follows: false)
      try append(term, &block)
      try changes.set(key, block.encoded, isStored: isStored, writer)
    } else {
      try change(term, key, last)
    }
  }

  /// Adds documents behind all others, and writes the blocks that become full.
  private func append(_ term: Term, _ block: inout PostingBlock) throws(StorageError) {
    var rest = term.added
    while let document = rest.first?.document {
      let places = rest.prefix { $0.document == document }
      rest = rest.dropFirst(places.count)
      if !block.hasRoom(for: document) {
        try changes.set(SearchKey.postings(term.text, upTo: block.last), block.encoded, isStored: false, writer)
        block = PostingBlock(start: document, follows: true)
      }
      if places.count == 1, let place = places.first {
        block.append(document, CollectionOfOne(place.position))
      } else {
        block.append(document, Self.positions(places))
      }
    }
  }

  private static func positions(_ places: ArraySlice<TermChanges.Place>) -> [UInt32] {
    var positions: [UInt32] = []
    for place in places where positions.last != place.position { positions.append(place.position) }
    return positions
  }

  // MARK: Documents between others

  /// Changes documents in any rows of a term.
  private func change(_ term: Term, _ lastKey: Key, _ last: PostingBlock?) throws(StorageError) {
    var added = term.added
    var removed = term.removed[...]
    while let document = [added.first?.document, removed.first].compactMap({ $0 }).min() {
      var (key, list): (Key, PostingList?) = (lastKey, nil)
      if let last, document >= last.start {
        list = try last.list()
      } else if last != nil, let found = try row(term, document) {
        (key, list) = found
      }
      let isLast = key == lastKey
      let end = isLast ? UInt64.max : try key.bytes.withBytes { key throws(StorageError) in try SearchKey.row(of: key) }
      let (came, went) = (added.prefix { $0.document <= end }, removed.prefix { $0 <= end })
      added = added.dropFirst(came.count)
      removed = removed.dropFirst(went.count)
      let stored = list
      list = try changed(list ?? PostingList(), came, Array(went))
      var blocks = PostingBlock.blocks(of: list ?? PostingList(), follows: last?.follows ?? false)
      if isLast, blocks.isEmpty, let last, last.follows {
        // The last row stays, so that later documents come behind the earlier rows.
        blocks = [PostingBlock(start: last.start, follows: true)]
      }
      for (place, block) in blocks.enumerated() {
        let isEnd = place == blocks.count - 1
        let own = isEnd ? key : SearchKey.postings(term.text, upTo: block.last)
        try changes.set(own, block.encoded, isStored: isEnd && stored != nil, writer)
      }
      if blocks.isEmpty { try changes.set(key, nil, isStored: stored != nil, writer) }
    }
  }

  /// The documents of a row with its changes.
  private func changed(
    _ stored: PostingList, _ added: ArraySlice<TermChanges.Place>, _ removed: [UInt64]
  ) throws(StorageError) -> PostingList {
    var list = stored
    let missing = list.remove(contentsOf: removed)
    guard missing.allSatisfy(writer.continued.contains) else {
      throw StorageError(.corrupt, "the index of words lacks a document", model: writer.model.schema.name)
    }
    var others = PostingList()
    var rest = added
    while let document = rest.first?.document {
      let places = rest.prefix { $0.document == document }
      rest = rest.dropFirst(places.count)
      var positions = Self.positions(places)
      if writer.continued.contains(document), let index = list.index(of: document) {
        let before = Array(list.positions(index))
        list.remove(document)
        positions = before + positions.drop { $0 <= before[before.count - 1] }
      }
      others.append(document, positions)
    }
    return try list.merging(others)
  }

  /// The row that has a document or would have it, and its documents.
  private func row(_ term: Term, _ document: UInt64) throws(StorageError) -> (Key, PostingList)? {
    var query = writer.index.rows(
      from: SearchKey.postings(term.text, upTo: document),
      to: SearchKey.range(beginningWith: SearchKey.whole(term.text)).to)
    query.limit = 1
    var found: (Key, PostingList)?
    try writer.base.cursor(query).forEach { row throws(StorageError) in
      found = (Key(copying: try writer.key(row)), try PostingBlock.list(decoding: writer.value(row)))
      return false
    }
    return found
  }
}
