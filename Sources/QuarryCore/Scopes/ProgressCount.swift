import Foundation

/// Reports the objects that are taken from a sequence to a progress, and ends the sequence when it is cancelled.
final class ProgressCount {
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
  /// - Returns: Whether the work continues.
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

struct CountedSequence<Base: Sequence>: Sequence {
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
