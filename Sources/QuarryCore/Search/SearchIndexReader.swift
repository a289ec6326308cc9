import QuarryBackend
import QuarryText

/// Finds objects by the words of their texts: from the index, or from the texts themselves where there is no index yet.
struct SearchIndexReader {
  private let transaction: any BackendReadTransaction
  private let model: SearchedModel
  /// The index, with its state; nil where the texts are read.
  private let index: (model: ModelSchema, layout: RowLayout, state: SearchState)?
  /// The searched properties, by their places among ``SearchedModel/slots``.
  private let places: [Int]

  /// - Parameters:
  ///   - model: The model, as the transaction's schema has it.
  ///   - slots: The properties that are searched; all searchable ones when nil.
  init(_ transaction: any BackendReadTransaction, _ model: SearchedModel, slots: [Int]?) throws(StorageError) {
    self.transaction = transaction
    self.model = model
    places = model.slots.indices.filter { slots?.contains(model.slots[$0]) ?? true }
    if let index = model.index, let state = try Self.state(of: model, in: transaction), state.isOf(model) {
      self.index = (index, RowLayout(index), state)
    } else {
      index = nil
    }
  }

  /// The state of a model's index; nil where none is stored.
  static func state(
    of model: SearchedModel, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> SearchState? {
    guard let index = model.index else { return nil }
    let layout = RowLayout(index)
    do throws(StorageError) {
      return try SearchKey.state.bytes.withBytes { key throws(StorageError) -> SearchState? in
        guard let row = try transaction.row(index.id, key) else { return nil }
        return try SearchState(decoding: RowView(row, layout).bytes(layout.slots[1]))
      }
    } catch {
      throw error.with(model: model.schema.name)
    }
  }

  // MARK: Results

  /// The keys of objects, and whether all other objects are found instead of them.
  func selection(_ search: TextSearch) throws(StorageError) -> (keys: [Key], isExcluded: Bool) {
    let words = try words(of: search)
    let fielded = FieldedSearch(search, words.fields)
    let (documents, isExcluded) = try fielded.selection { () throws(StorageError) in try words.documents.all() }
    return (try words.documents.keys(documents), isExcluded)
  }

  /// The keys of the found objects with their scores, the best first, and equal ones in the order of their keys.
  func ranked(_ search: TextSearch) throws(StorageError) -> [(key: Key, score: Double)] {
    let words = try words(of: search)
    let fielded = FieldedSearch(search, words.fields)
    let documents = try fielded.documents { () throws(StorageError) in try words.documents.all() }
    let weights = model.weights
    var keys: [Key] = []
    var lengths: [UInt64] = []
    keys.reserveCapacity(documents.count)
    lengths.reserveCapacity(documents.count)
    try words.documents.forEach(documents) { key, counts throws(StorageError) in
      keys.append(key)
      lengths.append(places.reduce(0) { $0 + UInt64(weights[$1]) * counts[$1] })
    }
    let length = places.reduce(UInt64(0)) { $0 + UInt64(weights[$1]) * words.lengths[$1] }
    let ranking = SearchRanking(documents: words.count, length: length)
    let scores = fielded.scores(of: documents, ranking, lengths: lengths)
    return zip(keys, scores).map { ($0, $1) }.sorted { $1.score != $0.score ? $1.score < $0.score : $0.key < $1.key }
  }

  // MARK: Words

  /// The lists of a search's terms, with the documents that they name.
  private struct Words {
    var fields: [FieldedSearch.Field]
    var count: Int
    /// The number of words of each searched property.
    var lengths: [UInt64]
    var documents: any SearchedDocuments
  }

  private func words(of search: TextSearch) throws(StorageError) -> Words {
    guard let index else { return try wordsOfTexts(search) }
    do throws(StorageError) {
      var fields: [FieldedSearch.Field] = []
      let positions = search.termsWithPositions
      for place in places {
        var lists: [PostingList] = []
        for (number, (term, isBeginning)) in search.terms(in: model.languages[place]).all.enumerated() {
          let term = term.withUnsafeBufferPointer { SearchKey.term($0, in: model.slots[place]) }
          lists.append(try list(term, isBeginning: isBeginning, positions: positions.contains(number)))
        }
        fields.append(FieldedSearch.Field(weight: model.weights[place], lists: lists))
      }
      let documents = StoredDocuments(transaction, index.model, index.layout, model)
      return Words(
        fields: fields, count: Int(clamping: index.state.count), lengths: index.state.lengths, documents: documents)
    } catch {
      throw error.with(model: model.schema.name)
    }
  }

  /// The documents of a term, or of all terms with a beginning.
  ///
  /// - Parameter positions: Whether the positions are needed, and not their number alone.
  private func list(
    _ term: [UInt8], isBeginning: Bool, positions: Bool
  ) throws(StorageError) -> PostingList {
    guard let index else { return PostingList() }
    let range = SearchKey.range(beginningWith: isBeginning ? SearchKey.postings(term) : SearchKey.whole(term))
    let query = index.model.rows(from: range.from, to: range.to)
    var lists: [PostingList] = []
    var current: [UInt8] = []
    try transaction.cursor(query).forEach { row throws(StorageError) in
      let view = try RowView(row, index.layout)
      let key = try view.bytes(index.layout.slots[0])
      let end = try SearchKey.row(of: key)
      let part = try PostingBlock.list(decoding: view.bytes(index.layout.slots[1]), positions: positions)
      let term = UnsafeRawBufferPointer(rebasing: key.dropLast(8))
      if lists.isEmpty || !term.elementsEqual(current) {
        lists.append(PostingList())
        current = Array(term)
      }
      if let first = part.documents.first, let last = part.documents.last {
        guard last <= end, lists[lists.count - 1].documents.last.map({ $0 < first }) ?? true else {
          throw SearchBytes.damaged
        }
        lists[lists.count - 1].append(part)
      }
      return true
    }
    return lists.isEmpty ? PostingList() : PostingList(uniting: lists)
  }

  /// The lists of the terms, from every text.
  private func wordsOfTexts(_ search: TextSearch) throws(StorageError) -> Words {
    let terms = places.map { search.terms(in: model.languages[$0]) }
    var words = Words(
      fields: zip(places, terms).map { place, terms in
        FieldedSearch.Field(
          weight: model.weights[place], lists: [PostingList](repeating: PostingList(), count: terms.all.count))
      }, count: 0, lengths: [UInt64](repeating: 0, count: model.slots.count), documents: ReadDocuments())
    var documents = ReadDocuments()
    try transaction.cursor(BoundQuery(everyRowOf: model.schema)).forEach { row throws(StorageError) in
      let number = UInt64(documents.keys.count)
      var lengths = [UInt64](repeating: 0, count: model.slots.count)
      let texts = try model.texts(row)
      for (field, place) in places.enumerated() {
        lengths[place] = SearchedTexts.forEach(texts[place]) { text, start in
          terms[field].forEachOccurrence(in: text) { term, position in
            guard let position = SearchedTexts.position(start, position) else { return }
            words.fields[field].lists[term].append(number, position: position)
          }
        }
        words.lengths[place] += lengths[place]
      }
      documents.keys.append(try model.key(row))
      documents.lengths.append(lengths)
      return true
    }
    words.count = documents.keys.count
    words.documents = documents
    return words
  }
}

/// The objects behind the numbers of documents.
private protocol SearchedDocuments {
  /// The numbers of all documents, ascending.
  func all() throws(StorageError) -> [UInt64]
  /// The keys of some documents, whose numbers ascend.
  func keys(_ numbers: [UInt64]) throws(StorageError) -> [Key]
  /// Calls the body with the key of each of some documents, whose numbers ascend, and the numbers of its words.
  func forEach(_ numbers: [UInt64], _ body: (Key, [UInt64]) throws(StorageError) -> Void) throws(StorageError)
}

/// Documents whose texts were read.
private struct ReadDocuments: SearchedDocuments {
  var keys: [Key] = []
  var lengths: [[UInt64]] = []

