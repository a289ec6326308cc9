public import Foundation

extension WriteTransaction {
  /// Adds objects and says how far it is: all of them, or none when it throws.
  ///
  /// Where the progress has no total, it gets the number of objects if the sequence knows it, and is indeterminate until
  /// the end if not.
  ///
  /// - Throws: `CancellationError` when the progress was cancelled; as ``insert(contentsOf:)``.
  public func insert<M: Model>(contentsOf objects: some Sequence<M>, progress: Progress) throws {
    try savepoint {
      try ProgressCount.following(objects, progress) { try insert(contentsOf: $0) }
    }
  }

  /// Adds or replaces objects and says how far it is: all of them, or none when it throws. Uniqueness is checked when all
  /// are in.
  ///
  /// - Returns: How many were added.
  /// - Throws: `CancellationError` when the progress was cancelled; as ``upsert(contentsOf:)``.
  @discardableResult
  public func upsert<M: Model>(contentsOf objects: some Sequence<M>, progress: Progress) throws -> Int {
    try savepoint {
      try ProgressCount.following(objects, progress) { try upsert(contentsOf: $0) }
    }
  }
}

/// Tells a progress of the objects that are taken from a sequence, and ends the sequence when it is cancelled.
private final class ProgressCount {
  private static let step: Int64 = 64
  private let progress: Progress
  private var untold: Int64 = 0
  private var isCancelled = false

  private init(_ progress: Progress) {
    self.progress = progress
  }

  static func following<S: Sequence, R>(
    _ objects: S, _ progress: Progress, _ write: (CountedSequence<S>) throws -> R
  ) throws -> R {
    let count = ProgressCount(progress)
    let hadTotal = progress.totalUnitCount > 0
    if !hadTotal {
      progress.totalUnitCount = (objects as? any RandomAccessCollection).map { Int64($0.count) } ?? -1
    }
    let result = try write(CountedSequence(base: objects, count: count))
    guard count.tell() else { throw CancellationError() }
    if !hadTotal, progress.totalUnitCount < 0 { progress.totalUnitCount = progress.completedUnitCount }
    return result
  }

  /// Counts one more.
  ///
  /// - Returns: Whether it goes on.
  func goesOn() -> Bool {
    untold += 1
    return untold < Self.step ? !isCancelled : tell()
  }

  func tell() -> Bool {
    if untold > 0 { progress.advance(by: untold) }
    untold = 0
    if progress.isCancelled { isCancelled = true }
    return !isCancelled
  }
}

private struct CountedSequence<Base: Sequence>: Sequence {
  let base: Base
  let count: ProgressCount

  struct Iterator: IteratorProtocol {
    var base: Base.Iterator
    let count: ProgressCount

    mutating func next() -> Base.Element? {
      guard let element = base.next(), count.goesOn() else { return nil }
      return element
    }
  }

  func makeIterator() -> Iterator { Iterator(base: base.makeIterator(), count: count) }
}

extension Progress {
  /// Counts more units. The caller of a call may have given a progress that has any count.
  func advance(by count: Int64) {
    completedUnitCount = completedUnitCount.addingClamped(count)
  }
}
