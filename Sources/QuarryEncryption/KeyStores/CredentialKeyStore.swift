public import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads the credentials that systemd gives to a service.
///
/// They are files in `$CREDENTIALS_DIRECTORY`, which may be sealed by the machine's TPM (`LoadCredentialEncrypted=`,
/// systemd.exec(5)).
public struct CredentialKeyStore: KeyStore, Hashable {
  /// Creates the store of the keys that the process was given as credentials.
  public init() {}

  /// The key in the credential of the name.
  ///
  /// - Parameter name: The name of the credential: 1 to 100 ASCII letters, digits, points, dashes or underscores.
  /// - Throws: `notFound` for an unknown name, and when the service manager gave the process no credentials
  ///   (`CREDENTIALS_DIRECTORY`). `invalidValue` for a name that cannot be one, a credential that others can read, and a key that
  ///   is too short or too long; `io`.
  public func key(named name: String) throws(StorageError) -> EncryptionKey {
    try KeyName.check(name)
    guard let directory = getenv("CREDENTIALS_DIRECTORY") else {
      throw StorageError(.notFound, "the process has no credentials: CREDENTIALS_DIRECTORY is not set")
    }
    do throws(StorageError) {
      // The service manager makes them readable for a group without members.
      return try KeyFile.key(at: String(cString: directory) + "/" + name, forbidden: 0o007)
    } catch {
      guard error.code == .notFound else { throw error }
      throw StorageError(.notFound, "the process has no credential named \(name)")
    }
  }
}

extension KeyStore where Self == CredentialKeyStore {
  /// The credentials that systemd gives to a service.
  public static var systemCredential: CredentialKeyStore { CredentialKeyStore() }
}