  func all() -> [UInt64] { keys.indices.map { UInt64($0) } }

  func keys(_ numbers: [UInt64]) -> [Key] { numbers.map { keys[Int($0)] } }

  func forEach(_ numbers: [UInt64], _ body: (Key, [UInt64]) throws(StorageError) -> Void) throws(StorageError) {
    for number in numbers { try body(keys[Int(number)], lengths[Int(number)]) }
  }
}

/// Documents of an index.
private struct StoredDocuments: SearchedDocuments {
  private let transaction: any BackendReadTransaction
  private let index: ModelSchema
  private let layout: RowLayout
  private let model: SearchedModel

  init(
    _ transaction: any BackendReadTransaction, _ index: ModelSchema, _ layout: RowLayout, _ model: SearchedModel
  ) {
    self.transaction = transaction
    self.index = index
    self.layout = layout
    self.model = model
  }

  private func reader(_ row: UnsafeRawBufferPointer) throws(StorageError) -> DocumentReader {
    DocumentReader(try RowView(row, layout).bytes(layout.slots[1]), model)
  }

  func all() throws(StorageError) -> [UInt64] {
    var numbers: [UInt64] = []
    let range = SearchKey.range(beginningWith: [2])
    try transaction.cursor(index.rows(from: range.from, to: range.to)).forEach { row throws(StorageError) in
      let key = try RowView(row, layout).bytes(layout.slots[0])
      let first = try SearchKey.row(of: key).multipliedReportingOverflow(by: SearchKey.documentsOfRow)
      guard !first.overflow else { throw SearchBytes.damaged }
      var reader = try reader(row)
      while try reader.next() { numbers.append(first.partialValue | reader.number) }
      return true
    }
    return numbers
  }

