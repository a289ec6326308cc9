import Foundation
import QuarryBackend

/// The library that ends a second process at a chosen operation on files: QuarryCrashLab, which says what it counts and
/// what it does not see. It is loaded into the process before all else, and is found here by name.
package enum CrashLab {
  /// The exit code of a process that it has ended.
  package static let exitCode: Int32 = 85

  private static let fileName = "libQuarryCrashLab.so"

  /// Where the library is: in the folder of the second process's program.
  static func path(for program: ConformanceProcess) -> String? {
    #if os(Linux)
      guard let path = program.path else { return nil }
      let library = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: fileName).path
      return FileManager.default.isReadableFile(atPath: library) ? library : nil
    #else
      nil
    #endif
  }

  /// Why no process of the program can be ended so; nil when one can.
  static func obstacle(_ program: ConformanceProcess) -> String? {
    #if os(Linux)
      path(for: program) == nil
        ? "there is no \(fileName) beside \(program.program): build the product QuarryCrashLab" : nil
    #else
      "no process can be ended at an operation on files on this system"
    #endif
  }

  /// A path without links in it.
  package static func realPath(_ path: String) throws -> String {
    guard let real = realpath(path, nil) else { throw StorageError(.io, "\(path) has no real path: \(errno)") }
    defer { free(real) }
    return String(cString: real)
  }

  // MARK: In the second process

  private typealias Begin = @convention(c) (UnsafePointer<CChar>, Int, Int32) -> Int32
  private typealias Record = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
  private typealias Fail = @convention(c) (UnsafePointer<CChar>, Int, Int32, Int32) -> Int32
  private typealias Mark = @convention(c) (UnsafePointer<CChar>) -> Void
  private typealias SetClock = @convention(c) (Int) -> Void
  private typealias Slow = @convention(c) (Int32) -> Void
  private typealias End = @convention(c) () -> Void
  private typealias Count = @convention(c) () -> Int

  /// Counts what is done in the folder from now on, and ends this process before the operation; 0 for none.
  static func begin(_ folder: String, endingAt operation: Int, isTorn: Bool) throws {
    // Safe: the library has a function of this type by this name.
    let begin = unsafeBitCast(try function("crash_lab_begin"), to: Begin.self)
    guard begin(folder, operation, isTorn ? 1 : 0) == 0 else {
      throw StorageError(.unsupported, "operations in \(folder) cannot be counted")
    }
  }

  /// How many operations there were.
  static func operations() throws -> Int {
    // Safe: the library has a function of this type by this name.
    unsafeBitCast(try function("crash_lab_operations"), to: Count.self)()
  }

  /// How many operations have failed.
  static func failures() throws -> Int {
    // Safe: the library has a function of this type by this name.
    unsafeBitCast(try function("crash_lab_failures"), to: Count.self)()
  }

  /// The "error" of an operation of whose bytes only a half is written or read.
  static let short: Int32 = -1

  /// Writes down what is done in the folder from now on.
  static func record(_ folder: String, to log: String) throws {
    // Safe: the library has a function of this type by this name.
    let record = unsafeBitCast(try function("crash_lab_record"), to: Record.self)
    guard record(folder, log) == 0 else {
      throw StorageError(.unsupported, "operations in \(folder) cannot be written down in \(log)")
    }
  }

  /// Lets the operation fail, or all from it on.
  static func fail(_ folder: String, at operation: Int, error: Int32, goesOn: Bool) throws {
    // Safe: the library has a function of this type by this name.
    let fail = unsafeBitCast(try function("crash_lab_fail"), to: Fail.self)
    guard fail(folder, operation, error, goesOn ? 1 : 0) == 0 else {
      throw StorageError(.unsupported, "operations in \(folder) cannot fail")
    }
  }

  /// Writes a text into the record; nothing where none is kept.
  static func mark(_ text: String) {
    // Safe: the library has a function of this type by this name.
    if let mark = try? function("crash_lab_mark") { unsafeBitCast(mark, to: Mark.self)(text) }
  }

  /// Sets the wall clock of this process, as a whole number of seconds before or after the right time.
  static func setClock(ahead seconds: Int) throws {
    // Safe: the library has a function of this type by this name.
    unsafeBitCast(try function("crash_lab_set_clock"), to: SetClock.self)(seconds)
  }

  /// Makes each sync that is written down take longer; nothing where none is. Zero ends that.
  static func slowSyncs(microseconds: Int32) {
    // Safe: the library has a function of this type by this name.
    if let slow = try? function("crash_lab_slow_syncs") { unsafeBitCast(slow, to: Slow.self)(microseconds) }
  }

  static func end() throws {
    // Safe: the library has a function of this type by this name.
    unsafeBitCast(try function("crash_lab_end"), to: End.self)()
  }

  private static func function(_ name: String) throws -> UnsafeMutableRawPointer {
    guard let program = dlopen(nil, RTLD_NOW), let function = dlsym(program, name) else {
      throw StorageError(.unsupported, "\(fileName) is not loaded in this process")
    }
    return function
  }
}

/// Commands of processes that are ended at an operation on files.
extension ChildInterpreter {
  static let crashes: [String: Command] = [
    // end-at OPERATION whole|torn FOLDER: counts the operations in the folder from now on; 0 for counting alone.
    "end-at": { _, words in
      try CrashLab.begin(
        words.dropFirst(2).joined(separator: " "), endingAt: try number(words, 0),
        isTorn: words.dropFirst().first == "torn")
      return "ready"
    },
    "operations": { _, _ in "\(try CrashLab.operations())" },
  ]
}
