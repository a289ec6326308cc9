import QuarryBackend
import Synchronization

/// The changes of an observed query with its rows as objects, for one consumer.
final class ChangeReader<Object: Sendable>: Sendable {
  enum Next {
    case change(QueryChange<Object>)
    case nothing
    case ended((any Error)?)
    case needsRead
  }

  private struct State {
    var objects: [Object] = []
    /// The state whose objects they are; nil before the first ones.
    var version: CommitVersion?
  }

  let observer: QueryObserver
  private let decode: @Sendable (Row) throws -> Object
  private let state = Mutex(State())

  init(_ observer: QueryObserver, _ decode: @escaping @Sendable (Row) throws -> Object) {
    self.observer = observer
    self.decode = decode
  }

  /// The next change, if there is one: the objects as they were found for the first time, then changes.
  ///
  /// - Parameter reads: Whether the store may be read now.
  func next(reads: Bool) -> Next {
    state.withLock { state in
      do {
        guard state.version != nil else {
          let (rows, version, _) = observer.rows
          state.version = version
          state.objects = try rows.map(decode)
          return .change(QueryChange(version: version, isInitial: true, objects: state.objects))
        }
        while true {
          switch observer.look(reads: reads) {
          case .nothing: return .nothing
          case .needsRead: return .needsRead
          case .ended(let failure): return .ended(failure)
          case .change(let rows, let version, let isTold):
            let change = try take(rows, version, &state)
            if isTold { return .change(change) }
          }
        }
      } catch {
        observer.cancel()
        return .ended(error)
      }
    }
  }

  /// The objects as they were found for the first time.
  ///
  /// - Throws: The reason why the query cannot be observed.
  func first() throws -> Next {
    let next = next(reads: true)
    if case .ended(let failure?) = next { throw failure }
    return next
  }

  /// The objects of the newest state, read now. If the last change has them, they are returned again: the caller that took it may
  /// not have shown them yet.
  func newest() -> Next {
    state.withLock { state in
      guard let version = state.version else { return .nothing }
      do {
        switch observer.lookAgain() {
        case .nothing, .needsRead:
          return .change(QueryChange(version: version, isInitial: false, objects: state.objects))
        case .ended(let failure): return .ended(failure)
        case .change(let rows, let version, _): return .change(try take(rows, version, &state))
        }
      } catch {
        observer.cancel()
        return .ended(error)
      }
    }
  }

  private func take(
    _ rows: ObservedRows.Change, _ version: CommitVersion, _ state: inout State
  ) throws -> QueryChange<Object> {
    let inserted = try rows.inserted.map(decode)
    let names = observer.names
    var change = QueryChange<Object>(version: version, isInitial: false, objects: [])
    change.deletions = rows.list.deletions.map { .init(place: $0, object: state.objects[$0]) }
    change.insertions = zip(rows.list.insertions, inserted).map { .init(place: $0, object: $1) }
    change.moves = rows.list.moves.map { .init(from: $0.from, to: $0.to) }
    for update in rows.updates {
      change.updates.append(
        .init(
          oldPlace: update.oldPlace, place: update.place, old: state.objects[update.oldPlace],
          new: try decode(update.new), properties: update.slots.map { names[$0] }))
    }
    change.updates.sort { $0.place < $1.place }
    rows.list.apply(to: &state.objects, inserted: inserted)
    for update in change.updates { state.objects[update.place] = update.new }
    change.objects = state.objects
    state.version = version
    return change
  }
}
