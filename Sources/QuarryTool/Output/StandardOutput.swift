import Foundation
import QuarryData

/// Standard output, where results go.
enum StandardOutput {
  static func sink() -> ByteSink {
    ByteSink(descriptor: STDOUT_FILENO, name: "to standard output")
  }

  /// The width of the terminal behind it; nil where it is a file or a pipe.
  static var width: Int? { Terminal.width(STDOUT_FILENO) }

  static func print(_ lines: String...) throws {
    try print(lines)
  }

  static func print(_ lines: [String]) throws {
    let sink = sink()
    for line in lines { try sink.write(line + "\n") }
    try sink.flush()
  }
}
