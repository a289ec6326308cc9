import QuarryBackend
import QuarryCore
import QuarryQuery

/// One step of a random run: it can be run on any store and on the reference, printed, and made simpler.
indirect enum Command {
  /// A write transaction of these commands, whose body throws at its end or does not.
  case write([Command], fails: Bool)
  case savepoint([Command], fails: Bool)
  case read([Command])
  /// Pins the state under a number. What had the number is let go.
  case freeze(Int)
  /// Reads in the state with the number, if there is one.
  case frozen(Int, [Command])
  case letGo(Int)
  /// Closes the store and opens it again, where a store outlives that.
  case reopen
  /// Has the store verify itself, where it can.
  case check
  case state(SubjectKind, Statement)
  case ask(SubjectKind, Question)

  /// The commands inside, if it can have some.
  var children: [Command]? {
    switch self {
    case .write(let commands, _), .savepoint(let commands, _), .read(let commands), .frozen(_, let commands): commands
    default: nil
    }
  }

  /// The name of what it does, `insert` for example.
  var kind: String {
    switch self {
    case .state(_, let statement): Self.name(statement)
    case .ask(_, let question): Self.name(question)
    default: Self.name(self)
    }
  }

  private static func name(_ value: Any) -> String {
    Mirror(reflecting: value).children.first?.label ?? "\(value)"
  }

  func replacing(children: [Command]) -> Command {
    switch self {
    case .write(_, let fails): .write(children, fails: fails)
    case .savepoint(_, let fails): .savepoint(children, fails: fails)
    case .read: .read(children)
    case .frozen(let number, _): .frozen(number, children)
    default: self
    }
  }

  /// How many commands these are, those inside included.
  static func count(_ commands: [Command]) -> Int {
    commands.reduce(0) { $0 + 1 + count($1.children ?? []) }
  }
}

/// The models of random runs.
enum SubjectKind: Int, CaseIterable {
  case bare, single, compound, named

  var shape: any SubjectShape.Type {
    switch self {
    case .bare: BareShape.self
    case .single: SingleShape.self
    case .compound: CompoundShape.self
    case .named: NamedShape.self
    }
  }

  /// The place of the primary key among the properties.
  var key: Int { self == .named ? 6 : 0 }

  static var models: [any Model.Type] {
    [
      Subject<BareShape>.self, Subject<SingleShape>.self, Subject<CompoundShape>.self, Subject<NamedShape>.self,
    ]
  }
}

/// What writes. Rows are values in the order of the properties.
enum Statement {
  case insert([[Value]])
  case insertRecords([[Value]])
  case upsert([[Value]])
  case upsertRecords([[Value]])
  case merge([Value], MergedColumns)
  case getOrInsert([Value])
  case change(Value, [Change])
  case replace([Value])
  /// Replaces the object if it is still as it was just read, or as it never was.
  case compareAndUpdate([Value], isStale: Bool)
  case updateIfStored([Value], count: Int64)
  case changeEach(QueryTree, [Change])
  case assign(QueryTree, [AssignmentTree])
  case delete([Value])
  case deleteQuery(QueryTree)
  case deleteAll
  /// Inserts while a cursor over the same model is open.
  case insertWhileIterating([Value])
}

/// The columns that a partial upsert replaces.
enum MergedColumns: Int, CaseIterable {
  case note, countAndName, smallFlagAndPrice

  var places: [Int] {
    switch self {
    case .note: [7]
    case .countAndName: [2, 6]
    case .smallFlagAndPrice: [1, 10, 8]
    }
  }
}

/// What reads.
enum Question {
  case get(Value)
  case getMany([Value])
  case exists(Value)
  case row(Value)
  case fetch(QueryTree)
  case first(QueryTree)
  case any(QueryTree)
  case count(QueryTree)
  case keys(QueryTree)
  case rows(QueryTree, [String])
  case frozen(QueryTree)
  case select(QueryTree)
  case grouped(QueryTree)
  case aggregate(QueryTree, groups: [String], [AggregateColumn])
  /// Every page of the query, one after the other.
  case pages(QueryTree, Int)
  /// The page after the one that the same question gave last.
  case nextPage(QueryTree, Int)
}

struct AggregateColumn {
  var function: AggregateFunction
  var property: String?
}
