import Foundation
import QuarryBackend
import QuarryConformance
import Synchronization

/// How far a run is, on standard error: on a terminal one line that is drawn over, elsewhere a line every ten seconds, also
/// while a case takes long.
final class ProgressReport: Sendable {
  /// What the lines tell.
  private struct State {
    var done = 0
    var failures = 0
    var last = ""
    var drawn: ContinuousClock.Instant?
  }

  private static let pause = 10.0
  private let name: String
  private let total: Int
  private let isDrawn = isatty(STDERR_FILENO) == 1
  private let begun = ContinuousClock.now
  private let state = Mutex(State())
  /// Signalled when no more lines are to come.
  private let hasEnded = MonotonicSemaphore()

  init(_ name: String, total: Int) {
    self.name = name
    self.total = total
    guard !isDrawn else { return }
    // A thread of its own: cases may keep every thread of a pool.
    Thread { [self] in
      while !hasEnded.wait(atMost: .seconds(Self.pause)) { write(text + "\n") }
    }.start()
  }

  /// Notes a run that has ended.
  func show(_ progress: ConformanceRunner.Progress) {
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      state.done = progress.done
      state.failures = progress.failures
      state.last = "\(progress.last.run)"
      guard isDrawn else { return false }
      if let before = state.drawn, now - before < .milliseconds(100) { return false }
      state.drawn = now
      return true
    }
    if isDue { write("\r\u{1B}[K" + text.prefix(79)) }
  }

  /// Removes the line, and prints none any more.
  func end() {
    if isDrawn { write("\r\u{1B}[K") } else { hasEnded.signal() }
  }

  /// `sqlite 120/3000  2 failed  35 s  last CRUD.delete [frozen]`
  private var text: String {
    let state = state.withLock { $0 }
    let failures = state.failures == 0 ? "" : "  \(state.failures) failed"
    let seconds = (ContinuousClock.now - begun).components.seconds
    let last = state.last.isEmpty ? "" : "  last \(state.last)"
    return "\(name) \(state.done)/\(total)\(failures)  \(seconds) s\(last)"
  }

  private func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
