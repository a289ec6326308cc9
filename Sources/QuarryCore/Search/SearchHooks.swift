import QuarryBackend

/// The hooks of a write transaction that keep the indexes of words as the rows are.
///
/// For each object that is written to, they keep the texts that the index has of it. Before the index is read, before a savepoint
/// and before the commit, they read the present texts and write the differences. A savepoint that is undone takes the rows and
/// the index back together. Objects that are added are divided into words at once.
///
/// A model whose search was changed in the transaction, or whose index is missing or of an older version, gets a new index before
/// the commit.
final class SearchHooks: TransactionHooks, ChangesOfBase {
  /// The changes of one model that are not in its index yet.
  private struct Pending {
    var writer: SearchIndexWriter
    /// The objects that were added to the writer.
    var added: Set<Key> = []
    /// The texts that the index has of other objects that were written to; nil for an object that it does not have.
    var texts: [Key: [[String]]?] = [:]
    var byteCount = 0
  }

  private let base: any BackendWriteTransaction
  private var pending: [ModelID: Pending] = [:]
  /// The models that get a new index.
  private var rebuilds: Set<ModelID> = []
  /// The value of `rebuilds` at the beginning of each savepoint.
  private var savepoints: [Set<ModelID>] = []
  private var map: SearchMap

  init(_ base: any BackendWriteTransaction) {
    self.base = base
    map = SearchMap(base.schema)
  }

  // MARK: Models

  private func refreshMap() {
    if map.version != base.schemaVersion { map = SearchMap(base.schema) }
  }

  /// The model, if changes of its objects are to be kept one by one.
  private func searched(_ id: ModelID) throws(StorageError) -> SearchedModel? {
    guard let model = map.models[id], !rebuilds.contains(id) else { return nil }
    if pending[id] != nil { return model }
    guard let index = model.index, let state = try SearchIndexReader.state(of: model, in: base), state.isOf(model)
    else {
      rebuilds.insert(id)
      return nil
    }
    pending[id] = Pending(writer: SearchIndexWriter(base, model, index, state))
    return model
  }

  // MARK: Keeping

  private func keys(of rows: borrowing RowBatch, _ model: SearchedModel) throws(StorageError) -> [Key] {
    var keys: [Key] = []
    keys.reserveCapacity(rows.count)
    try rows.forEach { _, row throws(StorageError) in keys.append(try model.key(row)) }
    return keys
  }

  /// Keeps the texts of objects that are about to be written to.
  private func remember(_ model: SearchedModel, _ keys: [Key]) throws(StorageError) {
    let id = model.schema.id
    if let added = pending[id]?.added, keys.contains(where: added.contains) { try settle(id) }
    guard try searched(id) != nil else { return }
    let fresh = keys.filter { pending[id]?.texts[$0] == nil }
    guard !fresh.isEmpty else { return }
    try base.rows(id, fresh) { place, row throws(StorageError) in
      try keep(id, fresh[place], try row.map { row throws(StorageError) in try model.texts(row) })
    }
  }

  private func keep(_ id: ModelID, _ key: Key, _ texts: [[String]]?) throws(StorageError) {
    let bytes = texts?.reduce(0) { $0 + $1.reduce(0) { $0 + $1.utf8.count } } ?? 0
    pending[id]?.texts[key] = .some(texts)
    pending[id]?.byteCount += bytes + key.bytes.count + 160
  }

  /// Keeps the texts of the objects of a query.
  private func remember(_ model: SearchedModel, _ query: BoundQuery) throws(StorageError) {
    var whole = query
    whole.projection = nil
    var keys: [Key] = []
    try base.cursor(whole).forEach { row throws(StorageError) in
      keys.append(try model.key(row))
      return true
    }
    for start in stride(from: 0, to: keys.count, by: 1_024) {
      try remember(model, Array(keys[start...].prefix(1_024)))
    }
  }

  /// Adds the words of objects that were just inserted.
  private func add(_ rows: borrowing RowBatch, _ id: ModelID) throws(StorageError) {
    guard let model = try searched(id) else { return }
    try rows.forEach { _, row throws(StorageError) in
      let key = try model.key(row)
      // Removed before in the same transaction: the index has it still.
      if pending[id]?.texts[key] != nil { return }
      try pending[id]?.writer.add(key, model.texts(row))
      pending[id]?.added.insert(key)
    }
    try settleIfLarge(id)
  }

