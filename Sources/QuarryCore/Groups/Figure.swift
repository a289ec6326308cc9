import QuarryBackend
import Synchronization

/// A figure of each group of objects, as a closure of ``ReadScope/grouped(_:by:figures:)`` declares it.
///
/// ``GroupRow`` reads its values.
public struct Figure<Value: Storable>: Sendable {
  let values: FigureValues<Value>
}

/// The values of a figure, one for each group. They are there once the groups were read.
final class FigureValues<Value: Storable>: Sendable {
  let term: GroupTerm
  private let values = Mutex<[Value]>([])

  init(_ term: GroupTerm) {
    self.term = term
  }

  subscript(place: Int) -> Value { values.withLock { $0[place] } }
}

/// A figure whose type is not known here.
protocol AnyFigureValues: Sendable {
  var term: GroupTerm { get }
  /// Takes the values of all groups.
  ///
  /// - Throws: `invalidValue` when the type refuses a stored value.
  func take(_ stored: some Sequence<QuarryBackend.Value>) throws(StorageError)
}

extension FigureValues: AnyFigureValues {
  func take(_ stored: some Sequence<QuarryBackend.Value>) throws(StorageError) {
    var read: [Value] = []
    read.reserveCapacity(stored.underestimatedCount)
    do throws(StorageError) {
      for value in stored { read.append(try Value(storedValue: value)) }
    } catch {
      throw error.with(property: term.column)
    }
    values.withLock { $0 = read }
  }
}
