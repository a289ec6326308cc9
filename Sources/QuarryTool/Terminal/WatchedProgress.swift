import Dispatch
import Foundation

/// Draws the progress of a call that reports to a `Progress`, which it reads ten times a second.
final class WatchedProgress: @unchecked Sendable {
  // Unchecked: `bar` is used on the queue alone.
  private let bar: ProgressBar
  private let progress = Progress(totalUnitCount: -1)
  private let queue = DispatchQueue(label: "quarry.progress")
  private let timer: any DispatchSourceTimer

  private init(_ bar: ProgressBar, _ label: String) {
    self.bar = bar
    timer = DispatchSource.makeTimerSource(queue: queue)
    bar.begin(label)
    timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100))
    timer.setEventHandler { [weak self] in self?.draw() }
    timer.activate()
  }

  private func draw() {
    guard progress.totalUnitCount > 0 else { return }
    bar.update(progress.fractionCompleted, rows: Int(progress.completedUnitCount))
  }

  private func end() {
    timer.cancel()
    queue.sync { bar.clear() }
  }

  /// Calls the body with a progress that is drawn; with none where standard error is no terminal.
  static func of<R>(_ label: String, _ body: (Progress?) throws -> R) rethrows -> R {
    let bar = ProgressBar()
    guard bar.isShown else { return try body(nil) }
    let watched = WatchedProgress(bar, label)
    defer { watched.end() }
    return try body(watched.progress)
  }
}
