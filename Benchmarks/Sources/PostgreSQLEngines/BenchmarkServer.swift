#if PostgreSQL
  import BenchmarkHarness
  import Foundation

  /// The server that `QUARRY_TEST_POSTGRES` names.
  ///
  /// Each store is a schema of its own. A file in the folder of the store has the schema's name.
  struct BenchmarkServer: Sendable {
    private static let variable = "QUARRY_TEST_POSTGRES"
    private static let file = "schema"

    /// Where a store is.
    struct Place: Sendable {
      let connection: String
      let schema: String
    }

    private let connection: String
    /// The versions of the server and of libpq, and what decides about the cost of a commit.
    let version: String
    /// Whether commits outlive a loss of power.
    let isSynced: Bool

    /// Connects to the server.
    init() throws {
      guard let connection = ProcessInfo.processInfo.environment[Self.variable], !connection.isEmpty else {
        throw BenchmarkError("\(Self.variable) names no server: scripts/bench --postgres starts one")
      }
      self.connection = connection
      let server = try RawPostgreSQLConnection(connection)
      defer { server.close() }
      func setting(_ name: String) throws -> String { try server.execute("SHOW \(name)").text(0, 0) }
      let fsync = try setting("fsync")
      isSynced = fsync == "on"
      version =
        "PostgreSQL \(try setting("server_version")), libpq \(RawPostgreSQLConnection.libraryVersion), fsync \(fsync), "
        + "full_page_writes \(try setting("full_page_writes")), shared_buffers \(try setting("shared_buffers"))"
    }

    /// The place of the store of a folder, which gets one with its first opening.
    func place(_ folder: String) throws -> Place {
      let path = folder + "/" + Self.file
      if let name = try? String(contentsOfFile: path, encoding: .utf8) {
        return Place(connection: connection, schema: name)
      }
      let name = "quarry_bench_" + UUID().uuidString.lowercased()
      try name.write(toFile: path, atomically: true, encoding: .utf8)
      return Place(connection: connection, schema: name)
    }

    /// Drops the schemas of a folder and of the folders in it.
    func remove(_ folder: String) throws {
      let names = try schemas(folder)
      guard !names.isEmpty else { return }
      let server = try RawPostgreSQLConnection(connection)
      defer { server.close() }
      for name in names { _ = try server.execute("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE") }
    }

    /// The bytes of the tables and indexes in these schemas.
    func bytes(_ folder: String) throws -> Int {
      let names = try schemas(folder).map { "'\($0)'" }.joined(separator: ", ")
      guard !names.isEmpty else { return 0 }
      let server = try RawPostgreSQLConnection(connection)
      defer { server.close() }
      let sum = try server.execute(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c "
          + "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname IN (\(names))")
      return Int(sum.text(0, 0)) ?? 0
    }

    private func schemas(_ folder: String) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: folder)
        .filter { $0 == Self.file || $0.hasSuffix("/" + Self.file) }
        .map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
    }
  }
#endif
