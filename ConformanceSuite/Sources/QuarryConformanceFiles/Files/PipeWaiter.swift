import Foundation
import QuarryConformanceKit
import Synchronization

/// Notices when another thread or process opens a pipe to read from it, and releases that reader.
final class PipeWaiter: Sendable {
  private struct State {
    var isEnded = false
    var isOpened = false
  }

  private let state = Mutex(State())
  private let isOver = DispatchSemaphore(value: 0)

  init(_ path: String) {
    let thread = Thread { [self] in
      while !state.withLock({ $0.isEnded }) {
        // Without a reader this fails at once.
        let descriptor = open(path, O_WRONLY | O_NONBLOCK)
        if descriptor >= 0 {
          state.withLock { $0.isOpened = true }
          close(descriptor)
        }
        usleep(5_000)
      }
      isOver.signal()
    }
    thread.start()
  }

  /// Stops looking.
  ///
  /// - Returns: Whether the pipe was opened.
  func end() -> Bool {
    state.withLock { $0.isEnded = true }
    isOver.wait()
    return state.withLock { $0.isOpened }
  }
}
