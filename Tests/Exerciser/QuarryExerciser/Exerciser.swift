import Foundation
import QuarryBackend
import QuarryCore

/// Opens a store as a process of its own and does one thing with it. Each line on standard output says that something
/// has happened; the tests that start the process, and end it at any moment, read them.
///
/// Arguments: the engine, the folder, the mode and what the mode needs. The process exits with 3 after an error, whose
/// code is then the last line.
public func runExerciser() -> Never {
  signal(SIGPIPE, SIG_IGN)
  do {
    try Exerciser(CommandLine.arguments).run()
    exit(0)
  } catch let error as StorageError {
    say("error \(error.code) \(error.processID ?? 0)")
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(3)
  } catch {
    say("damage")
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(3)
  }
}

/// Writes a line in one call, so that what was said is said whole.
private func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

private struct Exerciser {
  private let engine: FileEngine
  private let folder: String
  private let mode: String
  private let rest: [String]

  init(_ arguments: [String]) throws {
    guard arguments.count > 3, let engine = FileEngine(rawValue: arguments[1]) else {
      throw StorageError(.invalidValue, "the arguments are an engine, a folder and a mode")
    }
    self.engine = engine
    folder = arguments[2]
    mode = arguments[3]
    rest = Array(arguments.dropFirst(4))
  }

  private func number(_ place: Int) -> Int { place < rest.count ? Int(rest[place]) ?? 0 : 0 }

  private func open(_ models: [any Model.Type], readOnly: Bool = false) throws -> Store {
    var options = OpenOptions()
    options.isReadOnly = readOnly
    options.busyTimeout = 60
    return try Store(models: models, in: engine.provider(in: folder), options: options)
  }

  func run() throws {
    switch mode {
    case "commit": try commit()
    case "hold": try hold(open(BatchWorkload.models))
    case "freeze": try freeze()
    case "read": try readOnly()
    case "transfer": try transfer()
    case "audit": try audit()
    case "fill": try fill()
    default: throw StorageError(.invalidValue, "there is no mode \(mode)")
    }
  }

  /// Commits for ever, and says the number of each commit after it returned.
  private func commit() throws {
    let store = try open(BatchWorkload.models)
    var number = try BatchWorkload.last(store)
    say("open \(number)")
    let compacts = store.manifest.capabilities[.compact]?.isSupported == true
    while true {
      number += 1
      try BatchWorkload.commit(number, store)
      say("\(number)")
      if compacts, number % 16 == 0 { try store.compact() }
    }
  }

  /// Keeps the store open until standard input ends.
  private func hold(_ store: Store) throws {
    say("open")
    waitForEnd()
    try store.close()
  }

  private func waitForEnd() {
    var byte: UInt8 = 0
    while read(STDIN_FILENO, &byte, 1) > 0 {}
  }

  /// Keeps a snapshot open, and a read transaction on it, until standard input ends.
  private func freeze() throws {
    let store = try open(BatchWorkload.models)
    let frozen = try store.freeze()
    try frozen.read { tx in
      _ = try tx.count(Entry.self)
      say("open")
      waitForEnd()
    }
    frozen.close()
    try store.close()
  }

  /// Opens for reading only and says what the last commit is.
  private func readOnly() throws {
    let store = try open(BatchWorkload.models, readOnly: true)
    say("\(try BatchWorkload.verify(store))")
    try store.close()
  }

  private func transfer() throws {
    let store = try open(AccountWorkload.models)
    var random = UInt64(truncatingIfNeeded: number(1)) | 1
    for _ in 0..<number(0) {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      try AccountWorkload.transfer(
        store, from: Int(random >> 40) & 63, to: Int(random >> 48) & 63, Int(random >> 56) & 15)
    }
    say("done")
    try store.close()
  }

  /// Looks at the accounts as often as asked, and then until standard input ends.
  private func audit() throws {
    let store = try open(AccountWorkload.models)
    var last = 0
    for _ in 0..<number(0) {
      let count = try AccountWorkload.verify(store)
      guard count >= last else { throw BatchWorkload.Damage(description: "\(count) transfers after \(last)") }
      last = count
    }
    say("done")
    try store.close()
  }

  /// Commits rows until there is no space left; then frees some by removing a file, and goes on in the same store.
  ///
  /// Arguments: the bytes of a row; the bytes that a file may have, for an injected error, or 0; the file to remove.
  private func fill() throws {
    let store = try open(BatchWorkload.models)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let before = limit
    if number(1) > 0 {
      signal(SIGXFSZ, SIG_IGN)
      limit.rlim_cur = rlim_t(number(1))
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
    var filled = try store.count(Note.self)
    func add() throws {
      try store.insert(Note(filling: filled, byteCount: number(0)))
      filled += 1
    }
    var failure: StorageError?
    while failure == nil {
      do {
        try add()
        say("\(filled)")
      } catch let error as StorageError {
        failure = error
      }
    }
    say("refused \(failure?.code.description ?? "")")
    // What was committed can be read, and a large commit is refused once more, as long as there is no space.
    try verifyFilled(filled, store)
    do {
      try store.insert(contentsOf: (0..<64).map { Note(filling: filled + $0, byteCount: number(0)) })
      throw BatchWorkload.Damage(description: "a commit fits where there is no space")
    } catch let error as StorageError {
      say("refused \(error.code)")
    }
    try verifyFilled(filled, store)
    if number(1) > 0 {
      limit = before
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
    if rest.count > 2 { unlink(rest[2]) }
    for _ in 0..<3 { try add() }
    try verifyFilled(filled, store)
    say("usable \(filled)")
    try store.close()
  }

  private func verifyFilled(_ count: Int, _ store: Store) throws {
    let names = try store.keys(Note.all)
    guard Set(names) == Set((0..<count).map { "filling \($0)" }), names.count == count else {
      throw BatchWorkload.Damage(description: "\(names.count) rows instead of \(count)")
    }
  }
}
