import ArgumentParser
import Foundation
import QuarryBackend
import QuarryConformance
import QuarryHarnesses
import Synchronization

/// Changes single bits in the files of a closed store, and looks at what is read: `scripts/flip-bits`.
struct FlipBitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flip-bits", abstract: "Changes single bits of a closed store, and reads it.",
    discussion: """
      A store of about so many bytes is made and closed. Then one bit of its files after the other is changed, the store is \
      opened, everything is read by its keys and by its index until an error comes, and the bit is put right again. What \
      may come is an error or the same objects, within ten seconds and 1 GB. Of one bit in a thousand each object is read \
      alone, and then the sound store once more. The exit code is 0 when nothing else came, 1 when something did.
      """)

  @Argument(help: ArgumentHelp("The engine: sqlite:, file:, lmdb-checksums:.", valueName: "engine"))
  var engine: String

  @Option(help: "About how many bytes the store has.")
  var bytes = 1_000_000

  @Option(help: "How many bits are tried, chosen by chance; every one when left out.")
  var flips: Int?

  @Option(help: "Chooses the bits.")
  var seed: UInt64 = 0

  @Option(help: "The part of the bits that is tried, as 2/5: to share them among processes, or days.")
  var part: String?

  @Option(help: "Ends after so many seconds, and says how far it came.")
  var seconds: Int?

  @Option(
    help: ArgumentHelp(
      "Keeps the store and how far each part has come, and goes on there: also when the bit before ended the process.",
      valueName: "folder"))
  var state: String?

  @Option(
    help: ArgumentHelp(
      "What runs elsewhere have tried of the same store, as docs/conformance/flips.tsv.", valueName: "file"))
  var known: String?

  @Option(help: ArgumentHelp("Where the store is made: a folder in memory is quick.", valueName: "folder"))
  var folder: String?

  func validate() throws {
    if bytes < 10_000 || bytes > 100_000_000 { throw ValidationError("--bytes is 10,000 to 100,000,000") }
    if let flips, flips < 1 { throw ValidationError("--flips is 1 or more") }
    if flips != nil, state != nil { throw ValidationError("--state is of every bit, without --flips") }
    if part != nil, parts == nil { throw ValidationError("--part is as 2/5") }
  }

  private var parts: (number: Int, of: Int)? {
    let words = (part ?? "1/1").split(separator: "/").compactMap { Int($0) }
    guard words.count == 2, words[0] >= 1, words[0] <= words[1] else { return nil }
    return (words[0], words[1])
  }

  func run() throws {
    let scheme = engine.split(separator: ":").first.map(String.init) ?? engine
    let temporary = TemporaryFolder(in: folder)
    defer { temporary.removeAll() }
    guard let harness = EngineHarnesses.harness(scheme, in: temporary), harness.isPersistent else {
      throw ValidationError("\(engine) is no engine whose stores persist")
    }
    let place = try harness.makePlace()
    defer { harness.remove(place) }
    if let state { try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true) }
    let flips = try BitFlips(harness, at: place, bytes: bytes, image: state.map { $0 + "/store" })
    let about = "\(harness.name) \(flips.checksum)"
    print("\(about): \(flips.rows) objects in \(flips.bits / 8) bytes, checksums: \(flips.checksums)")
    try flips.requireThatChangesAreSeen()
    flips.tracks = self.flips == nil
    Self.boundProcess()
    let (number, of) = parts ?? (1, 1)
    var tally = FlipTally(of: flips, first: flips.bits * (number - 1) / of, end: flips.bits * number / of)
    if let known { tally.take(from: try String(contentsOfFile: known, encoding: .utf8), harness.name, flips.checksum) }
    if let state { try tally.keep(in: "\(state)/part-\(number)-of-\(of)", of: flips) }
    try self.try(flips, &tally)
    print(
      """
      | engine | bits flipped | an error | the same objects | other objects or another error | ends of the process | time |
      |---|--:|--:|--:|--:|--:|--:|
      | \(harness.name) | \(tally.tried) | \(tally.errors) | \(tally.same) | \(tally.wrong) | \(tally.ended) | \(tally.seconds) s |
      """)
    if self.flips == nil {
      // engine, store, bytes, first bit, bit after the last, errors, same, wrong, ended, seconds: docs/conformance/flips.tsv
      let words = [
        harness.name, flips.checksum, "\(flips.bits / 8)", "\(tally.first)", "\(tally.next)", "\(tally.errors)",
        "\(tally.same)", "\(tally.wrong)", "\(tally.ended)", "\(tally.seconds)",
      ]
      print("ledger\t" + words.joined(separator: "\t"))
    }
    if tally.wrong + tally.ended > 0 { throw ExitCode.failure }
  }

  private func `try`(_ flips: BitFlips, _ tally: inout FlipTally) throws {
    var random = SeededGenerator(seed: seed)
    let start = ContinuousClock.now
    let (number, of) = parts ?? (1, 1)
    var turn = 0
    while !stopping.load(ordering: .relaxed) {
      if let seconds, turn % 64 == 0, ContinuousClock.now - start > .seconds(seconds) { break }
      var bit = tally.next
      if let count = self.flips {
        guard turn < count else { break }
        bit = Int.random(in: 0..<flips.bits, using: &random)
        turn += 1
        if turn % of != number - 1 { continue }
      } else {
        guard bit < tally.end else { break }
        turn += 1
      }
      try tally.begin()
      ticks.store(0, ordering: .relaxed)
      let outcome = try flips.outcome(of: bit, looksAtAll: bit % 1_009 == 0)
      if case .wrong(let message) = outcome, tally.wrong < 20 { Self.say("\(flips.name(of: bit)): \(message)") }
      tally.add(outcome)
      if tally.tried % 100_000 == 0 { Self.say("\(tally.tried) bits, \(tally.errors) errors, \(tally.wrong) wrong") }
    }
    try tally.end(after: ContinuousClock.now - start)
  }

  /// Now, because the next bit may end the process.
  private static func say(_ text: String) {
    print(text)
    fflush(nil)
  }

  /// More than 1 GB of memory ends the process, and so does more than ten seconds for a bit. Who asks it to end gets what
  /// was found until then.
  private static func boundProcess() {
    var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    // Seconds are counted while the process runs: one that is stopped for a while does not hang.
    signal(SIGALRM) { _ in
      if ticks.add(1, ordering: .relaxed).newValue > 10 {
        signal(SIGABRT, SIG_DFL)
        abort()
      }
    }
    var second = itimerval(
      it_interval: timeval(tv_sec: 1, tv_usec: 0), it_value: timeval(tv_sec: 1, tv_usec: 0))
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &second, nil)
    signal(SIGTERM) { _ in stopping.store(true, ordering: .relaxed) }
    signal(SIGINT) { _ in stopping.store(true, ordering: .relaxed) }
  }
}

