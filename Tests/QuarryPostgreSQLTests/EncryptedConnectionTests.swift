#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryPrivateServer
  import Testing

  @testable import QuarryPostgreSQL

  /// Connections over TCP to servers with certificates: what they are verified by, and what the errors say.
  @Suite struct EncryptedConnectionTests {
    private static let host = "db.quarry.test"
    private static let unverified =
      "the server's certificate cannot be verified: it has expired, or no certificate in sslrootcert has signed it"

    /// A server on 127.0.0.1 that lives as long as the test.
    private final class Server {
      let server: PostgreSQLServer
      init(_ settings: [String]) throws { server = try PostgreSQLServer(settings: settings, hasPort: true) }
      deinit { server.stop() }

      /// A store over TCP. The password is one that no error may have.
      func place(_ options: String) throws -> PostgreSQLConfiguration {
        PostgreSQLConfiguration("\(try #require(server.networkConnection)) password=hidden \(options)", schema: "s")
      }
    }

    private final class Files {
      let certificates: PostgreSQLCertificates
      init() throws { certificates = try PostgreSQLCertificates() }
      deinit { certificates.remove() }
    }

    private static func expect(_ message: String, _ place: PostgreSQLConfiguration) {
      let error = #expect(throws: StorageError.self) { try Store(opening: place).close() }
      #expect(error?.code == .io && error?.message == message, "\(error as Any)")
      let text = error.map { "\($0) \(String(reflecting: $0))" } ?? ""
      for part in ["hidden", "quarry.test", "127.0.0.1", ".crt"] { #expect(!text.contains(part), "\(text)") }
    }

    /// Whether the connections of an opened store are encrypted, as the server sees them.
    private static func isEncrypted(_ place: PostgreSQLConfiguration) throws -> Bool {
      let connection = try PostgreSQLConnection(try PostgreSQLSettings(place.connection))
      defer { connection.close() }
      return try connection.run("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").text(0, 0) == "t"
    }

    @Test func aCertificateIsVerified() throws {
      let (files, others) = (try Files(), try Files())
      let server = try Server(try files.certificates.sign(host: Self.host, as: "server").settings)
      let (root, foreign) = (files.certificates.authority, others.certificates.authority)
      // Without an sslmode the engine chooses verify-full for a host of a network.
      for mode in ["sslmode=verify-full", ""] {
        let place = try server.place("host=\(Self.host) sslrootcert=\(root) \(mode)")
        let store = try Store(opening: place)
        defer { try? store.close() }
        #expect(try store.read { try $0.version }.rawValue >= 0)
        #expect(try Self.isEncrypted(place))
        Self.expect(
          "the server's certificate is for another host name",
          try server.place("host=other.quarry.test sslrootcert=\(root) \(mode)"))
        Self.expect(Self.unverified, try server.place("host=\(Self.host) sslrootcert=\(foreign) \(mode)"))
        Self.expect(
          "sslrootcert has no root certificates to verify the server by",
          try server.place("host=\(Self.host) sslrootcert=\(root).none.crt \(mode)"))
      }
      // The authority alone, whose certificate may be for any host.
      let other = try server.place("host=other.quarry.test sslrootcert=\(root) sslmode=verify-ca")
      #expect(try Self.isEncrypted(other))
    }

    @Test func anExpiredCertificateIsNotVerified() throws {
      let files = try Files()
      let server = try Server(try files.certificates.sign(host: Self.host, as: "server", days: 0).settings)
      let root = files.certificates.authority
      Self.expect(Self.unverified, try server.place("host=\(Self.host) sslrootcert=\(root) sslmode=verify-full"))
      // Nothing but the date is wrong with it.
      #expect(try Self.isEncrypted(try server.place("host=\(Self.host) sslmode=require")))
    }

    @Test func aServerWithoutEncryptionIsRefused() throws {
      let server = try Server(["ssl=off"])
      let files = try Files()
      let root = "sslrootcert=\(files.certificates.authority)"
      for mode in ["sslmode=require", "\(root) sslmode=verify-full", root] {
        Self.expect("the server offers no SSL, which sslmode requires", try server.place("host=\(Self.host) \(mode)"))
      }
      // A caller who wants it so gets a connection without.
      #expect(try !Self.isEncrypted(try server.place("host=\(Self.host) sslmode=disable")))
    }
  }
#endif
