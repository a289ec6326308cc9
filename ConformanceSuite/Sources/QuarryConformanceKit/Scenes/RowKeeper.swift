package import QuarryBackend
import QuarryCore

/// Keeps rows in memory, and throws when it is told to.
package final class RowKeeper: UnreadableRowKeeper {
  package struct Refuses: Error {
    package init() {}
  }

  package private(set) var rows: [UnreadableRow] = []
  package private(set) var isFinished = false
  private let refusesAt: Int?
  private let refusesEnd: Bool

  package init(refusesAt: Int? = nil, refusesEnd: Bool = false) {
    self.refusesAt = refusesAt
    self.refusesEnd = refusesEnd
  }

  package func keep(_ row: UnreadableRow) throws {
    if rows.count == refusesAt { throw Refuses() }
    rows.append(row)
  }

  package func finish() throws {
    if refusesEnd { throw Refuses() }
    isFinished = true
  }
}
