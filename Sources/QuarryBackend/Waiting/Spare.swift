package import Synchronization

/// A place where one user leaves an object for the next one: the memory of a write transaction, which takes longer to allocate than
/// to use.
///
/// An object has one user at a time. Where several use such objects at once, one of these objects is kept.
package struct Spare<Kept: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The address of the object, which is retained; 0 for none.
  @usableFromInline let bits = Atomic<UInt>(0)

  @inlinable
  package init() {}

  @inlinable
  deinit {
    _ = take()
  }

  /// The object that was left; nil where there is none.
  @inlinable @inline(__always)
  package func take() -> Kept? {
    UnsafeRawPointer(bitPattern: bits.exchange(0, ordering: .acquiringAndReleasing)).map {
      Unmanaged<Kept>.fromOpaque($0).takeRetainedValue()
    }
  }

  /// Leaves an object that its user no longer needs.
  @inlinable @inline(__always)
  package func keep(_ object: Kept) {
    let kept = Unmanaged.passRetained(object)
    let address = UInt(bitPattern: kept.toOpaque())
    if !bits.compareExchange(expected: 0, desired: address, ordering: .acquiringAndReleasing).exchanged {
      kept.release()
    }
  }
}
