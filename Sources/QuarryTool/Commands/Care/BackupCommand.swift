import ArgumentParser
import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Writes a copy of a store while other programs use it.",
    discussion: """
      The copy has one committed state, and the same engine opens it. It is written under a temporary name next to its \
      destination, and takes its name once it is complete and on the disk. An existing file is never replaced.
      """)

  @OptionGroup var store: StoreArgument

  @Argument(help: ArgumentHelp("The path of the copy; nothing may exist there.", valueName: "path"))
  var path: String

  func run() throws {
    let store = try store.open(.checking)
    defer { try? store.close() }
    try store.backup(to: path)
    let bytes = try store.statistics().bytes.map { " of \($0)" } ?? ""
    try StandardOutput.print("backed up \(Self.size(of: path))\(bytes) bytes to \(path.escapedForDisplay)")
  }

  /// Bytes of the file, or of the files in the directory.
  private static func size(of path: String) throws -> Int {
    let files = FileManager.default
    let isFolder = try files.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeDirectory
    let paths = isFolder ? try files.contentsOfDirectory(atPath: path).map { "\(path)/\($0)" } : [path]
    return try paths.reduce(0) { sum, path in
      let size = try files.attributesOfItem(atPath: path)[.size] as? NSNumber
      return sum + (size?.intValue ?? 0)
    }
  }
}
