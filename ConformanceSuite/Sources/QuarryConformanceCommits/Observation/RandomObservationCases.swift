import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Random commits under random queries: the old list and the change make the new list.
enum RandomObservationCases {
  static let all: [ConformanceCase] = (1...20).map { number in
    ConformanceCase(
      "OBS.random-\(number)", ["OBS-1", "OBS-2", "OBS-3", "OBS-4"],
      "For random commits and queries of every type, each change makes the new list from the old one.",
      within: .seconds(120)
    ) { kit in try run(kit, UInt64(9_000 + number)) }
  }

  /// Commits of one run.
  private static let commits = 180

  private static func run(_ kit: ConformanceContext, _ number: UInt64) throws {
    var generator = QueryGenerator(seed: kit.caseSeed(number))
    let model = QueryGenerator.models[Int(number) % QueryGenerator.models.count]
    let store = try kit.open(program: [model], at: kit.makePlace())
    func record(_ id: Int) -> Record {
      Record(model.properties.map { ($0.name, $0.name == "id" ? .int(Int64(id)) : generator.value($0)) })
    }
    try store.write { tx in
      for id in 0..<30 {
        try insert(tx, record(id), model)
      }
    }
    var watched: [Watched<Record>] = []
    var queries: [QueryTree] = []
    while watched.count < 8 {
      var query = generator.query()
      query.model = model.name
      watched.append(try Watched(store, query))
      queries.append(query)
    }
    for commit in 0..<kit.tries(commits) {
      try store.write { tx in
        for _ in 0..<generator.pick([1, 1, 1, 2, 5]) {
          let id = generator.pick(Array(0..<45))
          switch generator.pick([0, 1, 2, 3, 4, 5]) {
          case 0, 1: try insert(tx, record(id), model)
          case 2: try tx.records.delete(in: model.name, keys: [.int(Int64(id))])
          case 3:
            let property = generator.pick(Array(model.properties.dropFirst()))
            let value = generator.value(property)
            _ = try? tx.savepoint {
              try tx.records.assign(
                QueryTree(model: model.name, predicate: .compare(.named("id"), .less, .value(.int(Int64(id))))),
                [AssignmentTree(property.name, .set, value)])
            }
          case 4:
            _ = try? tx.savepoint {
              try tx.records.delete(QueryTree(model: model.name, predicate: generator.predicate()))
              try insert(tx, record(id), model)
              if generator.chance(2) { throw Abandoned() }
            }
          default:
            try tx.records.delete(QueryTree(model: model.name, predicate: generator.predicate(2), limit: 3))
          }
        }
      }
      for (place, one) in watched.enumerated() {
        try one.expectTold("commit \(commit) of \(queries[place])")
      }
    }
    try store.write { try $0.records.delete(QueryTree(model: model.name)) }
    for (place, one) in watched.enumerated() { try one.expectTold("the last commit of \(queries[place])") }
  }

  /// Stores an object, unless another has its unique values.
  private static func insert(_ tx: WriteTransaction, _ record: Record, _ model: ModelSchema) throws {
    do {
      try tx.records.upsert(into: model.name, [record])
    } catch let error as StorageError where error.code == .uniqueViolation {}
  }
}
