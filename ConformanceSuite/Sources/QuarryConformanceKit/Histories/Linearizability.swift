/// Whether calls on one register could have happened one after another, each at some moment between its call and its
/// return (Wing and Gong 1993, with the states that were tried kept in mind).
package enum Linearizability {
  package struct Call: Sendable {
    package enum Operation: Sendable {
      /// A read that gave the value, nil where there is none.
      case read(Int?)
      case write(Int)
      /// A write that happens if the old value is there, and whether it happened; nil for the outcome of an object that
      /// is not there.
      case exchange(old: Int, new: Int, Bool)
      /// A removal, and whether something was there.
      case remove(Bool)
    }

    package let client: Int
    package let begin: Int
    package let end: Int
    package let operation: Operation

    package init(client: Int, begin: Int, end: Int, operation: Operation) {
      self.client = client
      self.begin = begin
      self.end = end
      self.operation = operation
    }
  }

  private struct State: Hashable {
    let done: UInt64
    let value: Int?
  }

  /// An order in which the calls may have happened, as their places in the list; nil when there is none.
  ///
  /// - Parameter calls: At most 64.
  package static func order(_ calls: [Call], from initial: Int? = nil) -> [Int]? {
    guard calls.count <= 64 else { return nil }
    let all: UInt64 = calls.count == 64 ? .max : (1 << UInt64(calls.count)) - 1
    var tried: Set<State> = []
    var path: [(call: Int, before: State)] = []
    var state = State(done: 0, value: initial)
    var next = 0
    while state.done != all {
      var isFound = false
      // A call may come next when no other that is left has returned before it began.
      let deadline = calls.indices.filter { state.done & (1 << UInt64($0)) == 0 }.map { calls[$0].end }.min() ?? 0
      while next < calls.count {
        let call = next
        next += 1
        guard state.done & (1 << UInt64(call)) == 0, calls[call].begin < deadline,
          let value = apply(calls[call].operation, state.value)
        else { continue }
        let following = State(done: state.done | 1 << UInt64(call), value: value)
        guard tried.insert(following).inserted else { continue }
        path.append((call, state))
        state = following
        isFound = true
        break
      }
      if isFound {
        next = 0
      } else {
        guard let last = path.popLast() else { return nil }
        state = last.before
        next = last.call + 1
      }
    }
    return path.map(\.call)
  }

  /// The value after the operation; nil when it cannot have had its outcome.
  private static func apply(_ operation: Call.Operation, _ value: Int?) -> Int?? {
    switch operation {
    case .read(let seen): seen == value ? .some(value) : nil
    case .write(let new): .some(new)
    case .exchange(let old, let new, let happened):
      (value == old) == happened ? .some(happened ? new : value) : nil
    case .remove(let wasThere): (value != nil) == wasThere ? .some(nil) : nil
    }
  }
}
