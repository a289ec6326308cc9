#if PostgreSQL
  import BenchmarkHarness
  import Foundation

  /// PostgreSQL as one would use it from C: kept connections, prepared statements, binary forms, COPY, a binary cursor, the
  /// beginning of a transaction in one trip.
  ///
  /// The table, its columns and its indexes are those that Quarry makes. Everything that is read becomes structs.
  ///
  /// Unchecked Sendable: the idle writers change under their lock; the reader is used by the one thread that reads, which the
  /// protocol promises.
  final class RawPostgreSQLStore: BenchmarkStore, @unchecked Sendable {
    /// How it writes.
    enum Kind {
      /// Quarry's statements with one writer: a transaction holds the lock of the writers, and raises the number of the last commit.
      case ordered
      /// An insert or a read is a serializable statement, from any number of threads.
      case bare
    }

    private let place: BenchmarkServer.Place
    private let kind: Kind
    private let schema: String
    private let reader: RawPostgreSQLConnection
    private let condition = NSLock()
    private var idle: [RawPostgreSQLConnection] = []
    /// One thread of this store writes at a time, as Quarry's queue of writers has it.
    private let line = NSLock()

    private static let columns = "id, name, email, age, score, created, active, notes"
    /// The rows of a batch of the cursor, and the bytes of a part of a copy.
    private static let batch = 1_024
    private static let part = 1 << 18

    init(_ place: BenchmarkServer.Place, _ kind: Kind) throws {
      self.place = place
      self.kind = kind
      schema = "\"\(place.schema)\""
      let first = try RawPostgreSQLConnection(place.connection)
      defer { first.close() }
      _ = try first.execute(
        """
        CREATE SCHEMA IF NOT EXISTS \(schema);
        CREATE TABLE IF NOT EXISTS \(schema).person (id bigint PRIMARY KEY, name text COLLATE "C" NOT NULL,
          email text COLLATE "C" NOT NULL, age bigint NOT NULL, score double precision NOT NULL,
          created double precision NOT NULL, active boolean NOT NULL, notes text COLLATE "C");
        CREATE INDEX IF NOT EXISTS person_age ON \(schema).person (age, id);
        CREATE TABLE IF NOT EXISTS \(schema).line ();
        CREATE TABLE IF NOT EXISTS \(schema).commit (version bigint NOT NULL);
        INSERT INTO \(schema).commit SELECT 0 WHERE NOT EXISTS (SELECT FROM \(schema).commit)
        """)
      reader = try Self.connect(place, schema, kind)
    }

    private static func connect(
      _ place: BenchmarkServer.Place, _ schema: String, _ kind: Kind
    ) throws -> RawPostgreSQLConnection {
      typealias Types = RawPostgreSQLParameters
      let connection = try RawPostgreSQLConnection(place.connection)
      let isolation = kind == .bare ? "serializable" : "repeatable read"
      _ = try connection.execute(
        "SET default_transaction_isolation = '\(isolation)'; SET synchronous_commit = on")
      let table = "\(schema).person"
      let select = "SELECT \(columns) FROM \(table)"
      let statements: [(name: String, sql: String, types: [UInt32])] = [
        (
          "insert", "INSERT INTO \(table) (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
          RawPostgreSQLParameters.person
        ),
        ("get", "\(select) WHERE id = $1", [Types.int8]),
        ("range", "\(select) WHERE id >= $1 ORDER BY id LIMIT $2", [Types.int8, Types.int8]),
        ("age", "\(select) WHERE age = $1 ORDER BY id", [Types.int8]),
        ("count-age", "SELECT count(*) FROM \(table) WHERE age = $1", [Types.int8]),
        (
          "filter", "SELECT count(*) FROM \(table) WHERE score > $1 AND strpos(email, $2) > 0",
          [Types.float8, Types.text]
        ),
        ("sort", "\(select) ORDER BY email, id LIMIT $1", [Types.int8]),
        ("set-score", "UPDATE \(table) SET score = $1 WHERE id = $2", [Types.float8, Types.int8]),
        ("add-score", "UPDATE \(table) SET score = score + $1 WHERE age = $2", [Types.float8, Types.int8]),
        ("delete", "DELETE FROM \(table) WHERE id = $1", [Types.int8]),
        ("delete-age", "DELETE FROM \(table) WHERE age = $1", [Types.int8]),
      ]
      for statement in statements { try connection.prepare(statement.name, statement.sql, statement.types) }
      return connection
    }

    func close() throws {
      reader.close()
      for connection in idle { connection.close() }
      idle = []
    }

    // MARK: Transactions

    private func withWriter<R>(_ body: (RawPostgreSQLConnection) throws -> R) throws -> R {
      let connection = try condition.withLock { idle.popLast() } ?? Self.connect(place, schema, kind)
      // A connection whose work has failed is in a transaction, and is not used again.
      do {
        let result = try body(connection)
        condition.withLock { idle.append(connection) }
        return result
      } catch {
        connection.close()
        throw error
      }
    }

    private func write<R>(_ body: (RawPostgreSQLConnection) throws -> R) throws -> R {
      try line.withLock {
        try withWriter { connection in
          _ = try connection.execute(
            "BEGIN ISOLATION LEVEL REPEATABLE READ; LOCK TABLE \(schema).line IN EXCLUSIVE MODE; "
              + "SELECT version FROM \(schema).commit")
          let result = try body(connection)
          _ = try connection.execute("UPDATE \(schema).commit SET version = version + 1; COMMIT")
          return result
        }
      }
    }

    private func read<R>(_ body: (RawPostgreSQLConnection) throws -> R) throws -> R {
      _ = try reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT version FROM \(schema).commit")
      let result = try body(reader)
      // Nothing waits for the end.
      try reader.send("COMMIT")
      return result
    }

    // MARK: Inserts

    private func add(_ person: Person, _ connection: RawPostgreSQLConnection) throws {
      var parameters = RawPostgreSQLParameters()
      parameters.add(person)
      _ = try connection.run("insert", parameters)
    }

    func insert(_ people: [Person]) throws {
      try write { connection in
        try connection.copy("COPY \(schema).person (\(Self.columns)) FROM STDIN (FORMAT binary)") { send in
          var rows = RawPostgreSQLRows()
          for person in people {
            rows.add(person)
            guard rows.bytes.count >= Self.part else { continue }
            try rows.bytes.withUnsafeBytes(send)
            rows.removeAll()
          }
          rows.end()
          try rows.bytes.withUnsafeBytes(send)
        }
      }
    }

    func insertSingly(_ people: ArraySlice<Person>, _ latency: LatencyRecorder) throws {
      func add(_ connection: RawPostgreSQLConnection?, _ person: Person) throws {
        let start = latency.start()
        if let connection { try self.add(person, connection) } else { try write { try self.add(person, $0) } }
        latency.stop(start)
      }
      switch kind {
      case .ordered: for person in people { try add(nil, person) }
      case .bare: try withWriter { connection in for person in people { try add(connection, person) } }
      }
    }

    // MARK: Reads

    private func getOne(_ connection: RawPostgreSQLConnection, _ key: Int64, _ digest: inout Digest) throws {
      let found = try connection.run("get", RawPostgreSQLParameters(key))
      if found.count > 0 { digest.add(found.person(0)) }
    }

    func get(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
      try read { _ in try getSingly(keys, latency) }
    }

    func getSingly(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
      var digest = Digest()
      for key in keys {
        let start = latency.start()
        try getOne(reader, key, &digest)
        latency.stop(start)
      }
      return digest
    }

    func getFrozen(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
      throw BenchmarkError("libpq has no stored form to hand out")
    }

    func people(_ keys: [Int64]) throws -> [Person?] {
      try read { connection in
        try keys.map { key in
          let found = try connection.run("get", RawPostgreSQLParameters(key))
          return found.count > 0 ? found.person(0) : nil
        }
      }
    }

    func scan() throws -> Digest {
      try read { connection in
        var people: [Person] = []
        let select = "SELECT \(Self.columns) FROM \(schema).person ORDER BY id"
        let fetch = "FETCH \(Self.batch) FROM scan"
        var sql = "DECLARE scan BINARY NO SCROLL CURSOR FOR \(select); \(fetch)"
        while true {
          let rows = try connection.execute(sql)
          for row in 0..<rows.count { people.append(rows.person(row)) }
          if rows.count < Self.batch { return Digest.of(people) }
          sql = fetch
        }
      }
    }

    func scanFrozen() throws -> Digest { throw BenchmarkError("libpq has no stored form to hand out") }

    /// Reads all rows of a statement into an array, and then every field.
    private func rows(_ name: String, _ parameters: borrowing RawPostgreSQLParameters) throws -> [Person] {
      let rows = try reader.run(name, parameters)
      var people: [Person] = []
      people.reserveCapacity(rows.count)
      for row in 0..<rows.count { people.append(rows.person(row)) }
      return people
    }

    func scan(from key: Int64, count: Int) throws -> Digest {
      var parameters = RawPostgreSQLParameters(key)
      parameters.add(Int64(count))
      return Digest.of(try rows("range", parameters))
    }

    func fetch(ages: [Int], _ latency: LatencyRecorder) throws -> Digest {
      var digest = Digest()
      for age in ages {
        let start = latency.start()
        for person in try rows("age", RawPostgreSQLParameters(Int64(age))) { digest.add(person) }
        latency.stop(start)
      }
      return digest
    }

    func count(ages: [Int], _ latency: LatencyRecorder) throws -> Int {
      var total = 0
      for age in ages {
        let start = latency.start()
        total += Int(try reader.run("count-age", RawPostgreSQLParameters(Int64(age))).integer(0, 0))
        latency.stop(start)
      }
      return total
    }

    func count(scoreAbove score: Double, emailContaining text: String) throws -> Int {
      var parameters = RawPostgreSQLParameters()
      parameters.add(score)
      parameters.add(text)
      return Int(try reader.run("filter", parameters).integer(0, 0))
    }

    func firstByEmail(_ limit: Int) throws -> [Int64] {
      try rows("sort", RawPostgreSQLParameters(Int64(limit))).map(\.id)
    }

    func scores(_ first: Int64, _ second: Int64) throws -> (Double, Double) {
      try read { connection in
        func score(_ key: Int64) throws -> Double {
          let found = try connection.run("get", RawPostgreSQLParameters(key))
          guard found.count > 0 else { throw BenchmarkError("a person is missing") }
          return found.person(0).score
        }
        return (try score(first), try score(second))
      }
    }

    // MARK: Changes

    private func setScore(_ change: KeyedScore, _ connection: RawPostgreSQLConnection) throws {
      var parameters = RawPostgreSQLParameters()
      parameters.add(change.score)
      parameters.add(change.key)
      _ = try connection.run("set-score", parameters)
    }

    func setScores(_ scores: [KeyedScore], _ latency: LatencyRecorder) throws {
      try write { connection in
        for change in scores {
          let start = latency.start()
          try setScore(change, connection)
          latency.stop(start)
        }
      }
    }

    func addToScores(age: Int, _ amount: Double) throws -> Int {
      try write { connection in
        var parameters = RawPostgreSQLParameters()
        parameters.add(amount)
        parameters.add(Int64(age))
        return try connection.run("add-score", parameters).changes
      }
    }

    func delete(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Int {
      try write { connection in
        var count = 0
        for key in keys {
          let start = latency.start()
          count += try connection.run("delete", RawPostgreSQLParameters(key)).changes
          latency.stop(start)
        }
        return count
      }
    }

    func delete(age: Int) throws -> Int {
      try write { try $0.run("delete-age", RawPostgreSQLParameters(Int64(age))).changes }
    }

    func readAndAddToScore(_ key: Int64, _ amount: Double) throws -> Digest {
      try write { connection in
        var digest = Digest()
        let found = try connection.run("get", RawPostgreSQLParameters(key))
        guard found.count > 0 else { return digest }
        let person = found.person(0)
        digest.add(person)
        try setScore(KeyedScore(key, person.score + amount), connection)
        return digest
      }
    }
  }
#endif
