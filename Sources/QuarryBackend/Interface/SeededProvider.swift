import Foundation

/// A place that begins as a copy of another store, such as one that comes with a program: `.sqlite(at: path, seededFrom: seed)`.
///
/// The copy is made when the place is opened and nothing is there, as a backup is: whole or not at all. From then on the
/// place is a store like any other, and the seed is not looked at.
public struct SeededProvider: ProviderLayer {
  /// Where the store is.
  public let provider: any BackendProvider
  private let seed: any BackendProvider
  private let path: String

  /// - Parameters:
  ///   - place: Where the store is.
  ///   - seed: A store of the same engine, which is only read. It has the key that the place is opened with, and none where
  ///     that has none.
  ///   - path: The path of the place.
  public init(_ place: any BackendProvider, from seed: any BackendProvider, path: String) {
    provider = place
    self.seed = seed
    self.path = path
  }

  /// Opens the store, and makes it from the seed if it is not there and the options allow.
  ///
  /// - Throws: As the place; what opening the seed and copying it throws, and nothing is at the place then; `inUse` when
  ///   somebody else makes a copy there for longer than the busy timeout.
  public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    var existing = options
    existing.createsIfMissing = false
    let deadline = Deadline(after: options.busyTimeout)
    while true {
      do throws(StorageError) {
        return try provider.open(existing)
      } catch {
        guard error.code == .notFound, options.createsIfMissing, !options.isReadOnly else { throw error }
      }
      do throws(StorageError) {
        try plant(options.encryption)
      } catch {
        // Somebody else is making a copy, or was quicker, which the next look shows.
        guard error.code == .inUse, !deadline.hasPassed else { throw error }
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  private func plant(_ encryption: Encryption?) throws(StorageError) {
    var reading = OpenOptions()
    reading.encryption = encryption
    reading.isReadOnly = true
    let seed = try seed.open(reading)
    defer { try? seed.close() }
    try seed.manifest.require(.backup)
    try seed.requireBackup().backup(to: path)
  }
}
