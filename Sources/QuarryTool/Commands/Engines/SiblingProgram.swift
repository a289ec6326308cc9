import ArgumentParser
import Foundation

/// A program in the folder of this one. Users who only store data do not build it.
struct SiblingProgram {
  let name: String
  /// The command that builds the program into this folder.
  let build: String
  /// The exit code where the program is missing.
  let missing: ExitCode

  /// Runs the program in place of this one.
  ///
  /// - Throws: ``missing``, after a line on standard error, where there is no such program.
  func run(_ arguments: [String]) throws -> Never {
    let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    let path = own.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name).path
    var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    // Returns only where there is no such program.
    execv(path, pointers)
    let reason = String(cString: strerror(errno))
    try? FileHandle.standardError.write(contentsOf: Data("error: \(path): \(reason); build it with \(build)\n".utf8))
    throw missing
  }
}
