import QuarryCore

/// What a body throws so that its writes are undone.
struct UndoneBody: Error {}

extension WriteTransaction {
  /// Does the body in a savepoint, and undoes it.
  func undoing(_ body: () throws -> Void) throws {
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
  func rollingBack(_ body: (WriteTransaction) throws -> Void) throws {
    try expectThrows(UndoneBody.self) {
      try write { tx in
        try body(tx)
        throw UndoneBody()
      }
    }
  }
}
