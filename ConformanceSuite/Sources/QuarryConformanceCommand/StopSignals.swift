import Dispatch
import Foundation
import QuarryConformance

/// Ends a run early when the process is asked to end, so that its report is written. A second signal ends the process.
final class StopSignals {
  private static let names: [(number: Int32, name: String)] = [
    (SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGHUP, "SIGHUP"),
  ]
  private let sources: [any DispatchSourceSignal]

  init(_ stop: ConformanceStop) {
    sources = Self.names.map { number, name in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        stop.request(name)
        signal(number, SIG_DFL)
      }
      source.activate()
      return source
    }
  }

  /// Lets signals end the process again.
  func end() {
    for source in sources { source.cancel() }
    for (number, _) in Self.names { signal(number, SIG_DFL) }
  }
}
