import QuarryBackend
import QuarryCore
import QuarryQuery

/// Runs commands on a store and keeps what they gave.
final class CommandRunner {
  /// What one command gave. The command stands beside it, so that a difference can be named.
  struct Step {
    var command: Command
    var answer: Answer
  }

  private struct Planned: Error {}

  private let place: any BackendProvider
  private let isPersistent: Bool
  private var store: Store
  private var frozen: [Int: FrozenStore] = [:]
  /// Where the last page of a query ended.
  var positions: [QueryTree: PagePosition] = [:]
  private(set) var steps: [Step] = []

  /// Opens a new store at a place where there is nothing.
  init(_ place: any BackendProvider, isPersistent: Bool) throws {
    self.place = place
    self.isPersistent = isPersistent
    store = try Store(models: SubjectKind.models, in: place, options: Self.options)
  }

  /// A run proves meanings, not what survives a loss of power; syncing would make it slow.
  private static var options: OpenOptions { OpenOptions() }

  func close() {
    for state in frozen.values { state.close() }
    frozen = [:]
    try? store.close()
  }

  func run(_ commands: [Command]) {
    for command in commands { run(command, in: nil) }
  }

  private func answer(_ command: Command, _ body: () throws -> Answer) {
    steps.append(Step(command: command, answer: Self.answer(body)))
  }

  private static func answer(_ body: () throws -> Answer) -> Answer {
    do {
      return try body()
    } catch let error as StorageError {
      return .failure(error.code)
    } catch is Planned {
      return .undone
    } catch {
      return .foreign("\(error)")
    }
  }

  private func run(_ command: Command, in transaction: ReadTransaction?) {
    answer(command) {
      switch command {
      case .write(let commands, let fails):
        return try store.write { tx in try body(commands, fails, in: tx) }
      case .savepoint(let commands, let fails):
        guard let write = transaction as? WriteTransaction else {
          return try store.write { tx in try body(commands, fails, in: tx) }
        }
        return try write.savepoint { try body(commands, fails, in: write) }
      case .read(let commands):
        return try store.read { tx in try body(commands, false, in: tx) }
      case .freeze(let number):
        let state = try store.freeze()
        frozen[number]?.close()
        frozen[number] = state
        return .done
      case .frozen(let number, let commands):
        guard let state = frozen[number] else { return .unknown }
        return try state.read { tx in try body(commands, false, in: tx) }
      case .letGo(let number):
        frozen.removeValue(forKey: number)?.close()
        return .done
      case .reopen:
        try reopen(in: transaction)
        return .done
      case .check:
        guard transaction == nil, store.manifest.capabilities[.check]?.isSupported == true else { return .unknown }
        return .findings(try store.check())
      case .state(let kind, let statement):
        if let write = transaction as? WriteTransaction { return try perform(statement, kind.shape, write) }
        return try store.write { try self.perform(statement, kind.shape, $0) }
      case .ask(let kind, let question):
        if let transaction { return try reply(question, kind.shape, transaction) }
        return try store.read { try self.reply(question, kind.shape, $0) }
      }
    }
  }

  private func body(_ commands: [Command], _ fails: Bool, in transaction: ReadTransaction) throws -> Answer {
    for command in commands { run(command, in: transaction) }
    if fails { throw Planned() }
    return .done
  }

  private func reopen(in transaction: ReadTransaction?) throws {
    guard transaction == nil else { return }
    for state in frozen.values { state.close() }
    frozen = [:]
    guard isPersistent else { return }
    try store.close()
    store = try Store(models: SubjectKind.models, in: place, options: Self.options)
  }
}