  private func settleIfLarge(_ id: ModelID) throws(StorageError) {
    guard let pending = pending[id], pending.byteCount + pending.writer.byteCount > SearchIndexWriter.maximumBytes
    else { return }
    try settle(id)
  }

  // MARK: Writing the index

  /// Writes what is kept.
  private func writeAll() throws(StorageError) {
    for id in pending.keys.sorted(by: { $0.rawValue < $1.rawValue }) { try settle(id) }
  }

  /// Brings all indexes to the rows, for the commit.
  private func settleAll() throws(StorageError) {
    refreshMap()
    for id in map.models.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      // A transaction without these hooks has made the model searchable.
      if map.models[id]?.index == nil { rebuilds.insert(id) }
      try settle(id)
    }
  }

  /// Brings the index of a model to the rows.
  private func settle(_ id: ModelID) throws(StorageError) {
    guard let model = map.models[id] else { return }
    do throws(StorageError) {
      if rebuilds.contains(id) {
        try rebuild(model)
        return
      }
      guard var changes = pending[id] else { return }
      try write(&changes, model)
      pending[id] = changes
    } catch {
      // The index is behind its rows, or between: the next time it is built again.
      pending[id] = nil
      rebuilds.insert(id)
      throw error
    }
  }

  private func write(_ changes: inout Pending, _ model: SearchedModel) throws(StorageError) {
    let keys = changes.texts.keys.sorted()
    var rest = keys[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(256))
      rest = rest.dropFirst(256)
      var texts: [[[String]]?] = []
      try base.rows(model.schema.id, part) { _, row throws(StorageError) in
        texts.append(try row.map { row throws(StorageError) in try model.texts(row) })
      }
      for (key, new) in zip(part, texts) {
        switch (changes.texts[key].flatMap { $0 }, new) {
        case (nil, nil): break
        case (nil, let new?): try changes.writer.add(key, new)
        case (let old?, let new):
          if new.map({ Self.isEqual(old, $0) }) != true { try changes.writer.change(key, old, new) }
        }
      }
      if changes.writer.byteCount > SearchIndexWriter.maximumBytes { try changes.writer.flush() }
    }
    try changes.writer.flush()
    changes.texts = [:]
    changes.added = []
    changes.byteCount = 0
  }

  /// Texts are compared by their bytes: the tokenizer does not know equal strings of different bytes as one.
  private static func isEqual(_ left: [[String]], _ right: [[String]]) -> Bool {
    left.elementsEqual(right) { $0.elementsEqual($1) { $0.utf8.elementsEqual($1.utf8) } }
  }

  /// Builds the index of a model from all its rows.
  private func rebuild(_ model: SearchedModel) throws(StorageError) {
    let id = model.schema.id
    pending[id] = nil
    if let index = base.schema.searchIndex(of: model.schema) { try base.apply(.dropModel(index.id)) }
    try base.apply(.createModel(InternalModel.search(of: model.schema.name)))
    refreshMap()
    guard let model = map.models[id], let index = model.index else { return }
    let writer = SearchIndexWriter(base, model, index, nil)
    try base.cursor(BoundQuery(everyRowOf: model.schema)).forEach { row throws(StorageError) in
      try writer.add(model.key(row), model.texts(row))
      if writer.byteCount > SearchIndexWriter.maximumBytes { try writer.flush() }
      return true
    }
    try writer.flush()
    rebuilds.remove(id)
    pending[id] = Pending(writer: writer)
  }

  // MARK: Reading

  func row(
    _ base: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try settleSubject(of: model)
    return try base.row(model, key)
  }

  func rows(
    _ base: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try settleSubject(of: model)
    try base.rows(model, keys, body)
  }

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    try settleSubject(of: query.model)
    return try base.cursor(query)
  }

  func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    try settleSubject(of: query.model)
    return try base.count(query)
  }

  /// Brings an index that is about to be read to the rows of its model. An index that is to be built again loses its state, so
  /// that the texts are read in its place.
  private func settleSubject(of index: ModelID) throws(StorageError) {
    guard let subject = map.subjects[index] else { return }
    if rebuilds.contains(subject) {
      _ = try base.delete(index, [SearchKey.state])
    } else if pending[subject] != nil {
      try settle(subject)
    }
  }

  // MARK: Writing

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    try base.insert(model, rows)
    try add(rows, model)
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    // The index of words is written between the batches.
    guard map.models[model] != nil, !rebuilds.contains(model) else { return try base.load(model, next) }
    try loadByInserting(base, model, next)
  }

  func upsert(
    _ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    if let searched = try searched(model) { try remember(searched, try keys(of: rows, searched)) }
    let count = try base.upsert(model, rows, policy)
    try settleIfLarge(model)
    return count
  }

  func getOrInsert(
    _ base: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let searched = try searched(model) else { return try base.getOrInsert(model, row) }
    let key = try searched.key(row)
    let found = try base.getOrInsert(model, row)
    if found == nil, pending[model]?.texts[key] == nil { try keep(model, key, nil) }
    return found
  }

  func update(_ base: Writer, _ update: RowUpdate) throws(StorageError) {
    if let searched = try searched(update.model), update.slots.map({ searched.isChanged(by: $0) }) ?? true {
      try remember(searched, [try searched.key(update.row)])
    }
    try update.run(base)
    try settleIfLarge(update.model)
  }

  func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    if let searched = try searched(model) { try remember(searched, keys) }
    let count = try base.delete(model, keys)
    try settleIfLarge(model)
    return count
  }

  func delete(_ base: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    guard let searched = try searched(model) else { return try base.delete(model, key: key) }
    try remember(searched, [Key(copying: key)])
    let isFound = try base.delete(model, key: key)
    try settleIfLarge(model)
    return isFound
  }

  func update(
    _ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]
  ) throws(StorageError) -> Int {
    if let searched = try searched(query.model), searched.isChanged(by: assignments.map(\.slot)) {
      try remember(searched, query)
    }
    let count = try base.update(query, assignments)
    try settleIfLarge(query.model)
    return count
  }

  func delete(_ base: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    if let searched = try searched(query.model) { try remember(searched, query) }
    let count = try base.delete(query)
    try settleIfLarge(query.model)
    return count
  }

  // MARK: Savepoints and the end

  func savepoint(_ base: Writer) throws(StorageError) {
    // A new index waits: where the savepoint is undone, it is still to be built.
    try writeAll()
    try base.savepoint()
    savepoints.append(rebuilds)
  }

  func releaseSavepoint(_ base: Writer) throws(StorageError) {
    try base.releaseSavepoint()
    _ = savepoints.popLast()
  }

  func rollbackSavepoint(_ base: Writer) throws(StorageError) {
    try base.rollbackSavepoint()
    // All that is kept was written since the savepoint, or since one inside it.
    pending = [:]
    rebuilds = savepoints.popLast() ?? []
    refreshMap()
  }

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    do throws(StorageError) {
      try settleAll()
    } catch {
      base.rollback()
      throw error
    }
    return try base.commit()
  }

  // MARK: Schema and repair

  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) {
    let before = base.schema
    // What is kept names slots of the schema as it is.
    try writeAll()
    try base.apply(change)
    switch change {
    case .dropModel(let id):
      pending[id] = nil
      rebuilds.remove(id)
      if let model = before.model(id: id), let index = before.searchIndex(of: model) {
        try base.apply(.dropModel(index.id))
      }
    case .renameModel(let id, let name):
      if let model = before.model(id: id), let index = before.searchIndex(of: model) {
        try base.apply(.renameModel(index.id, to: InternalModel.search(of: name).name))
      }
    default: break
    }
    let after = base.schema
    for model in after.models where !model.isInternal {
      let old = before.model(id: model.id)
      guard old.map(\.searches) ?? [:] != model.searches else { continue }
      if model.searchedSlots.isEmpty {
        pending[model.id] = nil
        rebuilds.remove(model.id)
        if let index = after.searchIndex(of: model) { try base.apply(.dropModel(index.id)) }
      } else {
        rebuilds.insert(model.id)
      }
    }
    // The writers know the schema as it was.
    pending = [:]
    map = SearchMap(base.schema)
  }

  func removeUnreadableRows(
    _ base: Writer, _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    rebuildAll()
    return try repairing(base).removeUnreadableRows(model, keep)
  }

  func correctDerivedValues(_ base: Writer, _ model: ModelID) throws(StorageError) -> Int {
    rebuildAll()
    return try repairing(base).correctDerivedValues(model)
  }

  /// A repair builds every index of words again from the rows that are left.
  private func rebuildAll() {
    pending = [:]
    rebuilds = Set(map.models.keys)
  }
}
