package import QuarrySystem

/// The files that a flat-file store is in.
package protocol FlatFileSystem: FileSystem {
  /// The files of this system that this process has open for writing.
  var registry: FlatFileRegistry { get }
}

extension SystemFileSystem: FlatFileSystem {
  private static let openFiles = FlatFileRegistry()
  package var registry: FlatFileRegistry { Self.openFiles }
}
