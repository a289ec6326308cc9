package import QuarryBackend

/// The names that Quarry gives to temporary files next to a user's path.
///
/// They are no names that a user gives by chance: what has one may be written over and removed. No store opens and no
/// output is written under such a name.
package enum OwnName {
  private static let mark = "._quarry."

  /// Where a file is written that gets a path when it is whole and on the disk.
  package static func partial(_ path: String) -> String { path + mark + "partial" }
  /// Where a store is written with another key, for the moment before it takes the place of the old one.
  package static func rekeyed(_ path: String) -> String { path + mark + "rekeyed" }
  /// The beginning of the names of folders for copies that no one keeps.
  package static func scratch(_ path: String) -> String { path + mark + "scratch-" }
  /// A name in the folder of a path for a file that is to get it, which no other writer has.
  package static func unique(_ path: String, _ number: String) -> String {
    outputs(of: path) + number + mark + "partial"
  }

  /// The beginning of the names of ``unique(_:_:)``.
  package static func outputs(of path: String) -> String {
    let (_, name) = SystemPath.split(path)
    // The number and the ending have room in the longest name of a file.
    let start = String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self)
    return start + "." + String(name.prefix(50)) + "."
  }

  package static func isPartial(_ path: String) -> Bool { path.hasSuffix(mark + "partial") }

  /// Checks the path of a store or an output.
  ///
  /// - Throws: `invalidValue` for a name that is Quarry's own.
  package static func requireOther(_ path: String) throws(StorageError) {
    guard SystemPath.split(path).name.utf8.firstRange(of: mark.utf8) != nil else { return }
    throw StorageError(.invalidValue, "\(path) has \(mark) in its name, which is reserved for Quarry")
  }
}
