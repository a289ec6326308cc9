/// A provider over another provider: it forwards every call of the optional protocols of providers.
///
/// A conforming type names the provider beneath and writes ``BackendProvider/open(_:)``. A test fails when there is an
/// optional protocol that this one does not forward.
public protocol ProviderLayer: EncryptingProvider, ChecksummingProvider, PlacedProvider, RestoringProvider,
  SeedingProvider
{
  /// The provider beneath.
  var provider: any BackendProvider { get }
  /// The engine's name in the error of a call that the provider beneath lacks.
  var engineName: String { get }
}

extension ProviderLayer {
  /// `the engine`.
  public var engineName: String { "the engine" }

  /// Forwards the call.
  ///
  /// - Throws: As ``EncryptingProvider/reencrypt(from:to:)``; `unsupported` if the provider beneath has no such call.
  public func reencrypt(from old: Encryption?, to new: Encryption?) throws(StorageError) {
    try provider.requireEncrypting(engineName).reencrypt(from: old, to: new)
  }

  /// Forwards the call.
  ///
  /// - Throws: The errors of the provider beneath; `unsupported` if it has no such call.
  public func envelopeSlot() throws(StorageError) -> EnvelopeSlot? {
    try provider.requireEncrypting(engineName).envelopeSlot()
  }

  /// Forwards the call.
  ///
  /// - Throws: The errors of the provider beneath; `unsupported` if it has no such call.
  public func addChecksums() throws(StorageError) { try provider.requireChecksumming(engineName).addChecksums() }

  /// The path of the store; nil for one in memory, and where the provider beneath names none.
  public var storePath: String? { (provider as? any PlacedProvider)?.storePath }

  /// Forwards the call.
  ///
  /// - Throws: As ``ScratchProvider/withScratch(_:)``; `unsupported` if the provider beneath has no such call.
  public func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
    try provider.requireScratch().withScratch(body)
  }

  /// Forwards the call, with the provider beneath the scratch place.
  ///
  /// - Returns: False, too, if the provider beneath has no such call.
  /// - Throws: As ``SeedingProvider/take(_:)``.
  public func take(_ scratch: any BackendProvider) throws(StorageError) -> Bool {
    guard let provider = provider as? any SeedingProvider else { return false }
    return try provider.take((scratch as? any ProviderLayer)?.provider ?? scratch)
  }

  /// Forwards the call.
  ///
  /// - Throws: As ``RestoringProvider/restoreBackup(at:replacing:_:)``; `unsupported` if the provider beneath has no such call.
  public func restoreBackup(
    at path: String, replacing: Bool, _ encryption: Encryption?
  ) throws(StorageError) -> RestoredBackup {
    try provider.requireRestoring(engineName).restoreBackup(at: path, replacing: replacing, encryption)
  }
}
