import Foundation
import QuarryBackend
package import QuarryCore
package import QuarryQuery
import Synchronization

/// What an observer was told, one thing after the other.
package final class Told<Element: Sendable>: Sendable {
  private let state = Mutex<(elements: [Element], taken: Int, errors: [any Error])>(([], 0, []))
  private let arrived = MonotonicSemaphore()

  package func note(_ element: Element) {
    state.withLock { $0.elements.append(element) }
    arrived.signal()
  }

  package func note(error: any Error) {
    state.withLock { $0.errors.append(error) }
    arrived.signal()
  }

  /// How much was told so far.
  package var count: Int { state.withLock { $0.elements.count } }

  package var errors: [any Error] { state.withLock { $0.errors } }

  package init() {}

  /// The next that is told, waited for.
  package func next(_ about: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line) throws
    -> Element
  {
    guard arrived.wait(atMost: .seconds(Watching.patience)) else {
      throw ConformanceFailure(
        message: "\(about()): nothing was told within \(Watching.patience) s", file: file, line: line)
    }
    let next = state.withLock { state -> Element? in
      guard state.taken < state.elements.count else { return nil }
      state.taken += 1
      return state.elements[state.taken - 1]
    }
    guard let next else {
      throw ConformanceFailure(message: "\(about()): the observation ended: \(errors)", file: file, line: line)
    }
    return next
  }

  /// Waits until the observation has ended by an error.
  package func error(file: String = #fileID, line: Int = #line) throws -> any Error {
    while true {
      if let error = errors.first { return error }
      guard arrived.wait(atMost: .seconds(Watching.patience)) else {
        throw ConformanceFailure(message: "the observation did not end", file: file, line: line)
      }
    }
  }
}

/// A sequence that is read by threads: each element is asked for when it is wanted, and waited for.
package final class Pulled<Element: Sendable>: Sendable {
  private let pull: @Sendable () async throws -> Element?

  package init<Base: AsyncSequence>(_ base: Base) where Base.Element == Element, Base.AsyncIterator: SendableMetatype {
    let iterator = Iterator(base: base.makeAsyncIterator())
    pull = { try await iterator.next() }
  }

  private final class Iterator<Base: AsyncIteratorProtocol & SendableMetatype>: @unchecked Sendable
  where Base.Element == Element {
    // Unchecked: one element after the other is asked for.
    private var base: Base

    init(base: Base) {
      self.base = base
    }

    func next() async throws -> Element? { try await base.next() }
  }

  /// The next element, waited for; nil at the end.
  package func next(file: String = #fileID, line: Int = #line) throws -> Element? {
    let pull = pull
    return try valueOf(Task.ofCase { try await pull() }, file: file, line: line)
  }
}

/// What a task returns, waited for.
package func valueOf<R: Sendable>(_ task: Task<R, any Error>, file: String = #fileID, line: Int = #line) throws -> R {
  let ended = MonotonicSemaphore()
  let result = Mutex<Result<R, any Error>?>(nil)
  let waiting = Task<Void, any Error>.ofCase {
    let found = await task.result
    result.withLock { $0 = found }
    ended.signal()
  }
  defer { withExtendedLifetime(waiting) {} }
  guard ended.wait(atMost: .seconds(Watching.patience)), let found = result.withLock({ $0 }) else {
    throw ConformanceFailure(message: "a task did not end within \(Watching.patience) s", file: file, line: line)
  }
  return try found.get()
}

package enum Watching {
  /// Seconds after which nothing more is expected to come: no case is decided by them that passes.
  package static let patience = 20.0
}

/// An observed query, followed from change to change and compared with what a fetch gives.
package final class Watched<Object: Sendable> {
  package let told = Told<QueryChange<Object>>()
  package private(set) var token: ObservationToken?
  /// The list as it was told last.
  package private(set) var list: [Object] = []
  /// What tells its objects from others.
  private var texts: [String] = []
  private let form: ListForm<Object>
  private let fetch: () throws -> [Object]

  /// Begins, and takes the initial list.
  init(
    _ form: ListForm<Object>, _ fetch: @escaping () throws -> [Object],
    file: String = #fileID, line: Int = #line, _ observe: (Told<QueryChange<Object>>) throws -> ObservationToken
  ) throws {
    self.form = form
    self.fetch = fetch
    token = try observe(told)
    let initial = try told.next("the initial list", file: file, line: line)
    try expect(initial.isInitial, "the first change is not the initial list", file: file, line: line)
    list = initial.objects
    texts = list.map(form.text)
    try expectEqual(
      texts, try fetch().map(form.text), "the initial list", file: file, line: line)
  }

  package func cancel() {
    token?.cancel()
    token = nil
  }

  /// Does something that is one commit, and expects the one change that it makes, or none where the list stays.
  ///
  /// - Returns: The change.
  @discardableResult
  package func expectChange(
    _ about: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line, after body: () throws -> Void
  ) throws -> QueryChange<Object>? {
    try body()
    return try expectTold(about(), file: file, line: line)
  }

  /// Expects what the newest commit has made of the list.
  @discardableResult
  package func expectTold(
    _ about: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line
  ) throws -> QueryChange<Object>? {
    let new = try fetch()
    let newTexts = new.map(form.text)
    guard newTexts != texts else { return nil }
    let change = try told.next(about(), file: file, line: line)
    do {
      try form.check(change, from: list, to: new)
    } catch let failure as ConformanceFailure {
      throw ConformanceFailure(message: "\(about()): \(failure.message)", file: file, line: line)
    }
    (list, texts) = (new, newTexts)
    return change
  }

  /// Follows what is told, however many changes it is, until the list is what a fetch gives; each change is compared with
  /// the lists that it stands between.
  package func follow(_ about: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line) throws {
    let new = try fetch().map(form.text)
    while texts != new {
      let change = try told.next(about(), file: file, line: line)
      do {
        try form.check(change, from: list, to: change.objects)
      } catch let failure as ConformanceFailure {
        throw ConformanceFailure(message: "\(about()): \(failure.message)", file: file, line: line)
      }
      (list, texts) = (change.objects, change.objects.map(form.text))
    }
  }
}

