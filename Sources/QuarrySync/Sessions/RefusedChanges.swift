import QuarryBackend

/// Why a replica does not take some changes of another one, although it could read them.
package enum RefusedChanges: String, Error, Sendable, Hashable, CaseIterable {
  /// They are stamped too far ahead of the clock: SYNC-3.
  case clock
  /// They follow an entry that the receiver does not have: SYNC-2.
  case gap
  /// They are of a replica beyond the most that the receiver knows: SYNC-39.
  case replicas
  /// Their content could not be read, and the receiver waits for that of too many others: SYNC-39.
  case holes
  /// A key among rows is too long: SYNC-39.
  case key
  /// They are under the receiver's own name: SYNC-4.
  case name
  /// They contradict themselves, as those of no honest store do: SYNC-3.
  case stamps

  /// One sentence for people.
  ///
  /// - Parameters:
  ///   - receiver: The name of the side that does not take them, as a sentence begins with it.
  ///   - sender: The name of the other side, inside a sentence.
  package func sentence(receiver: String, sender: String) -> String {
    switch self {
    case .clock:
      "Some changes are stamped more than 5 minutes ahead of the clock of the side that gets them; they wait."
    case .gap: "\(receiver) lacks changes that come before some of \(sender), which wait for them."
    case .replicas:
      "\(receiver) knows \(SyncLimits.replicas) replicas, and takes changes of no further ones."
    case .holes:
      "\(receiver) waits for the content of \(SyncLimits.holes) transactions that it could not read, and takes no more of them."
    case .key:
      "\(receiver) takes no object with a key of more than \(SyncLimits.key >> 20) MiB, which \(sender) has sent."
    case .name: "\(receiver) does not take changes of \(sender) under its own name."
    case .stamps: "\(receiver) does not take changes of \(sender) whose stamps contradict each other."
    }
  }
}