  func keys(_ numbers: [UInt64]) throws(StorageError) -> [Key] {
    var keys: [Key] = []
    keys.reserveCapacity(numbers.count)
    if model.numbering != .assigned {
      for number in numbers { if let key = model.numbering.key(of: number) { keys.append(key) } }
    } else {
      try forEach(numbers) { key, _ throws(StorageError) in keys.append(key) }
    }
    return keys
  }

  func forEach(_ numbers: [UInt64], _ body: (Key, [UInt64]) throws(StorageError) -> Void) throws(StorageError) {
    var rest = numbers[...]
    while let first = rest.first {
      // The rows of some documents at once, and not of all: there may be many.
      var rows = [first / SearchKey.documentsOfRow]
      var ends: [Int] = []
      var end = rest.startIndex
      while end < rest.endIndex {
        let row = rest[end] / SearchKey.documentsOfRow
        if row != rows[rows.count - 1] {
          ends.append(end)
          if rows.count == 256 { break }
          rows.append(row)
        }
        end += 1
      }
      if ends.count < rows.count { ends.append(end) }
      var start = rest.startIndex
      try transaction.rows(index.id, rows.map { SearchKey.documents($0) }) { place, row throws(StorageError) in
        guard let row else { throw Self.missing }
        var reader = try reader(row)
        for number in rest[start..<ends[place]] {
          repeat {
            guard try reader.next() else { throw Self.missing }
          } while reader.number < number % SearchKey.documentsOfRow
          guard reader.number == number % SearchKey.documentsOfRow else { throw Self.missing }
          try body(model.numbering.key(of: number) ?? Key(copying: reader.key), reader.lengths)
        }
        start = ends[place]
      }
      rest = rest[end...]
    }
  }

  private static let missing = StorageError(.corrupt, "the index of words names an object that it does not have")
}
