#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  /// The state that a transaction sees.
  enum PostgreSQLBase {
    case version(CommitVersion)
    /// With many writers, the server's text of the snapshot. The version is asked for when it is needed.
    case view(String)
    /// With many writers, on a standby: its snapshots do not say which transactions are under way, so the transaction itself
    /// counts the commits that it sees.
    case standby
  }

  /// A read transaction on a connection of its own, and what a write transaction shares with it.
  class PostgreSQLReadTransaction: BackendReadTransaction {
    final let backend: PostgreSQLBackend
    final let connection: PostgreSQLConnection
    final var state: PostgreSQLSchemaState
    /// The state at the beginning.
    final let base: PostgreSQLBase
    /// The version of that state, once it was asked for.
    private final var baseVersion: CommitVersion?
    /// Set when the transaction reads a snapshot.
    final let snapshot: PostgreSQLSnapshot?
    final var isEnded = false
    /// The error after which the server takes no more statements of the transaction.
    final private(set) var failure: StorageError?
    /// Cursors that are open, the oldest first.
    final private(set) var portals: [PostgreSQLPortal] = []
    /// Cursors that the server closes with the next statement.
    private final var closing: [PostgreSQLPortal] = []
    /// Savepoints, and ends of them, that are sent with the next statement.
    final var unsent: [String] = []
    private final var models: [ModelID: PostgreSQLModel] = [:]

    /// - Parameter connection: One whose transaction has begun.
    init(
      _ backend: PostgreSQLBackend, _ connection: PostgreSQLConnection, _ state: PostgreSQLSchemaState,
      base: PostgreSQLBase, snapshot: PostgreSQLSnapshot? = nil
    ) {
      self.backend = backend
      self.connection = connection
      self.state = state
      self.base = base
      self.snapshot = snapshot
    }

    deinit {
      end()
    }

    final var schema: Schema { state.schema }

    func version() throws(StorageError) -> CommitVersion {
      try check()
      if let baseVersion { return baseVersion }
      let version: CommitVersion
      switch base {
      case .version(let known): version = known
      case .standby: version = CommitVersion(UInt64(clamping: try Self.integer(try query(backend.place.ownVersion), 0)))
      case .view(let view):
        if let found = backend.version(of: view) {
          version = found
        } else {
          // The transaction sees the commits as they were. Others may conflict with it because it reads them.
          version = CommitVersion(UInt64(clamping: try Self.integer(try query(backend.place.version(of: view)), 0)))
        }
      }
      baseVersion = version
      return version
    }

    // MARK: Checks

    /// Throws unless the transaction can be used.
    final func check() throws(StorageError) {
      if backend.isClosed { throw .storeClosed }
      if snapshot?.isClosed == true { throw .snapshotClosed }
      if isEnded { throw .ended }
      if let failure { throw failure }
    }

    /// Takes note of an error after which the server refuses the rest of the transaction.
    ///
    /// - Returns: The error to throw.
    final func noted(_ error: StorageError) -> StorageError {
      let isOver = connection.isLost || connection.isInError || backend.server.isConflict(error)
      guard failure == nil, isOver else { return error }
      let result = connection.isLost ? backend.pool.loss(error) : error
      failure = result
      // Nothing can save the transaction: what it has locked is given to the others now, and not when its body ends.
      if backend.server.isConflict(error), !connection.isLost { _ = try? connection.run("ROLLBACK") }
      return result
    }

    /// Forgets an error that the rollback of a savepoint is about to undo. A conflict with other transactions stays one.
    final func forgetFailure() {
      if !connection.isLost, failure.map(backend.server.isConflict) != true { failure = nil }
    }

    /// The model of a number, with what is used again from call to call.
    final func model(_ id: ModelID) throws(StorageError) -> PostgreSQLModel {
      if let model = models[id] { return model }
      let model = try PostgreSQLModel(try state.table(id))
      models[id] = model
      return model
    }

    /// Takes up another schema, in which models have other tables.
    final func adopt(_ state: PostgreSQLSchemaState) {
      self.state = state
      models = [:]
    }

    // MARK: Statements

    /// The commands that wait for the next statement, with which the caller sends them: they close cursors, and make and end
    /// savepoints.
    final func takeUnsent() -> [String] {
      guard !closing.isEmpty || !unsent.isEmpty else { return [] }
      defer { (closing, unsent) = ([], []) }
      return closing.filter { !$0.isLost }.map { "CLOSE \($0.name)" } + unsent
    }

    /// Sends statements in one trip, and before them the commands that wait for one.
    final func pipeline(_ statements: [PostgreSQLStatement]) throws(StorageError) -> [PostgreSQLResult] {
      let before = takeUnsent().map { PostgreSQLStatement.command($0) }
      guard !before.isEmpty || !statements.isEmpty else { return [] }
      do throws(StorageError) {
        return Array(try connection.pipeline(before + statements).dropFirst(before.count))
      } catch {
        throw noted(error)
      }
    }

    final func query(_ statement: PostgreSQLStatement) throws(StorageError) -> PostgreSQLResult {
      guard let result = try pipeline([statement]).last else { throw noted(.connectionLost()) }
      return result
    }

    // MARK: Cursors

    final func makePortal() -> PostgreSQLPortal {
      let portal = PostgreSQLPortal(connection.nextCursor())
      portals.append(portal)
      return portal
    }

    final func close(_ portal: PostgreSQLPortal) {
      guard let place = portals.lastIndex(where: { $0 === portal }) else { return }
      portals.remove(at: place)
      if !isEnded, !portal.isLost, portal.isOnServer { closing.append(portal) }
    }

    /// Takes note of the end of the cursors that were made since a point in time.
    ///
    /// - Parameter count: How many cursors the connection had named then.
    final func losePortals(after count: Int) {
      for portal in portals + closing where portal.number > count { portal.isLost = true }
    }

    // MARK: Rows

    final func row(
      _ model: ModelID, _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
      try check()
      return try stored(try self.model(model), key)
    }

    /// The row with a key, in the model's buffer.
    final func stored(
      _ model: PostgreSQLModel, _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
      var parameters = PostgreSQLParameters()
      try model.rowWriter.add(key: key, to: &parameters)
      let result = try using(model.table) { () throws(StorageError) in
        try query(PostgreSQLStatement(model.table.getSQL, parameters))
      }
      try model.reader.check(result)
      return result.count == 0 ? nil : try model.reader.read(result, 0, model.writer)
    }

    final func rows(
      _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
    ) throws(StorageError) {
      try check()
      let model = try self.model(model)
      // A body may make other calls, which use the model's buffer.
      let writer = RowWriter(model.table.layout)
      var first = 0
      while first < keys.count {
        let part = keys[first..<min(keys.count, first + model.reader.rows(in: 4 << 20, most: 1_000))]
        var parameters = PostgreSQLParameters()
        try model.rowWriter.add(part, to: &parameters)
        let result = try using(model.table) { () throws(StorageError) in
          try query(PostgreSQLStatement(model.table.getManySQL, parameters))
        }
        try model.reader.check(result)
        model.reader.note(result)
        var places: [Key: Int] = [:]
        for row in 0..<result.count {
          places[try Key(of: try model.reader.read(result, row, writer), model.table.layout)] = row
        }
        for (place, key) in part.enumerated() {
          let row = try places[key].map { (row) throws(StorageError) in try model.reader.read(result, row, writer) }
          try body(first + place, row)
        }
        first += part.count
      }
    }

    /// Asks for keys alone: whether the rest of a row can be read does not matter.
    final func missing(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
      try check()
      let model = try self.model(model)
      let reader = try PostgreSQLRowReader(model.table, [])
      let writer = RowWriter(model.table.layout)
      defer { withExtendedLifetime(writer) {} }
      var places: [Int] = []
      var first = 0
      while first < keys.count {
        let part = keys[first..<min(keys.count, first + 1_024)]
        var parameters = PostgreSQLParameters()
        try model.rowWriter.add(part, to: &parameters)
        let result = try using(model.table) { () throws(StorageError) in
          try query(PostgreSQLStatement(model.table.keysSQL, parameters))
        }
        try reader.check(result)
        var found: Set<Key> = []
        for row in 0..<result.count {
          found.insert(try Key(of: try reader.read(result, row, writer), model.table.layout))
        }
        for (place, key) in part.enumerated() where !found.contains(key) { places.append(first + place) }
        first += part.count
      }
      return places
    }

    // MARK: Queries

    final func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor { try rowCursor(query) }

    final func rowCursor(_ query: BoundQuery) throws(StorageError) -> PostgreSQLCursor {
      try check()
      return try PostgreSQLCursor(self, try PostgreSQLSelect(query, try state.table(query.model), in: state))
    }

    /// Calls the body with each row of a query.
    final func forEachRow(
      _ query: BoundQuery, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
      let cursor = try rowCursor(query)
      defer { cursor.close() }
      let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 64)
      rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
      defer { rows.deallocate() }
      while true {
        let count = try cursor.fill(rows)
        if count == 0 { return }
        for index in 0..<count { try body(rows[index]) }
      }
    }

    final func count(_ query: BoundQuery) throws(StorageError) -> Int {
      try check()
      let table = try state.table(query.model)
      let selection = try SQLSelection(query.predicate, table, in: state)
      guard selection.residual.isEmpty else {
        var narrow = query
        narrow.projection = []
        var count = 0
        try forEachRow(narrow) { (_) throws(StorageError) in count += 1 }
        return count
      }
      var values: [SQLConstant] = []
      var sql = "SELECT 1 FROM \(table.name)\(selection.whereClause(&values))"
      sql += PostgreSQLSelect.limitClause(query, &values)
      var parameters = PostgreSQLParameters()
      parameters.add(values, selection.lists)
      let result = try using(table) { () throws(StorageError) in
        try self.query(PostgreSQLStatement("SELECT count(*) FROM (\(sql)) q", parameters))
      }
      return try Int(Self.integer(result, 0))
    }

    /// A `bigint` of the first row.
    static func integer(_ result: PostgreSQLResult, _ column: Int) throws(StorageError) -> Int64 {
      let bytes = result.count > 0 ? result.bytes(0, column) : UnsafeRawBufferPointer(start: nil, count: 0)
      guard bytes.count == 8 else { throw StorageError(.corrupt, "the server did not return a number") }
      return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    }

    final func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan {
      try check()
      let table = try state.table(query.model)
      let select = try PostgreSQLSelect(query, table, in: state)
      var statement = PostgreSQLStatement("EXPLAIN (COSTS OFF) " + select.sql, select.parameters)
      statement.isPrepared = false
      // One of many writers avoids scans of whole tables. What is shown is the plan of a read, as everywhere.
      let avoidsScans =
        backend.manifest.writers == .many && !state.isSynced && self is PostgreSQLWriteTransaction
      let results = try pipeline(
        avoidsScans
          ? [.command("SET LOCAL enable_seqscan = on"), statement, .command("SET LOCAL enable_seqscan = off")]
          : [statement])
      let result = results[avoidsScans ? 1 : 0]
      let lines = (0..<result.count).compactMap { result.text($0, 0) }.map { $0.drop { $0 == " " } }
      // The lines below a step say with which values it is made.
      let access = lines.filter { $0.hasPrefix("->") || $0 == lines.first }.map { QueryPlan.Access.engine(String($0)) }
      return QueryPlan(
        backend: backend.manifest.name, access: access,
        pushed: select.selection.pushed.map { $0.describe(table.model, in: schema) },
        residual: select.selection.residual.map { $0.describe(table.model) },
        sorts: lines.contains { $0.contains("Sort") }, statement: select.sql)
    }

    func end() {
      guard !isEnded else { return }
      isEnded = true
      if !connection.isLost {
        if connection.isInError { _ = try? connection.run("ROLLBACK") } else { connection.sendEnd() }
      }
      backend.pool.give(connection)
    }
  }

  extension PostgreSQLReadTransaction: SubqueryTransaction {
    final func decidesSubqueries(_ predicate: BoundPredicate, of model: ModelID) throws(StorageError) -> Bool {
      try check()
      let selection = try SQLSelection(predicate, try state.table(model), in: state)
      return !selection.residual.contains(where: \.hasSubquery)
    }
  }
#endif
