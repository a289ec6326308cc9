import Foundation
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
    var keys: [Key] = []
    keys.reserveCapacity(documents.count)
    try words.documents.forEach(documents) { _, document throws(StorageError) in keys.append(document.key) }
    return (keys, isExcluded)
  }

  /// The keys of the found objects with their scores, the best first, and equal ones in the order of their keys.
  func ranked(_ search: TextSearch) throws(StorageError) -> [(key: Key, score: Double)] {
    let words = try words(of: search)
    let fielded = FieldedSearch(search, words.fields)
    let documents = try fielded.documents { () throws(StorageError) in try words.documents.all() }
    let weights = model.weights
    var keys: [Key] = []
    var lengths: [UInt64] = []
    try words.documents.forEach(documents) { _, document throws(StorageError) in
      keys.append(document.key)
      lengths.append(places.reduce(0) { $0 + UInt64(weights[$1]) * document.lengths[$1] })
    }
    let length = places.reduce(UInt64(0)) { $0 + UInt64(weights[$1]) * words.lengths[$1] }
    let ranking = SearchRanking(documents: words.count, length: length)
    let scores = fielded.scores(of: documents, ranking, lengths: lengths)
    return zip(keys, scores).map { ($0, $1) }.sorted { ($1.score, $0.key) < ($0.score, $1.key) }
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
      for place in places {
        var lists: [PostingList] = []
        for (term, isBeginning) in search.terms(in: model.languages[place]).all {
          let term = term.withUnsafeBufferPointer { SearchKey.term($0, in: model.slots[place]) }
          lists.append(try list(term, isBeginning: isBeginning))
        }
        fields.append(FieldedSearch.Field(weight: model.weights[place], lists: lists))
      }
      let documents = StoredDocuments(transaction, index.model, index.layout, properties: model.slots.count)
      return Words(
        fields: fields, count: Int(clamping: index.state.count), lengths: index.state.lengths, documents: documents)
    } catch {
      throw error.with(model: model.schema.name)
    }
  }

  /// The documents of a term, or of all terms with a beginning.
  private func list(_ term: [UInt8], isBeginning: Bool) throws(StorageError) -> PostingList {
    guard let index else { return PostingList() }
    let start = SearchKey.postings(term)
    let range = SearchKey.range(beginningWith: isBeginning ? start : start + [0])
    let query = index.model.rows(from: range.from, to: range.to)
    var lists: [PostingList] = []
    var current: [UInt8] = []
    try transaction.cursor(query).forEach { row throws(StorageError) in
      let view = try RowView(row, index.layout)
      let key = try view.bytes(index.layout.slots[0])
      let first = try SearchKey.row(of: key).multipliedReportingOverflow(by: SearchKey.documentsOfPostings)
      guard !first.overflow, first.partialValue <= PostingList.maximumDocument else { throw SearchBytes.damaged }
      let part = try PostingList(decoding: view.bytes(index.layout.slots[1]))
      let term = UnsafeRawBufferPointer(rebasing: key.dropLast(8))
      if lists.isEmpty || !term.elementsEqual(current) {
        lists.append(PostingList())
        current = Array(term)
      }
      lists[lists.count - 1].append(part, raisedBy: first.partialValue)
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
      }, count: 0, lengths: [UInt64](repeating: 0, count: model.slots.count), documents: ReadDocuments(documents: []))
    var documents: [SearchDocuments.Document] = []
    try transaction.cursor(BoundQuery(everyRowOf: model.schema)).forEach { row throws(StorageError) in
      let number = UInt64(documents.count)
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
      documents.append(SearchDocuments.Document(key: try model.key(row), lengths: lengths))
      return true
    }
    words.count = documents.count
    words.documents = ReadDocuments(documents: documents)
    return words
  }
}

/// The objects behind the numbers of documents.
private protocol SearchedDocuments {
  /// The numbers of all documents, ascending.
  func all() throws(StorageError) -> [UInt64]
  /// Calls the body with each of some documents, whose numbers ascend.
  func forEach(
    _ numbers: [UInt64], _ body: (UInt64, SearchDocuments.Document) throws(StorageError) -> Void
  ) throws(StorageError)
}

/// Documents whose texts were read.
private struct ReadDocuments: SearchedDocuments {
  var documents: [SearchDocuments.Document]

  func all() -> [UInt64] { documents.indices.map { UInt64($0) } }

  func forEach(
    _ numbers: [UInt64], _ body: (UInt64, SearchDocuments.Document) throws(StorageError) -> Void
  ) throws(StorageError) {
    for number in numbers { try body(number, documents[Int(number)]) }
  }
}

/// Documents of an index.
private struct StoredDocuments: SearchedDocuments {
  private let transaction: any BackendReadTransaction
  private let index: ModelSchema
  private let layout: RowLayout
  private let properties: Int

  init(_ transaction: any BackendReadTransaction, _ index: ModelSchema, _ layout: RowLayout, properties: Int) {
    self.transaction = transaction
    self.index = index
    self.layout = layout
    self.properties = properties
  }

  private func content(_ row: UnsafeRawBufferPointer) throws(StorageError) -> SearchDocuments {
    try SearchDocuments(decoding: RowView(row, layout).bytes(layout.slots[1]), properties: properties)
  }

  func all() throws(StorageError) -> [UInt64] {
    var numbers: [UInt64] = []
    let range = SearchKey.range(beginningWith: [2])
    try transaction.cursor(index.rows(from: range.from, to: range.to)).forEach { row throws(StorageError) in
      let key = try RowView(row, layout).bytes(layout.slots[0])
      let first = try SearchKey.row(of: key).multipliedReportingOverflow(by: SearchKey.documentsOfRow)
      guard !first.overflow, first.partialValue <= PostingList.maximumDocument else { throw SearchBytes.damaged }
      numbers += try content(row).documents.keys.sorted().map { first.partialValue + $0 }
      return true
    }
    return numbers
  }

  func forEach(
    _ numbers: [UInt64], _ body: (UInt64, SearchDocuments.Document) throws(StorageError) -> Void
  ) throws(StorageError) {
    var rest = numbers[...]
    while let first = rest.first {
      // The rows of some documents at once, and not of all: there may be many.
      var rows = [first / SearchKey.documentsOfRow]
      var end = rest.startIndex
      while end < rest.endIndex {
        let row = rest[end] / SearchKey.documentsOfRow
        if row != rows[rows.count - 1] {
          if rows.count == 256 { break }
          rows.append(row)
        }
        end += 1
      }
      var contents: [UInt64: SearchDocuments] = [:]
      try transaction.rows(index.id, rows.map { SearchKey.documents($0) }) { place, row throws(StorageError) in
        if let row { contents[rows[place]] = try content(row) }
      }
      for number in rest[..<end] {
        let content = contents[number / SearchKey.documentsOfRow]
        guard let document = content?.documents[number % SearchKey.documentsOfRow] else {
          throw StorageError(.corrupt, "the index of words names an object that it does not have")
        }
        try body(number, document)
      }
      rest = rest[end...]
    }
  }
}

extension ModelSchema {
  /// The rows of an index with keys in a range, in the order of their keys.
  fileprivate func rows(from start: Key, to end: Key) -> BoundQuery {
    var query = BoundQuery(everyRowOf: self)
    query.predicate = .and([
      .compare(slot: 0, .greaterOrEqual, .data(Data(start.bytes))), .compare(slot: 0, .less, .data(Data(end.bytes))),
    ])
    return query
  }
}
