import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

/// Copies that are continued from another source, and destinations that another program writes to meanwhile.
enum CopySourceCases {
  static let all: [ConformanceCase] = sources + destinations

  private static func copy(
    _ name: String, _ clauses: [String], _ summary: String, without: Set<ConformanceVariant> = [],
    within limit: Duration = .seconds(30), _ body: @escaping @Sendable (MovingStore) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "MOVE.copy-\(name)", clauses, summary, requiresPersistence: true, without: without, within: limit
    ) { kit in try body(MovingStore(kit: kit)) }
  }

  /// Calls a closure once, when so many rows were copied or compared, and is cancelled then where the closure says so.
  private final class At: Progress, @unchecked Sendable {
    // Unchecked as Progress is, whose counts one thread sets here.
    private let rows: Int64
    private var body: (() -> Bool)?
    private var isOverlooked: Bool

    /// - Parameter isMarked: Whether the closure is called when the destination has its mark, before the first row.
    init(_ rows: Int64, isMarked: Bool = false, _ body: @escaping () -> Bool) {
      self.rows = rows
      self.body = body
      isOverlooked = isMarked
      super.init(parent: nil, userInfo: nil)
    }

    override var completedUnitCount: Int64 {
      didSet {
        guard completedUnitCount >= rows, let body else { return }
        if isOverlooked {
          isOverlooked = false
          return
        }
        self.body = nil
        if body() { cancel() }
      }
    }
  }

  private static func interrupt(_ store: Store, to place: any BackendProvider, after rows: Int64) throws {
    try expectThrows(CancellationError.self) {
      try store.copy(to: place, options: CopyOptions(progress: At(rows) { true }))
    }
  }

  private static var unverified: CopyOptions {
    var options = CopyOptions()
    options.isVerified = false
    return options
  }

  // MARK: Sources

  /// A store of three models whose rows begin with a text.
  private static func store(_ moving: MovingStore, _ text: String, of odd: [Int64] = []) throws -> Store {
    func rows(_ model: String) -> [Record] {
      (0..<200).map { id in
        Record(["id": .int(id), "text": .string(odd.contains(id) ? "odd" : "\(text) \(model) \(id)")])
      }
    }
    return try moving.store(
      ["A", "B", "C"].map { .migrating($0, .string("text")) }, ["A": rows("A"), "B": rows("B"), "C": rows("C")])
  }

  private static let sources: [ConformanceCase] = [
    copy(
      "alike-source", ["MOVE-4", "MOVE-10"], "A copy does not continue with a source that is only made alike.",
      without: [.otherThread]
    ) { moving in
      let first = try store(moving, "one")
      let second = try store(moving, "two")
      for rows: Int64 in [1, 200, 250, 400, 599] {
        for options in [unverified, CopyOptions()] {
          let place = try moving.kit.makePlace()
          try interrupt(first, to: place, after: rows)
          let report = try second.copy(to: place, options: options)
          try expectEqual(report.models.map(\.rows), [200, 200, 200], "after \(rows)")
          try expectSame(second, try moving.made(at: place))
          if rows > 200 {
            try expectEqual(report.resumedRows, 0, "after \(rows)")
            try expect(report.restartReason?.contains("source") == true, "after \(rows): \(report)")
          }
        }
      }
    },
    copy(
      "alike-beginning", ["MOVE-4", "MOVE-10"], "A copy of a source that differs in what is there begins again.",
      without: ConformanceVariant.allButFresh
    ) { moving in
      let first = try store(moving, "one")
      for odd: Int64 in [0, 100, 199] {
        let second = try store(moving, "one", of: [odd])
        let place = try moving.kit.makePlace()
        try interrupt(first, to: place, after: 450)
        let report = try second.copy(to: place, options: unverified)
        try expectEqual(report.resumedRows, 0, "row \(odd)")
        try expectSame(second, try moving.made(at: place))
      }
    },
    copy(
      "alike-inside", ["MOVE-4", "MOVE-10"],
      "A copy that stopped in the middle of a model continues after the objects that it has.",
      without: ConformanceVariant.allButFresh, within: .seconds(60)
    ) { moving in
      let text = String(repeating: "x", count: 1 << 20)
      func big(_ odd: Int64?) throws -> Store {
        let store = try moving.store([.migrating("Big", .string("text"))])
        for number: Int64 in 0..<4 {
          let rows = (number * 10..<number * 10 + 10).map { id in
            Record(["id": .int(id), "text": .string((id == odd ? "odd" : "\(id)") + text)])
          }
          try store.records.insert(into: "Big", rows)
        }
        return store
      }
      let (first, second) = (try big(nil), try big(3))
      let place = try moving.kit.makePlace()
      try interrupt(first, to: place, after: 36)
      let report = try second.copy(to: place, options: unverified)
      try expectEqual(report.resumedRows, 0)
      try expect(report.restartReason?.contains("source") == true, "\(report)")
      try expectSame(second, try moving.made(at: place))
    },
    copy(
      "alike-rows", ["MOVE-4", "MOVE-10"], "A copy does not continue with a source whose models are declared otherwise."
    ) { moving in
      func source(_ first: ModelSchema) throws -> Store {
        let rows = (0..<100).map { Record(["id": .int($0), "n": .int($0 / 2)]) }
        return try moving.store([first, .migrating("Second", .int("n"))], ["First": rows, "Second": rows])
      }
      let number = PropertySchema.int("n")
      let models: [ModelSchema] = [
        .migrating("First", number),
        .migrating("First", number, indexes: [IndexSchema(name: "n", columns: [.init(slot: 1)])]),
        .migrating("First", PropertySchema(name: "n", type: .int64, defaultValue: .int(7))),
      ]
      let stores = try models.map(source)
      for (first, second) in [(0, 1), (1, 2), (2, 0)] {
        let place = try moving.kit.makePlace()
        // The first model is whole then.
        try interrupt(stores[first], to: place, after: 150)
        let report = try stores[second].copy(to: place)
        try expectEqual(report.resumedRows, 0, "\(second) after \(first)")
        try expect(report.restartReason?.contains("source") == true, "\(second) after \(first): \(report)")
        let made = try moving.made(at: place)
        try expectSame(stores[second], made)
        try expectEqual(try made.check(), [])
      }
    },
    copy(
      "changed-behind", ["MOVE-4"],
      "A copy of a source that has changed only in what is not there yet begins again, and says why."
    ) { moving in
      let source = try store(moving, "one")
      let place = try moving.kit.makePlace()
      try interrupt(source, to: place, after: 250)
      try source.records.delete(in: "C", keys: [.int(17)])
      try source.records.insert(into: "C", [Record(["id": .int(1_000), "text": .string("new")])])
      let report = try source.copy(to: place)
      try expectEqual(report.resumedRows, 0)
      try expect(report.restartReason?.contains("source") == true, "\(report)")
      try expectSame(source, try moving.made(at: place))
    },
  ]

  // MARK: Destinations

  /// When another program comes: between the transactions of a copy, as soon as it has marked its destination, and while it
  /// compares. In between it holds the writer's turn.
  private enum Moment: CaseIterable {
    case marked, comparing

    func progress(_ body: @escaping () -> Bool) -> At {
      self == .marked ? At(0, isMarked: true, body) : At(601, body)
    }
  }

  private static let destinations: [ConformanceCase] = [
    copy(
      "second-copy", ["MOVE-10"], "Of two copies to one place at once the later one is made, and the other one ends.",
      without: ConformanceVariant.allButFresh
    ) { moving in
      let first = try store(moving, "one")
      let second = try store(moving, "two")
      for moment in Moment.allCases {
        let place = try moving.kit.makePlace()
        var outcome: Result<CopyReport, any Error>?
        let progress = moment.progress {
          outcome = Result { try second.copy(to: place, options: unverified) }
          return false
        }
        let ended = Result { try first.copy(to: place, options: CopyOptions(progress: progress)) }
        switch (ended, try unwrap(outcome, "the outcome of the second copy")) {
        case (.failure(let error as StorageError), .success):
          try expectEqual(error.code, .inUse, "\(moment): \(error)")
          try expectSame(second, try moving.made(at: place))
        case (.success, .failure(let error as StorageError)):
          // An engine that does not open the place twice, or whose changes of the schema wait for the one who compares.
          let waits = moment == .comparing && moving.kit.manifest.schemaChanges == .afterSnapshots
          try expectEqual(error.code, waits ? .busy : .inUse, "\(moment): \(error)")
          try expectSame(first, try moving.made(at: place))
        case (let ended, let other):
          throw ConformanceFailure(
            message: "\(moment): the copies ended with \(ended) and \(other)", file: #fileID, line: #line)
        }
      }
    },
    copy(
      "beside-open-store", ["MOVE-10"], "A store that was open at the destination writes nothing into a copy.",
      without: ConformanceVariant.allButFresh
    ) { moving in
      let source = try store(moving, "one")
      let place = try moving.kit.makePlace()
      let open = try moving.kit.open([], at: place)
      var errors: [any Error] = []
      let progress = Moment.marked.progress {
        do {
          try open.records.insert(into: "A", [Record(["id": .int(9_000), "text": .string("foreign")])])
        } catch {
          errors.append(error)
        }
        do { _ = try open.records.fetch(in: "A") } catch { errors.append(error) }
        return false
      }
      try source.copy(to: place, options: CopyOptions(progress: progress))
      let codes = errors.compactMap { ($0 as? StorageError)?.code }
      try expectEqual(codes, [.schemaMismatch, .schemaMismatch], "\(errors)")
      try expectSame(source, open)
    },
    copy(
      "foreign-commit", ["MOVE-10"], "A copy into which another program commits ends, and leaves an unfinished one.",
      without: ConformanceVariant.allButFresh
    ) { moving in
      let source = try store(moving, "one")
      for moment in Moment.allCases {
        let place = try moving.kit.makePlace()
        let code = Mutex<StorageError.Code?>(nil)
        let progress = moment.progress {
          do throws(StorageError) {
            let backend = try moving.kit.undecorated(place).open(OpenOptions())
            defer { try? backend.close() }
            let writer = try backend.beginWrite(WriteOptions())
            try writer.apply(.createModel(.migrating("Foreign", .int("n"))))
            _ = try writer.commit()
          } catch {
            code.withLock { $0 = error.code }
          }
          return false
        }
        let ended = Result { try source.copy(to: place, options: CopyOptions(progress: progress)) }
        if let code = code.withLock({ $0 }) {
          // An engine that does not open the place twice.
          try expectEqual(code, .inUse)
          continue
        }
        guard case .failure(let error as StorageError) = ended else {
          throw ConformanceFailure(message: "\(moment): the copy did not end", file: #fileID, line: #line)
        }
        try expectEqual(error.code, .inUse, "\(moment): \(error)")
        try expectError(.schemaMismatch) { try moving.made(at: place) }
        try source.copy(to: place)
        let made = try moving.made(at: place)
        try expectSame(source, made)
        try expectEqual(try made.check(), [])
      }
    },
  ]
}
