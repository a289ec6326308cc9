public import QuarryBackend
import Synchronization

/// The events of a store, in the order of their reports.
public final class EventList: StoreReporter {
  private let events = Mutex<[StoreEvent]>([])

  public init() {}

  public func report(_ event: StoreEvent) { events.withLock { $0.append(event) } }

  /// The events since the last call.
  public func take() -> [StoreEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
