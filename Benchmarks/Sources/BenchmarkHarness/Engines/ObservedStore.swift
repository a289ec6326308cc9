/// An open store of counters, as the workloads of observation see it.
public protocol ObservedStore: AnyObject, Sendable {
  /// Adds counters with the keys from 0 on, which are 0, in one transaction.
  func insert(counters: Int) throws
  /// Sets a counter to each of the numbers, a commit each.
  func count(_ key: Int64, to numbers: ClosedRange<Int64>, _ latency: LatencyRecorder) throws
  /// As ``count(_:to:_:)``, and waits after each commit until it was told of to the observer of that counter.
  ///
  /// - Parameter elsewhere: Whether another opening of the store commits, of which this one knows nothing.
  func countAndWait(
    _ key: Int64, to numbers: ClosedRange<Int64>, elsewhere: Bool, _ latency: LatencyRecorder) throws

  /// Begins to observe all counters as a list.
  func observeList() throws
  /// Begins to observe each of the counters with keys below that.
  func observeCounters(below key: Int64) throws
  /// The sum of all counters as they were told of last; waits until it is this one, for ten seconds at most.
  func sumTold(awaiting sum: Int64) throws -> Int64
  /// The sum of all counters as they are stored.
  func sumStored() throws -> Int64

  func close() throws
}
