import ArgumentParser
import Foundation
import QuarryBackend

struct NewBackendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new-backend",
    abstract: "Creates a package for a new storage engine.",
    discussion: """
      The package has an engine of ordered trees in memory, its harness, its tests and its conformance command, and \
      passes the kit up to L2 as it is. You replace the storage of the engine with your own, one call after the other.
      """)

  @Argument(help: "The name of the package: letters, digits and hyphens, such as my-store.")
  var name: String

  @Option(help: ArgumentHelp("The folder of the package, which must not exist; by default its name."))
  var at: String?

  @Option(help: ArgumentHelp("Where Quarry is: a path from the package's folder, or a URL."))
  var quarry = "../quarry"

  func run() throws {
    guard let template = BackendTemplate(name: name, quarry: quarry) else {
      throw ValidationError(
        "\(name.escapedForDisplay) cannot be the name of a backend package: it begins with a letter, has letters, digits and "
          + "hyphens, and does not begin with Quarry")
    }
    let folder = at ?? name
    let manager = FileManager.default
    do {
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for (path, text) in template.files {
        let url = URL(fileURLWithPath: folder).appending(path: path)
        try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
      }
    } catch let error as CocoaError {
      throw StorageError(.io, "\(folder) cannot be written", cause: error)
    }
    let sink = StandardOutput.sink()
    try sink.write("\(folder) written; next: cd \(folder) && swift run \(template.name)-conformance --area CRUD\n")
    try sink.flush()
  }
}
