#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import Testing

  @testable import QuarryPostgreSQL

  /// Connections that cannot be made, and what their errors say. None has a part of the connection string.
  @Suite struct RefusalTests {
    private static func expect(
      _ addition: String, _ code: StorageError.Code, _ message: String, in place: PostgreSQLConfiguration
    ) {
      var place = place
      place.connection += addition
      let error = #expect(throws: StorageError.self) { _ = try Store(opening: place) }
      #expect(error?.code == code && error?.message == message, "\(error as Any)")
    }

    @Test(arguments: [
      (" port=0", "the port is not a number from 1 to 65535"),
      (" port=abc", "the port is not a number from 1 to 65535"),
      (" sslmode=hidden", "sslmode has a value that libpq does not know"),
      (" target_session_attrs=hidden", "target_session_attrs has a value that libpq does not know"),
      (" host=a,b port=1,2,3", "the connection string has 2 hosts and 3 ports"),
      (" connect_timeout=soon", "connect_timeout is not a number of seconds"),
      (" options='-c nothing_of_that_name=1'", "the server does not accept a setting in options"),
      (" options='-c work_mem=hidden'", "the server does not accept a setting in options"),
    ]) func whatCanNeverWorkIsInvalid(_ addition: String, _ message: String) throws {
      Self.expect(addition, .invalidValue, message, in: try TestPlace().place)
    }

    @Test func aServiceThatIsNowhereIsInvalid() throws {
      var place = try TestPlace().place
      place.connection += " service=none_of_that_name"
      let error = #expect(throws: StorageError.self) { _ = try Store(opening: place) }
      #expect(error?.code == .invalidValue && error?.message.contains("service") == true, "\(error as Any)")
    }

    @Test(arguments: [
      (" host=127.0.0.1 port=1 sslmode=disable", "no server listens at the host and port"),
      (" host=/nothing/here", "no server listens at the host and port"),
      (" host=no.such.host.invalid sslmode=disable", "the name of the host cannot be resolved"),
      (" target_session_attrs=standby", "no server of the connection string is a standby"),
      (" target_session_attrs=read-only", "no server of the connection string is read-only"),
    ]) func whatMayWorkLaterIsUnavailable(_ addition: String, _ message: String) throws {
      Self.expect(addition, .unavailable, message, in: try TestPlace().place)
    }

    @Test func rolesAndDatabasesAreToldApart() throws {
      let place = try TestPlace()
      let name = place.place.schema
      try place.server("CREATE ROLE \(name)_out NOLOGIN; CREATE ROLE \(name)_in LOGIN")
      try place.server("CREATE DATABASE \(name)_shut")
      try place.server("REVOKE CONNECT ON DATABASE \(name)_shut FROM PUBLIC")
      defer {
        _ = try? place.server("ALTER DATABASE \(name)_shut ALLOW_CONNECTIONS true")
        _ = try? place.server("DROP DATABASE \(name)_shut WITH (FORCE)")
        _ = try? place.server("DROP ROLE \(name)_out; DROP ROLE \(name)_in")
      }
      Self.expect(" user=\(name)_none", .io, "the server has no such role", in: place.place)
      Self.expect(" user=\(name)_out", .io, "the role may not log in", in: place.place)
      let shut = " dbname=\(name)_shut"
      Self.expect(shut + " user=\(name)_in", .io, "the role may not connect to the database", in: place.place)
      try place.server("ALTER DATABASE \(name)_shut ALLOW_CONNECTIONS false")
      Self.expect(shut, .io, "the database allows no connections", in: place.place)
      Self.expect(" dbname=\(name)_none", .notFound, "there is no such database", in: place.place)
    }

    /// What libpq says of servers that the tests do not have.
    @Test(arguments: [
      (
        "server certificate for \"hidden\" (and 1 other name) does not match host name \"hidden\"", StorageError.Code.io
      ),
      ("SSL error: certificate verify failed", .io),
      ("root certificate file \"/hidden/root.crt\" does not exist", .io),
      ("server does not support SSL, but SSL was required", .io),
      ("received invalid response to SSL negotiation: H", .io),
      ("expected authentication request from server, but received H", .io), ("timeout expired", .unavailable),
      ("a cause that is not known: hidden", .unavailable),
      // A host that may answer later decides.
      ("certificate verify failed\nconnection to server at \"b\" failed: Connection refused", .unavailable),
    ]) func textsHaveCodes(_ text: String, _ code: StorageError.Code) {
      let error = PostgreSQLRefusal.error("connection to server at \"a\" failed: \(text)\n", states: "")
      #expect(error.code == code && !error.message.contains("hidden"))
    }

    @Test(arguments: [
      ("28P01", StorageError.Code.io), ("57P03", .unavailable), ("53300", .busy), ("22023", .invalidValue),
      ("XX000", .io),
    ]) func statesHaveCodes(_ state: String, _ code: StorageError.Code) {
      let text = "connection to server at \"a\", port 1 failed: FATAL:  "
      #expect(PostgreSQLRefusal.error(text + "hidden\n", states: "\(text)\(state)\n").code == code)
      let both = "\(text)28000\n\(text)57P03\n"
      #expect(PostgreSQLRefusal.error(text, states: both).code == .unavailable)
    }
  }
#endif
