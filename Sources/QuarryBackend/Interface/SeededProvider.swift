import Foundation

/// A provider whose store begins as a copy of another, such as a store that ships with a program.
///
/// An example is `.sqlite(at: path, seededFrom: seed)`.
///
/// The copy is created when the place is opened and is empty. Like a backup, it is created whole or not at all. From then on the
/// place is a store like any other, and the seed is not read.
public struct SeededProvider: ProviderLayer {
  /// Where the store is.
  public let provider: any BackendProvider
  private let seed: any BackendProvider
  private let path: String

  /// Creates a place that begins with a copy of a seed.
  ///
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

  /// Opens the store, and creates it from the seed if it does not exist and the options allow it.
  ///
  /// - Parameter options: The options of opening. They apply to the place; the seed is opened for reading, with the same key.
  /// - Throws: The errors of opening the place. The errors of opening the seed and copying it, which leave nothing at the place.
  ///   `inUse` when another process or store is copying to the place for longer than the busy timeout.
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
        try copySeed(options.encryption)
      } catch {
        // Another process or thread is making a copy, or was quicker, which the next check shows.
        guard error.code == .inUse, !deadline.hasPassed else { throw error }
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  private func copySeed(_ encryption: Encryption?) throws(StorageError) {
    var reading = OpenOptions()
    reading.encryption = encryption
    reading.isReadOnly = true
    let seed = try seed.open(reading)
    defer { try? seed.close() }
    try seed.manifest.require(.backup)
    try seed.requireBackup().backup(to: path)
  }
}
