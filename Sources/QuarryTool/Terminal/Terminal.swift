import Foundation

/// Facts about the terminal.
enum Terminal {
  /// The width of the terminal behind a descriptor, nil where there is no terminal.
  static func width(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether lines on standard error can be drawn over.
  static var drawsOnStandardError: Bool {
    guard isatty(STDERR_FILENO) == 1 else { return false }
    let kind = ProcessInfo.processInfo.environment["TERM"]
    return kind != nil && kind != "dumb"
  }
}
