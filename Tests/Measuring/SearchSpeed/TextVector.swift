#if PostgreSQL
  import CPostgreSQL
  import Foundation

  /// PostgreSQL's tsvector with the configuration `simple` and a GIN index, over a table that has the texts.
  final class TextVector: Peer {
    let name = "tsvector"
    private let connection: OpaquePointer?

    init(_ server: String) throws {
      connection = PQconnectdb(server)
      guard PQstatus(connection) == CONNECTION_OK else { throw PeerFailure(description: message) }
      try run("SET client_min_messages = warning; SET synchronous_commit = off")
      try run("DROP TABLE IF EXISTS peer")
      try run(
        "CREATE TABLE peer (id bigint PRIMARY KEY, text text NOT NULL, "
          + "words tsvector GENERATED ALWAYS AS (to_tsvector('simple', text)) STORED)")
      try run("CREATE INDEX peer_words ON peer USING gin (words)")
    }

    private var message: String { String(cString: PQerrorMessage(connection)) }

    private func run(_ sql: String) throws {
      let result = PQexec(connection, sql)
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw PeerFailure(description: message) }
    }

    /// The rows of a statement, with their first columns as numbers.
    private func rows(_ sql: String, _ parameters: [String]) throws -> [Int] {
      let texts = parameters.map { strdup($0) }
      defer { for text in texts { free(text) } }
      let values = texts.map { UnsafePointer<CChar>($0) }
      let result = PQexecParams(connection, sql, Int32(values.count), nil, values, nil, nil, 0)
      defer { PQclear(result) }
      guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
        throw PeerFailure(description: message)
      }
      return (0..<PQntuples(result)).compactMap { Int(String(cString: PQgetvalue(result, $0, 0))) }
    }

    func insert(_ texts: ArraySlice<String>) throws {
      let result = PQexec(connection, "COPY peer (id, text) FROM STDIN")
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COPY_IN else { throw PeerFailure(description: message) }
      for (place, text) in zip(texts.indices, texts) {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\t", with: "\\t").replacing("\r", with: "\\r")
        let line = "\(place)\t\(escaped)\n"
        PQputCopyData(connection, line, Int32(line.utf8.count))
      }
      PQputCopyEnd(connection, nil)
      let end = PQgetResult(connection)
      defer { PQclear(end) }
      guard PQresultStatus(end) == PGRES_COMMAND_OK else { throw PeerFailure(description: message) }
      while let rest = PQgetResult(connection) { PQclear(rest) }
    }

    func update(_ ids: Range<Int>, _ old: [String], _ new: [String]) throws {
      try run("BEGIN")
      for id in ids { _ = try rows("UPDATE peer SET text = $2 WHERE id = $1", ["\(id)", new[id]]) }
      try run("COMMIT")
    }

    func keys(_ search: PeerSearch, ranked limit: Int?) throws -> [Int] {
      let (query, text) =
        switch search {
        case .words(let words): ("plainto_tsquery('simple', $1)", words.joined(separator: " "))
        case .beginning(let text): ("to_tsquery('simple', $1)", "\(text):*")
        case .phrase(let text): ("phraseto_tsquery('simple', $1)", text)
        }
      let order = limit.map { "ORDER BY ts_rank(words, \(query)) DESC, id LIMIT \($0)" } ?? "ORDER BY id"
      return try rows("SELECT id FROM peer WHERE words @@ \(query) \(order)", [text])
    }

    /// The bytes of the tables of a schema with their indexes.
    func bytes(of schema: String) throws -> Int {
      try rows(
        "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE relkind = 'r' "
          + "AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)", [schema]
      ).first ?? 0
    }

    /// Collects the rows that the server has no statistics of.
    func analyze() throws { try run("VACUUM ANALYZE") }

    func close() { PQfinish(connection) }
  }
#endif
