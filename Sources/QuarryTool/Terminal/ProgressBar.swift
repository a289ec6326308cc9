import Foundation

/// A line on standard error that shows how far the work is; nothing where standard error is no terminal.
final class ProgressBar {
  /// Whether anything is drawn.
  let isShown: Bool
  private let width: Int
  private let clock = ContinuousClock()
  private var start: ContinuousClock.Instant
  private var lastDrawn: ContinuousClock.Instant?
  private var label = ""
  private static let interval = Duration.milliseconds(100)

  init(isShown: Bool = Terminal.drawsOnStandardError, width: Int? = Terminal.width(STDERR_FILENO)) {
    self.isShown = isShown
    self.width = width ?? 80
    start = clock.now
  }

  deinit {
    // An error may have ended the work: the line belongs to its message now.
    clear()
  }

  /// Begins a part of the work.
  func begin(_ label: String) {
    self.label = label
    start = clock.now
    lastDrawn = nil
  }

  /// Draws the line if the last time was a while ago.
  func update(_ fraction: Double, rows: Int) {
    guard isShown else { return }
    let now = clock.now
    if let lastDrawn, now - lastDrawn < Self.interval { return }
    lastDrawn = now
    let elapsed = (now - start) / .seconds(1)
    let line = Self.line(label, fraction, rows: rows, elapsed: elapsed, width: width)
    print("\r\u{1B}[K" + line)
  }

  /// Removes the line.
  func clear() {
    guard isShown, lastDrawn != nil else { return }
    lastDrawn = nil
    print("\r\u{1B}[K")
  }

  private func print(_ text: String) {
    // A terminal that went away is no reason to stop the work.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// `importing [=====>     ] 45%  12000 rows  250000 rows/s`, without the bar where there is no place for it.
  static func line(_ label: String, _ fraction: Double, rows: Int, elapsed: Double, width: Int) -> String {
    let part = min(1, max(0, fraction))
    let rate = elapsed > 0 ? RateText.perSecond(rows, elapsed) : 0
    let tail = "\(Int(part * 100))%  \(rows) rows  \(rate) rows/s"
    // One column stays free: a full line causes some terminals to wrap.
    let room = width - 1 - label.count - tail.count - 4
    guard room >= 8 else { return String("\(label) \(tail)".prefix(max(0, width - 1))) }
    let size = min(room, 40)
    let done = Int(part * Double(size))
    let bar = String(repeating: "=", count: done) + (done < size ? ">" : "")
    return "\(label) [\(bar)\(String(repeating: " ", count: size - bar.count))] \(tail)"
  }
}
