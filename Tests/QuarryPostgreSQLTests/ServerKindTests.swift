#if PostgreSQL
  import QuarryBackend
  import Testing

  @testable import QuarryPostgreSQL
  @testable import QuarryTestSupport

  /// The servers that speak the protocol of PostgreSQL. All but PostgreSQL are from documentation, and not run: their SQL is
  /// compared with what was recorded from it.
  @Suite struct ServerKindTests {
    /// What the servers' documentation shows for `SELECT version()`.
    @Test(arguments: [
      ("PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, 64-bit", "PostgreSQL"),
      ("PostgreSQL 16.1 on aarch64-unknown-linux-gnu, compiled by gcc, 64-bit", "PostgreSQL"),
      ("CockroachDB CCL v23.1.0 (x86_64-apple-darwin19, built 2023/05/15 18:02:36, go1.19.4)", "CockroachDB"),
      ("PostgreSQL 11.2-YB-2.19.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 15.0.3, 64-bit", "YugabyteDB"),
      ("PostgreSQL 9.4.26 (Greenplum Database 6.24.3 build commit:25d3498) on x86_64-unknown-linux-gnu", "Greenplum"),
      ("PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.56242", "Redshift"),
    ])
    func aServerIsKnownByItsVersion(_ version: String, _ name: String) {
      #expect(ServerKind.of(version: version).name == name)
    }

    @Test func citusIsKnownByItsExtension() {
      let version = "PostgreSQL 16.1 on aarch64-unknown-linux-gnu, compiled by gcc, 64-bit"
      #expect(ServerKind.of(version: version, hasCitus: true).name == "Citus")
      // An extension of this name means nothing elsewhere.
      #expect(ServerKind.of(version: "CockroachDB CCL v23.1.0", hasCitus: true).name == "CockroachDB")
    }

    @Test func theServerOfTheTestsIsPostgreSQL() throws {
      let place = try TestPlace()
      let connection = try PostgreSQLConnection(try PostgreSQLSettings(place.place.connection))
      defer { connection.close() }
      let kind = try ServerKind.of(connection)
      #expect(kind.name == "PostgreSQL" && kind.isRun)
    }

    @Test(arguments: ServerKind.known.map(\.name)) func aServerThatLacksSomethingIsRefused(_ name: String) throws {
      let kind = try #require(ServerKind.known.first { $0.name == name })
      let isTaken = ["PostgreSQL", "Citus"].contains(name)
      #expect(code { try kind.check() } == (isTaken ? nil : .unsupported))
      #expect(kind.isRun == (name == "PostgreSQL"))
    }

    @Test func aCapabilityThatAServerCannotGuaranteeIsInNoManifest() {
      for kind in ServerKind.known {
        let manifest = BackendManifest.postgreSQL(durability: .powerLoss, writers: .one, on: kind)
        for capability in kind.refused.keys { #expect(manifest.capabilities[capability]?.isSupported == false) }
      }
      #expect(Set(ServerKind.cockroachDB.refused.keys) == [.snapshots, .schemaChangeOptionality, .destroy])
      #expect(Set(ServerKind.yugabyteDB.refused.keys) == [.snapshots, .destroy])
      #expect(ServerKind.citus.refused.isEmpty)
    }

    @Test func conflictsAreTheServersOwn() {
      let (order, deadlock) = (StorageError(sqlState: "40001"), StorageError(sqlState: "40P01"))
      #expect(ServerKind.postgreSQL.isConflict(order) && ServerKind.postgreSQL.isConflict(deadlock))
      #expect(ServerKind.cockroachDB.isConflict(order) && !ServerKind.cockroachDB.isConflict(deadlock))
      #expect(!ServerKind.postgreSQL.isConflict(StorageError(sqlState: "23505")))
      #expect(StorageError(sqlState: "40003").code == .commitUnknown)
    }

    /// The statements of a server: a read and a write with one writer and with many, savepoints, a lost commit.
    private static func statements(_ kind: ServerKind) -> [String] {
      let place = PostgreSQLPlace(schema: "s")
      return [
        kind.beginRead(isSerializable: false, isStandby: false), kind.beginRead(isSerializable: true, isStandby: false),
        kind.beginRead(isSerializable: true, isStandby: true), kind.beginWrite(.one), kind.beginWrite(.many),
        kind.readGate(place), kind.writeGate(place, isAlone: true, turn: .none, waits: true),
        kind.writeGate(place, isAlone: false, turn: .common, waits: false), kind.savepoint(1), kind.savepoint(2),
        kind.outcomeSQL(7, place), kind.creationSettings,
      ]
    }

    private static let plain = [
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ", "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY; ",
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ", "BEGIN ISOLATION LEVEL REPEATABLE READ",
      "BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL enable_seqscan = off; SET LOCAL jit = off",
      #"LOCK TABLE "s"."_quarry_line", "s"."_quarry_store" IN ACCESS SHARE MODE; "#,
      #"LOCK TABLE "s"."_quarry_line" IN EXCLUSIVE MODE; LOCK TABLE "s"."_quarry_store" IN ACCESS SHARE MODE; "#,
      #"LOCK TABLE "s"."_quarry_line" IN ROW EXCLUSIVE MODE NOWAIT; "#
        + #"LOCK TABLE "s"."_quarry_commit" IN ROW EXCLUSIVE MODE NOWAIT; "#
        + #"LOCK TABLE "s"."_quarry_store" IN ACCESS SHARE MODE; "#,
      "s1", "s2",
      "SELECT pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_xact_status('7'::xid8) END, "
        + "(SELECT (pg_postmaster_start_time(), stats_reset)::text FROM pg_stat_bgwriter)",
    ]

    private static let token =
      #"SELECT false, CASE WHEN EXISTS (SELECT 1 FROM "s"."_quarry_token" WHERE token = '7') "#
      + "THEN 'committed' ELSE 'aborted' END, NULL"

    @Test func theStatementsAreAsRecorded() {
      #expect(Self.statements(.postgreSQL) == Self.plain + [""])
      #expect(Self.statements(.citus) == Self.plain + ["SET LOCAL citus.enable_schema_based_sharding = off; "])
      #expect(
        Self.statements(.cockroachDB) == [
          "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY; ", "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY; ",
          "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY; ", "BEGIN ISOLATION LEVEL SERIALIZABLE",
          "BEGIN ISOLATION LEVEL SERIALIZABLE", "", #"SELECT 1 FROM "s"."_quarry_commit" FOR UPDATE; "#, "",
          "cockroach_restart", "s2", Self.token, "",
        ])
      #expect(
        Self.statements(.yugabyteDB) == [
          "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ", "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY; ",
          "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ", "BEGIN ISOLATION LEVEL REPEATABLE READ",
          "BEGIN ISOLATION LEVEL SERIALIZABLE", #"SELECT 1 FROM "s"."_quarry_store" FOR KEY SHARE; "#,
          #"SELECT 1 FROM "s"."_quarry_store" FOR UPDATE; "#,
          #"SELECT 1 FROM "s"."_quarry_store" FOR KEY SHARE NOWAIT; "#, "s1", "s2", Self.token, "",
        ])
    }

    @Test func aDistributedSchemaIsCounted() {
      #expect(
        ServerKind.citus.distributedSQL(PostgreSQLPlace(schema: "it's")) == "SELECT count(*) FROM pg_dist_partition p "
          + "JOIN pg_class c ON c.oid = p.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'it''s'"
      )
    }

    @Test func aPoolerTakesTheSessionsAway() {
      var kind = ServerKind.postgreSQL
      kind.loseSessions()
      #expect(kind.presence == .none && kind.refused[.destroy] != nil)
    }
  }
#endif
