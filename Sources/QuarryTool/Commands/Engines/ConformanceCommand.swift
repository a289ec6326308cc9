import ArgumentParser
import Foundation

/// The conformance kit is a program of its own, which users that only store data do not build.
struct ConformanceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance", abstract: "Proves that an engine fulfils the contract.",
    discussion: """
      Starts the program \(program), which must be in the same folder. quarry conformance --help prints its options.
      """)

  static let program = "quarry-conformance"

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("The arguments of the program.", valueName: "arguments"))
  var arguments: [String] = []

  func run() throws {
    let path = Self.path
    var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    // Returns only when there is no such program.
    execv(path, pointers)
    let reason = String(cString: strerror(errno))
    let message = "error: \(path): \(reason); build it with swift build -c release --product \(Self.program)\n"
    try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
    // Nothing was judged.
    throw ExitCode(3)
  }

  /// The program in the folder of this one.
  private static var path: String {
    let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return program.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: Self.program).path
  }
}
