extension [UInt8] {
  /// The least byte string after all that begin with this one; nil where there is none, because every byte is 0xFF.
  package var successorOfPrefix: [UInt8]? {
    var result = self
    while let last = result.popLast() {
      if last < 0xFF {
        result.append(last + 1)
        return result
      }
    }
    return nil
  }
}
