import Foundation
import QuarryBackend

/// An authority of a test's own and certificates that it signs, made by the command `openssl` in a temporary folder.
public final class PostgreSQLCertificates: Sendable {
  private let folder: String

  /// Makes the key and the certificate of an authority.
  ///
  /// - Throws: `io` where there is no `openssl`, or it fails.
  public init() throws {
    folder = try PostgreSQLServer.makeFolder()
    do {
      try openssl(
        ["req", "-x509"] + Self.newKey(authorityKey) + ["-out", authority, "-subj", "/CN=Test", "-days", "2"])
    } catch {
      remove()
      throw error
    }
  }

  /// The file with the certificate of the authority, for `sslrootcert`.
  public var authority: String { folder + "/authority.crt" }
  private var authorityKey: String { folder + "/authority.key" }

  /// A certificate of a server, with its key.
  public struct Certificate: Sendable {
    /// The file with the certificate.
    public let path: String
    /// The file with its key.
    public let key: String

    /// The settings of a server that has it.
    public var settings: [String] { ["ssl=on", "ssl_cert_file=\(path)", "ssl_key_file=\(key)"] }
  }

  /// Signs a certificate.
  ///
  /// - Parameters:
  ///   - host: The name that the certificate is for.
  ///   - name: The name of its files.
  ///   - days: How long it is valid; 0 for one that has expired.
  /// - Throws: `io`.
  public func sign(host: String, as name: String, days: Int = 2) throws -> Certificate {
    let certificate = Certificate(path: "\(folder)/\(name).crt", key: "\(folder)/\(name).key")
    let request = "\(folder)/\(name).csr"
    try openssl(
      ["req"] + Self.newKey(certificate.key)
        + ["-out", request, "-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)"])
    try openssl([
      "x509", "-req", "-in", request, "-CA", authority, "-CAkey", authorityKey, "-CAcreateserial",
      "-copy_extensions", "copy", "-days", String(days), "-out", certificate.path,
    ])
    return certificate
  }

  /// Removes all files.
  public func remove() { try? FileManager.default.removeItem(atPath: folder) }

  private static func newKey(_ path: String) -> [String] {
    ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path]
  }

  /// Runs the command as the user that runs servers, who must own the keys.
  private func openssl(_ arguments: [String]) throws {
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/openssl" }
    guard let program = path.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw StorageError(.io, "openssl is not installed: scripts/setup --postgres installs it")
    }
    let log = folder + "/openssl.log"
    guard PostgreSQLServer.wait(for: try PostgreSQLServer.spawn(program, arguments, log: log)) == 0 else {
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      throw StorageError(.io, "openssl failed: \(text)")
    }
  }
}
