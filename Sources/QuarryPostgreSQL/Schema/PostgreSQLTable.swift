#if PostgreSQL
  import QuarryBackend
  import QuarrySQL
  import Synchronization

  /// A model as a table, and the statements that are the same for every call.
  final class PostgreSQLTable: Sendable {
    let model: ModelSchema
    let layout: RowLayout
    /// The quoted name, with the schema's before it.
    let name: String
    /// The column of each slot; nil for dropped properties.
    let columns: [PostgreSQLColumn?]
    /// The columns that there are, in the order of their slots.
    let live: [PostgreSQLColumn]
    let key: PostgreSQLColumn
    /// Whether the table has the column for exact trees. It stays when the last property that needed it is dropped.
    let hasTrees: Bool

    /// Reads the row with a key, which is the parameter.
    let getSQL: String
    /// Reads the rows with the keys of an array, which is the parameter.
    let getManySQL: String
    /// Reads in one statement the version of the schema, the number of the store's table and the row with a key. If there is no
    /// such row, its columns are NULL.
    let getWithSchemaSQL: String
    /// The same for a statement without a transaction: it also takes the locks with which a transaction begins.
    let getAloneSQL: String
    let insertSQL: String
    let replaceSQL: String
    /// Inserts a row or replaces the one with its key.
    let upsertSQL: String
    /// Inserts a row unless there is one with its key.
    let addSQL: String
    let deleteSQL: String
    let deleteManySQL: String
    let copySQL: String
    /// Reads those keys of an array that rows have.
    let keysSQL: String

    /// Whether values may be of any length.
    let hasLongValues: Bool
    /// About the bytes of a large row, as the last results have shown; 0 where no row was read yet.
    private let largeRow = Atomic<Int>(0)

    init(_ model: ModelSchema, in place: PostgreSQLPlace) throws(StorageError) {
      self.model = model
      let layout = RowLayout(model)
      self.layout = layout
      let name = place.qualified(model.name)
      self.name = name
      var columns: [PostgreSQLColumn?] = []
      let indexed = Set(model.indexes.flatMap(\.columns).map(\.slot)).union([model.primaryKey])
      for (index, property) in model.properties.enumerated() {
        columns.append(
          property.isDropped
            ? nil : PostgreSQLColumn(layout.slots[index], property, isIndexed: indexed.contains(index)))
      }
      guard columns.indices.contains(model.primaryKey), let key = columns[model.primaryKey] else {
        throw StorageError(.corrupt, "the stored schema has a model without a primary key", model: model.name)
      }
      self.columns = columns
      self.key = key
      hasLongValues = columns.contains { $0.map { $0.kind.isLong || $0.kind == .tree } ?? false }
      let live = columns.compactMap(\.self)
      self.live = live
      hasTrees = model.properties.contains { $0.type == .nested || $0.type == .array }
      let names = live.map(\.name) + (hasTrees ? [PostgreSQLName.quoted(PostgreSQLName.exact)] : [])
      let list = names.joined(separator: ", ")
      // As ``PostgreSQLRowReader/list(_:)`` has it.
      let hasLiveTrees = live.contains { $0.kind == .tree }
      let read = live.map(\.name) + (hasLiveTrees ? [PostgreSQLName.quoted(PostgreSQLName.exact)] : [])
      let readList = read.joined(separator: ", ")
      getSQL = "SELECT \(readList) FROM \(name) WHERE \(Self.condition(key, 1))"
      getManySQL = "SELECT \(readList) FROM \(name) WHERE \(Self.conditionOfMany(key))"
      let fields = "SELECT s.schema_version, s.tableoid, \(read.map { "r.\($0)" }.joined(separator: ", ")) FROM "
      let joined = "\(place.store) s LEFT JOIN (\(getSQL)) r ON true"
      getWithSchemaSQL = fields + joined
      // The server locks the tables in this order, which is that of a transaction. With one writer, the line has no rows.
      getAloneSQL = "\(fields)\(place.line) l RIGHT JOIN (\(joined)) ON true"
      let marks = names.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
      insertSQL = "INSERT INTO \(name) (\(list)) VALUES (\(marks))"
      addSQL = insertSQL + " ON CONFLICT (\(Self.target(key))) DO NOTHING"
      // A key is among what is replaced, because it may have more than one spelling, as 0.0 and -0.0.
      let setters = names.map { "\($0) = EXCLUDED.\($0)" }.joined(separator: ", ")
      // The row before has a number in xmax that no new row has.
      upsertSQL = insertSQL + " ON CONFLICT (\(Self.target(key))) DO UPDATE SET \(setters) RETURNING (xmax = 0)"
      replaceSQL = Self.updateSQL(name, names, key)
      deleteSQL = "DELETE FROM \(name) WHERE \(Self.condition(key, 1))"
      deleteManySQL = "DELETE FROM \(name) WHERE \(Self.conditionOfMany(key))"
      keysSQL = "SELECT \(key.name) FROM \(name) WHERE \(Self.conditionOfMany(key))"
      copySQL = "COPY \(name) (\(list)) FROM STDIN (FORMAT binary)"
    }

    /// The columns first, the key last.
    private static func updateSQL(_ table: String, _ names: [String], _ key: PostgreSQLColumn) -> String {
      let setters = names.enumerated().map { "\($1) = $\($0 + 1)" }.joined(separator: ", ")
      return "UPDATE \(table) SET \(setters) WHERE \(condition(key, names.count + 1))"
    }

    // MARK: Keys

    /// What the unique index of the keys has: long ones by their beginnings and hashes, so that a key has any length.
    static func target(_ key: PostgreSQLColumn) -> String {
      keyParts(key).map(\.value).joined(separator: ", ")
    }

    /// The parts of that index.
    static func keyParts(_ key: PostgreSQLColumn) -> [PostgreSQLIndexParts.Part] {
      guard key.kind.isLong else { return [.init(key.name)] }
      let beginning = "(\(PostgreSQLBeginning.of(key.name, key.kind)))"
      return [.init(beginning), .init(PostgreSQLBeginning.rest(key.name, key.kind))]
    }

    /// The condition that the key is a parameter.
    static func condition(_ key: PostgreSQLColumn, _ parameter: Int) -> String {
      let whole = "\(key.name) = $\(parameter)"
      guard key.kind.isLong else { return whole }
      let beginning = PostgreSQLBeginning.of("$\(parameter)", key.kind)
      return "\(PostgreSQLBeginning.of(key.name, key.kind)) = \(beginning) AND \(whole)"
    }

    /// The condition that the key is in an array, the first parameter.
    static func conditionOfMany(_ key: PostgreSQLColumn) -> String {
      let whole = "\(key.name) = ANY($1)"
      guard key.kind.isLong else { return whole }
      return "\(PostgreSQLBeginning.isOne(key.name, key.kind, ofArray: "$1")) AND \(whole)"
    }

    /// The statement that writes some columns of the row with a key, which is the last parameter.
    func updateSQL(_ columns: [PostgreSQLColumn]) -> String { Self.updateSQL(name, columns.map(\.name), key) }

    // MARK: Sizes

    /// How many rows a statement asks for whose result is to have about so many bytes.
    ///
    /// - Parameter most: The number for rows that are small.
    func rows(in byteCount: Int, most: Int) -> Int {
      guard hasLongValues else { return most }
      let size = largeRow.load(ordering: .relaxed)
      // The first result of a table shows how large its rows are.
      return size == 0 ? min(most, 16) : min(most, max(1, byteCount / size))
    }

    /// Takes note of the size of the largest row of a result. A single large row is forgotten after some results without one.
    func note(rowOf byteCount: Int) {
      guard hasLongValues, byteCount > 0 else { return }
      let old = largeRow.load(ordering: .relaxed)
      let new = max(byteCount, old - old / 4)
      if new != old { largeRow.store(new, ordering: .relaxed) }
    }

    /// The column of a slot.
    ///
    /// - Throws: `invalidQuery` when there is none.
    func column(_ slot: Int) throws(StorageError) -> PostgreSQLColumn {
      guard columns.indices.contains(slot), let column = columns[slot] else {
        throw StorageError(.invalidQuery, "the model has no property in slot \(slot)", model: model.name)
      }
      return column
    }
  }

  extension PostgreSQLTable: SQLTable {
    var dialect: any SQLDialect { PostgreSQLDialect() }

    func named(_ slot: Int) throws(StorageError) -> SQLColumn { try column(slot).named }
  }
#endif
