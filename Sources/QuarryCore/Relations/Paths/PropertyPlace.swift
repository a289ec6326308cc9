/// Reads one property of many values by its key path. Following a key path takes some 800 instructions each time. Where the
/// property is stored in the value itself, its offset is determined once instead.
@usableFromInline
struct PropertyPlace<Root, Property> {
  @usableFromInline let path: KeyPath<Root, Property>
  @usableFromInline let offset: Int?

  @inlinable
  init(_ path: KeyPath<Root, Property>) {
    self.path = path
    offset = MemoryLayout<Root>.offset(of: path)
  }

  // Unsafe in the pointer alone: where the key path has an offset, the standard library promises that the property lies
  // there in every value, as a value of its type, and the value is lent for the call.
  @inlinable @inline(__always)
  func value(of root: Root) -> Property {
    guard let offset else { return root[keyPath: path] }
    return withUnsafePointer(to: root) { start in
      (UnsafeRawPointer(start) + offset).assumingMemoryBound(to: Property.self).pointee
    }
  }

  /// The property of each of the values, in their order.
  @inlinable
  func values(of roots: [Root]) -> [Property] {
    var values: [Property] = []
    values.reserveCapacity(roots.count)
    for root in roots { values.append(value(of: root)) }
    return values
  }
}
