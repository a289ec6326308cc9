import ArgumentParser
import Foundation
import QuarryBackend
import QuarryData
import QuarryEncryption

/// The files that a command may replace by its output.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Replaces an existing file. A store, a file next to a store and a key are never replaced.")
  var force = false

  /// The paths of the known keys: the keys given to the command, and the keys of the key store.
  static func keys(_ given: KeySource...) -> [String] {
    let environment = ProcessInfo.processInfo.environment
    var paths = given.compactMap(\.file)
    if let file = environment["QUARRY_KEY_FILE"] { paths.append(file) }
    let stored = FileKeyStore()
    paths += ((try? stored.names()) ?? []).map { stored.directory + "/" + $0 }
    if let folder = environment["CREDENTIALS_DIRECTORY"] {
      paths += ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { folder + "/" + $0 }
    }
    return paths
  }
}
