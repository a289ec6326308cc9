#if PostgreSQL
  import QuarryBackend
  import QuarryTestSupport
  import Testing

  @testable import QuarryPostgreSQL

  @Suite struct ServerKindTests {
    /// What the servers' documentation shows for `SELECT version()`.
    @Test(arguments: [
      ("PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, 64-bit", ServerKind.postgreSQL),
      ("PostgreSQL 16.1 on aarch64-unknown-linux-gnu, compiled by gcc, 64-bit", .postgreSQL),
      ("CockroachDB CCL v23.1.0 (x86_64-apple-darwin19, built 2023/05/15 18:02:36, go1.19.4)", .cockroachDB),
      ("PostgreSQL 11.2-YB-2.19.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 15.0.3, 64-bit", .yugabyteDB),
      ("PostgreSQL 9.4.26 (Greenplum Database 6.24.3 build commit:25d3498) on x86_64-unknown-linux-gnu", .greenplum),
      ("PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.56242", .redshift),
    ])
    func aServerIsKnownByItsVersion(_ version: String, _ kind: ServerKind) {
      #expect(ServerKind(version: version) == kind)
    }

    @Test(arguments: ServerKind.allCases)
    func onlyPostgreSQLIsTaken(_ kind: ServerKind) {
      #expect(code { try kind.check() } == (kind == .postgreSQL ? nil : .unsupported))
    }
  }
#endif
