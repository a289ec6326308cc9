/// Receives the events of a store: ``OpenOptions/reporters``.
///
/// The products QuarryLogging and QuarryMetrics have reporters for swift-log and swift-metrics.
public protocol StoreReporter: Sendable {
  /// Receives an event.
  ///
  /// The call is made on the thread of the event, which waits for the return, and may be made on several threads at once. It must
  /// not call the store. Events of one thread come in their order.
  ///
  /// - Parameter event: What has happened.
  func report(_ event: StoreEvent)
}

/// Several reporters as one.
private struct ReporterGroup: StoreReporter {
  let members: [any StoreReporter]

  func report(_ event: StoreEvent) {
    for member in members { member.report(event) }
  }
}

extension OpenOptions {
  /// All reporters as one; nil where there is none, so that nothing is measured.
  package var reporter: (any StoreReporter)? {
    reporters.count < 2 ? reporters.first : ReporterGroup(members: reporters)
  }
}
