/// Something in a history that serializable transactions never show.
package struct HistoryAnomaly: Sendable, CustomStringConvertible {
  enum Kind: String, Sendable, CaseIterable {
    /// A transaction that does not see what it wrote, or two lists of one key.
    case `internal`
    /// A read of what was rolled back.
    case abortedRead = "G1a"
    /// A read of a state in the middle of a transaction.
    case intermediateRead = "G1b"
    /// A read of a value that nobody wrote, or of one value twice.
    case phantomValue = "phantom-value"
    /// Two reads of which neither begins the other.
    case incompatibleOrder = "incompatible-order"
    /// A committed append that a later read lacks.
    case lostAppend = "lost-append"
    /// Two transactions that read one state of a key and both wrote to it.
    case lostUpdate = "lost-update"
    /// A cycle of writes that follow each other.
    case dirtyWrite = "G0"
    /// A cycle of writes and reads of them.
    case circularFlow = "G1c"
    /// A cycle with one read that missed a write.
    case singleAntiDependency = "G-single"
    /// A cycle with several reads that missed a write.
    case antiDependency = "G2"
    /// A cycle with a transaction that began after another had ended, and comes before it.
    case realtime
  }

  var kind: Kind
  /// What was seen, with the transactions of the cycle.
  package var description: String
}
