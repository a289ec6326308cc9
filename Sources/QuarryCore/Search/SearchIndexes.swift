import QuarryBackend
import QuarryText

/// The indexes of words of a store.
enum SearchIndexes {
  /// The names of models whose index is missing, has other properties or languages, or words of an older version.
  ///
  /// - Throws: `schemaTooNew` for an index of a later version.
  static func stale(in transaction: any BackendReadTransaction) throws(StorageError) -> [String] {
    try all(transaction.schema) { model throws(StorageError) in
      try SearchIndexReader.state(of: model, in: transaction)?.isOf(model) == true ? nil : model.schema.name
    }
  }

  /// Lets the commit of a transaction with ``SearchHooks`` build the indexes that are stale.
  static func settle(_ transaction: any BackendWriteTransaction) throws(StorageError) {
    for model in transaction.schema.models where !model.searchedSlots.isEmpty {
      // A write of no objects: the hooks look at the index before it.
      _ = try transaction.delete(model.id, [])
    }
  }

  /// The descriptions of indexes that were built because they were stale.
  static func sentences(of models: [String]) -> [String] {
    models.map { "the index of the words of \($0) was built" }
  }

  /// The indexes that do not have the words of the rows, a sentence for each.
  ///
  /// - Complexity: O(n) in the size of the texts and the indexes, in the memory of 16 bytes for each object.
  static func defects(_ reader: CheckReader) throws(StorageError) -> [String] {
    try all(reader.transaction.schema) { model throws(StorageError) in
      guard let index = model.index else { return nil }
      do throws(StorageError) {
        let transaction = reader.transaction
        guard let state = try SearchIndexReader.state(of: model, in: transaction), state.isOf(model) else { return nil }
        let stored = try WordSum(of: index, state, model, in: transaction)
        let expected = try WordSum(of: model, stored, in: transaction)
        if stored.isEqual(to: expected, state) { return nil }
      } catch {
        guard error.code == .corrupt else { throw error }
        try reader.goOn()
      }
      return "the index of words does not have the words of \(model.schema.name)"
    }
  }

  private static func all<R>(
    _ schema: Schema, _ body: (SearchedModel) throws(StorageError) -> R?
  ) throws(StorageError) -> [R] {
    var results: [R] = []
    for model in schema.models {
      guard let searched = SearchedModel(model, in: schema), let result = try body(searched) else { continue }
      results.append(result)
    }
    return results
  }
}

/// A sum over all words of an index, or of the texts, whose order has no effect.
private struct WordSum {
  private var sum: UInt64 = 0
  private var documents: UInt64 = 0
  private var lengths: [UInt64]
  /// The sum of the documents with their keys, and of the keys with their documents.
  private var keys: UInt64 = 0
  private var numbers: UInt64 = 0
  /// The keys of documents, by their numbers.
  private var documentsOfKeys: [UInt64: UInt64] = [:]

  private static func hash(_ parts: UInt64...) -> UInt64 {
    parts.withUnsafeBytes { XXH64.checksum($0) }
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 { XXH64.checksum(bytes) }

  private mutating func add(_ term: UInt64, _ document: UInt64, _ position: UInt32) {
    sum &+= Self.hash(term, document, UInt64(position))
  }

  /// The sum of an index.
  init(
    of index: ModelSchema, _ state: SearchState, _ model: SearchedModel, in transaction: any BackendReadTransaction
  ) throws(StorageError) {
    lengths = [UInt64](repeating: 0, count: model.slots.count)
    let layout = RowLayout(index)
    var last: (term: UInt64, document: UInt64)?
    try transaction.cursor(BoundQuery(everyRowOf: index)).forEach { row throws(StorageError) in
      let view = try RowView(row, layout)
      let key = try view.bytes(layout.slots[0])
      let value = try view.bytes(layout.slots[1])
      switch key.first {
      case 0: break
      case 1:
        for (long, number) in try SearchObjects(decoding: value).numbers {
          let object = long.bytes.isEmpty ? Array(key.dropFirst()) : long.bytes
          numbers &+= Self.hash(object.withUnsafeBytes { Self.hash($0) }, number)
        }
      case 2:
        let first = try SearchKey.row(of: key) &* SearchKey.documentsOfRow
        for (number, document) in try SearchDocuments(decoding: value, of: model).documents {
          let own = model.numbering.key(of: first &+ number) ?? document.key
          let object = own.bytes.withUnsafeBytes { Self.hash($0) }
          keys &+= Self.hash(object, first &+ number)
          documentsOfKeys[object] = first &+ number
          documents += 1
          for (place, length) in document.lengths.enumerated() { lengths[place] &+= length }
        }
      case 3:
        let term = Self.hash(UnsafeRawBufferPointer(rebasing: key.dropFirst().dropLast(9)))
        let list = try PostingBlock.list(decoding: value)
        // The rows of a term have their documents in one order.
        if term != last?.term { last = nil }
        if let first = list.documents.first, let end = list.documents.last {
          guard end <= (try SearchKey.row(of: key)), last.map({ $0.document < first }) ?? true else {
            throw SearchBytes.damaged
          }
          last = (term, end)
        }
        for (place, document) in list.documents.enumerated() {
          for position in list.positions(place) { add(term, document, position) }
        }
      default: throw SearchBytes.damaged
      }
      return true
    }
  }

  /// The sum of the texts, with the numbers that an index gives the objects.
  init(
    of model: SearchedModel, _ stored: WordSum, in transaction: any BackendReadTransaction
  ) throws(StorageError) {
    lengths = [UInt64](repeating: 0, count: model.slots.count)
    try transaction.cursor(BoundQuery(everyRowOf: model.schema)).forEach { row throws(StorageError) in
      let object = try model.key(row).bytes.withUnsafeBytes { Self.hash($0) }
      guard let document = stored.documentsOfKeys[object] else { throw SearchBytes.damaged }
      documents += 1
      keys &+= Self.hash(object, document)
      for (place, texts) in try model.texts(row).enumerated() {
        lengths[place] &+= SearchedTexts.forEachWord(texts, in: model.languages[place]) { term, position in
          let term = SearchKey.term(term, in: model.slots[place]).withUnsafeBytes { Self.hash($0) }
          add(term, document, position)
        }
      }
      return true
    }
    // Where a number is its key, the index has no rows of objects.
    numbers = model.numbering == .assigned ? keys : 0
  }

  func isEqual(to other: WordSum, _ state: SearchState) -> Bool {
    sum == other.sum && documents == other.documents && lengths == other.lengths && keys == other.keys
      && numbers == other.numbers && state.count == documents && state.lengths == lengths
  }
}
