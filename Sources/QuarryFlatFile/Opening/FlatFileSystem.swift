import QuarryBackend
package import QuarrySystem

/// The files that a flat-file store is in.
package protocol FlatFileSystem: FileSystem {
  /// The files of this system that this process has open for writing.
  var registry: FlatFileRegistry { get }
}

extension FileSystem {
  /// Gives an open file the name of a store. It has it also where an error is reported for what was done.
  func rename(_ file: any StoreFile, at partialPath: String, to path: String) throws(StorageError) {
    do throws(StorageError) {
      try rename(partialPath, to: path)
    } catch {
      guard let named = try? status(of: path)?.identity, named == (try? file.status().identity) else { throw error }
    }
  }
}

extension SystemFileSystem: FlatFileSystem {
  private static let openFiles = FlatFileRegistry()
  package var registry: FlatFileRegistry { Self.openFiles }
}
