package import QuarryCore

/// What a body throws so that its writes are undone.
package struct UndoneBody: Error {
  package init() {}
}

extension WriteTransaction {
  /// Does the body in a savepoint, and undoes it.
  package func undoing(_ body: () throws -> Void) throws {
    try expectThrows(UndoneBody.self) {
      try savepoint {
        try body()
        throw UndoneBody()
      }
    }
  }
}

extension Store {
  /// Does the body in a write, and rolls it back.
  package func rollingBack(_ body: (WriteTransaction) throws -> Void) throws {
    try expectThrows(UndoneBody.self) {
      try write { tx in
        try body(tx)
        throw UndoneBody()
      }
    }
  }
}
