import Foundation
import Synchronization

/// Lines of a terminal, edited with the system's libedit: history, search in it, and completion.
///
/// The library is looked up when a shell begins, so that no program needs it to be built or started. Its functions are those of
/// `readline/readline.h`, which libedit has had since 2.11; each is cast to its C type there. The library is used by one thread.
final class LineEditor {
  private typealias Generator = @convention(c) (UnsafePointer<CChar>?, CInt) -> UnsafeMutablePointer<CChar>?
  private typealias Matches =
    @convention(c) (UnsafePointer<CChar>?, CInt, CInt) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  private typealias Read = @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
  private typealias Number = @convention(c) (CInt) -> Void
  private typealias Text = @convention(c) (UnsafePointer<CChar>?) -> CInt
  private typealias MakeMatches =
    @convention(c) (UnsafePointer<CChar>?, Generator?) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

  /// What the library's callbacks, which have no context of their own, complete with.
  private struct Completing: @unchecked Sendable {
    // The functions are those of a library that stays loaded, and the line is read inside its call alone.
    var candidates: (@Sendable (_ word: String, _ before: String) -> [String])?
    var makeMatches: MakeMatches?
    var line: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    var isOver: UnsafeMutablePointer<CInt>?
    var found: [String] = []
  }

  private static let completing = Mutex(Completing())
  /// The number of lines that are kept.
  private static let longestHistory: CInt = 1_000

  private let read: Read
  private let addHistory: Text
  private let writeHistory: Text?
  private let history: String?
  private var last: String?

  /// - Parameters:
  ///   - history: The file of earlier lines; nil where none is to be kept.
  ///   - candidates: The candidates for the word at the cursor, with the line before the word.
  /// - Returns: Nil where the terminal cannot be edited, or there is no libedit.
  init?(history: String?, _ candidates: @escaping @Sendable (_ word: String, _ before: String) -> [String]) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      ProcessInfo.processInfo.environment["TERM"].map({ $0 != "dumb" && !$0.isEmpty }) == true,
      let library = Self.open(), let read = dlsym(library, "readline"), let add = dlsym(library, "add_history")
    else { return nil }
    self.read = unsafeBitCast(read, to: Read.self)
    addHistory = unsafeBitCast(add, to: Text.self)
    writeHistory = dlsym(library, "write_history").map { unsafeBitCast($0, to: Text.self) }
    self.history = history
    if let stifle = dlsym(library, "stifle_history") { unsafeBitCast(stifle, to: Number.self)(Self.longestHistory) }
    if let history, let load = dlsym(library, "read_history") { _ = unsafeBitCast(load, to: Text.self)(history) }
    guard let make = dlsym(library, "rl_completion_matches"), let line = dlsym(library, "rl_line_buffer"),
      let hook = dlsym(library, "rl_attempted_completion_function")
    else { return }
    Self.completing.withLock { state in
      state.candidates = candidates
      state.makeMatches = unsafeBitCast(make, to: MakeMatches.self)
      state.line = line.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
      state.isOver = dlsym(library, "rl_attempted_completion_over")?.assumingMemoryBound(to: CInt.self)
    }
    hook.assumingMemoryBound(to: Matches?.self).pointee = { text, start, _ in LineEditor.matches(text, start) }
  }

  private static func open() -> UnsafeMutableRawPointer? {
    for name in ["libedit.so.2", "libedit.so.0", "libedit.3.dylib", "/usr/lib/libedit.3.dylib"] {
      if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) { return library }
    }
    return nil
  }

  /// The next line, without its end; nil at the end of the input.
  func next(_ prompt: String) -> String? {
    guard let line = read(prompt) else { return nil }
    defer { free(line) }
    let text = String(cString: line)
    if !text.allSatisfy(\.isWhitespace), text != last {
      _ = addHistory(text)
      last = text
      save()
    }
    return text
  }

  /// Keeps the lines in the file, which the user alone may read.
  private func save() {
    guard let history, let writeHistory else { return }
    let mask = umask(0o077)
    _ = writeHistory(history)
    umask(mask)
  }

  /// The completions of a word, as the library frees them.
  private static func matches(
    _ text: UnsafePointer<CChar>?, _ start: CInt
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    guard let text else { return nil }
    let make = completing.withLock { state -> MakeMatches? in
      // The names of files are no candidates.
      state.isOver?.pointee = 1
      guard let line = state.line?.pointee, let candidates = state.candidates else { return nil }
      let before = String(
        decoding: Array(UnsafeBufferPointer(start: line, count: strlen(line))).prefix(Int(start)).map {
          UInt8(bitPattern: $0)
        }, as: UTF8.self)
      state.found = candidates(String(cString: text), before)
      return state.makeMatches
    }
    return make?(text) { _, number in LineEditor.match(Int(number)) }
  }

  private static func match(_ number: Int) -> UnsafeMutablePointer<CChar>? {
    completing.withLock { $0.found.indices.contains(number) ? strdup($0.found[number]) : nil }
  }
}
