import Synchronization

/// Where threads leave what they recorded.
final class LatencyPool: Sendable {
  private let collected = Mutex<[UInt64]>([])

  func add(_ recorder: LatencyRecorder) {
    let durations = recorder.durations
    collected.withLock { $0 += durations }
  }

  var durations: [UInt64] { collected.withLock { $0 } }
}