private let stopping = Atomic(false)
/// How many seconds a bit has taken.
private let ticks = Atomic(0)

/// What was found of a part of the bits, kept in a file that a process that ends leaves as it is.
private struct FlipTally {
  let first: Int
  let end: Int
  private(set) var next: Int
  private(set) var errors = 0
  private(set) var same = 0
  private(set) var wrong = 0
  /// Bits that ended the process.
  private(set) var ended = 0
  private(set) var seconds = 0
  private var isUnderWay = 0
  private var descriptor: Int32 = -1

  var tried: Int { errors + same + wrong + ended }

  init(of flips: BitFlips, first: Int, end: Int) {
    (self.first, self.end) = (first, end)
    next = first
  }

  /// Goes on where a line of the ledger says that the same part of the same store was left.
  mutating func take(from ledger: String, _ engine: String, _ store: String) {
    for line in ledger.split(separator: "\n") {
      let words = line.split(separator: "\t")
      let numbers = words.dropFirst(2).prefix(8).compactMap { Int($0) }
      guard words.count >= 10, words[0] == engine, words[1] == store, numbers.count == 8, numbers[1] == first,
        numbers[2] <= end
      else { continue }
      (next, errors, same, wrong) = (numbers[2], numbers[3], numbers[4], numbers[5])
      (ended, seconds) = (numbers[6], numbers[7])
    }
  }

  /// Keeps in a file what is found, and goes on with what is there.
  mutating func keep(in file: String, of flips: BitFlips) throws {
    descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failure(file) }
    var words = [Int](repeating: 0, count: 8)
    let count = pread(descriptor, &words, 64, 0)
    guard count == 64 else { return }
    (next, errors, same, wrong, ended) = (words[0], words[1], words[2], words[3], words[4])
    (seconds, isUnderWay) = (words[5], words[6])
    guard isUnderWay == 2, next < end else { return }
    // It was begun twice and came to its end neither time.
    print("\(flips.name(of: next)): the process ended")
    ended += 1
    next += 1
    isUnderWay = 0
    try write()
  }

  /// Says that the next bit is being tried.
  mutating func begin() throws {
    guard descriptor >= 0 else { return }
    isUnderWay += 1
    try write()
  }

  mutating func add(_ outcome: BitFlips.Outcome) {
    switch outcome {
    case .error: errors += 1
    case .same: same += 1
    case .wrong: wrong += 1
    }
    next += 1
    isUnderWay = 0
  }

  mutating func end(after time: Duration) throws {
    seconds += Int(time / .seconds(1))
    isUnderWay = 0
    if descriptor >= 0 { try write() }
  }

  private func write() throws {
    let words = [next, errors, same, wrong, ended, seconds, isUnderWay, 0]
    if pwrite(descriptor, words, 64, 0) != 64 { throw Self.failure("the state") }
  }

  private static func failure(_ path: String) -> FlipFailure {
    FlipFailure("\(path): errno \(errno)")
  }
}