extension Watched where Object: Model {
  /// Observes a typed query.
  package convenience init(
    _ store: Store, _ query: Query<Object>, _ form: ListForm<Object>, file: String = #fileID, line: Int = #line
  ) throws {
    try self.init(form, { try store.fetch(query) }, file: file, line: line) { told in
      try store.observe(query, onError: { told.note(error: $0) }) { told.note($0) }
    }
  }
}

extension Watched where Object == Record {
  /// Observes a query of records.
  package convenience init(
    _ store: Store, _ query: QueryTree, file: String = #fileID, line: Int = #line
  ) throws {
    try self.init(.records, { try store.read { try $0.records.fetch(query) } }, file: file, line: line) { told in
      try store.observe(query, onError: { told.note(error: $0) }) { told.note($0) }
    }
  }
}

/// What objects of a list are compared by.
package struct ListForm<Object: Sendable>: Sendable {
  /// The primary key.
  var key: @Sendable (Object) -> String
  /// The properties, by names, as texts that differ where a bit does.
  var properties: @Sendable (Object) -> [(name: String, text: String)]

  @Sendable func text(_ object: Object) -> String { properties(object).map(\.text).joined(separator: "|") }

  /// Compares a change with what the two lists say of it.
  package func check(_ change: QueryChange<Object>, from old: [Object], to new: [Object]) throws {
    func texts(_ objects: [Object]) -> [String] { objects.map(text) }
    try expect(!change.isInitial, "a change is the initial list")
    try expectEqual(texts(change.objects), texts(new), "the new list")
    try expectEqual(texts(change.applied(to: old)), texts(new), "the change applied to the old list")
    let (oldKeys, newKeys) = (old.map(key), new.map(key))
    let (oldSet, newSet) = (Set(oldKeys), Set(newKeys))
    let gone = oldKeys.indices.filter { !newSet.contains(oldKeys[$0]) }
    let come = newKeys.indices.filter { !oldSet.contains(newKeys[$0]) }
    try expectEqual(change.deletions.map(\.place), gone, "the places that went")
    try expectEqual(texts(change.deletions.map(\.object)), texts(gone.map { old[$0] }), "the objects that went")
    try expectEqual(change.insertions.map(\.place), come, "the places that came")
    try expectEqual(texts(change.insertions.map(\.object)), texts(come.map { new[$0] }), "the objects that came")
    var oldPlaces: [String: Int] = [:]
    for (place, key) in oldKeys.enumerated() { oldPlaces[key] = place }
    var due: [String] = []
    for (place, object) in new.enumerated() {
      guard let oldPlace = oldPlaces[newKeys[place]], text(old[oldPlace]) != text(object) else { continue }
      let names = zip(properties(old[oldPlace]), properties(object)).filter { $0.text != $1.text }.map(\.0.name)
      due.append("\(oldPlace) \(place) \(text(old[oldPlace])) \(text(object)) \(names)")
    }
    try expectEqual(
      change.updates.map { "\($0.oldPlace) \($0.place) \(text($0.old)) \(text($0.new)) \($0.properties)" }, due,
      "the updates")
    let survivors = newKeys.compactMap { oldPlaces[$0] }
    try expectEqual(change.moves.count, survivors.count - Self.longestRising(survivors), "the number of moves")
    for move in change.moves { try expectEqual(newKeys[move.to], oldKeys[move.from], "a move") }
    try expectEqual(change.moves.map(\.to), change.moves.map(\.to).sorted(), "the order of the moves")
  }

  /// The length of a longest rising part, as it is defined.
  private static func longestRising(_ numbers: [Int]) -> Int {
    var lengths: [Int] = []
    for (place, number) in numbers.enumerated() {
      lengths.append(1 + (lengths.indices.filter { $0 < place && numbers[$0] < number }.map { lengths[$0] }.max() ?? 0))
    }
    return lengths.max() ?? 0
  }
}

extension ListForm<Record> {
  static let records = ListForm(
    key: { "\($0.fields.first?.value ?? .null)" }, properties: { $0.fields.map { ($0.name, exact($0.value)) } })

  /// A value as a text that differs where a bit does.
  private static func exact(_ value: Value) -> String {
    switch value {
    case .float(let number): "float \(number.bitPattern)"
    case .double(let number): "double \(number.bitPattern)"
    case .date(let date): "date \(date.timeIntervalSinceReferenceDate.bitPattern)"
    default: "\(value)"
    }
  }
}

extension ListForm<Item> {
  package static let items = ListForm(
    key: { "\($0.id)" },
    properties: {
      [
        ("id", "\($0.id)"), ("code", $0.code), ("rank", "\(String(describing: $0.rank))"),
        ("name", "\($0.name.utf8.count) \($0.name)"),
        ("score", "\($0.score.bitPattern)"), ("note", "\(String(describing: $0.note))"), ("tags", "\($0.tags)"),
      ]
    })
}

extension ListForm<Poem> {
  package static let poems = ListForm(
    key: { "\($0.id)" },
    properties: {
      [
        ("id", "\($0.id)"), ("title", $0.title), ("poet", "\(String(describing: $0.poet?.key))"),
        ("editor", "\(String(describing: $0.editor?.key))"), ("answers", "\(String(describing: $0.answers?.key))"),
      ]
    })
}
