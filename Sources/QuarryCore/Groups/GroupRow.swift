import QuarryBackend

/// A group of objects and its figures: see ``ReadScope/grouped(_:by:figures:)``.
///
/// ```swift
/// for row in try store.grouped(Book.all, by: \.kind, figures: { (count: $0.count(), mean: $0.average(\.price)) }) {
///   print(row.key, row.count, row.mean ?? 0)
/// }
/// ```
@dynamicMemberLookup
public struct GroupRow<Key: Sendable, Figures: Sendable>: Sendable {
  /// The value of the grouped column; a tuple of the values of several.
  public let key: Key
  let figures: Figures
  let place: Int

  /// The value of a figure, by the name that the closure gave it: `row.mean`.
  public subscript<V: Storable>(dynamicMember figure: KeyPath<Figures, Figure<V>>) -> V {
    figures[keyPath: figure].values[place]
  }

  /// The value of a figure, by its place where it has no name: `row[\.0]`.
  public subscript<V: Storable>(figure: KeyPath<Figures, Figure<V>>) -> V {
    figures[keyPath: figure].values[place]
  }
}

extension GroupRow where Figures: SingleFigure {
  /// The value of the figure, where the closure gave one alone.
  public var value: Figures.Value { figures.value(at: place) }
}

/// One figure alone, in place of a tuple of figures.
public protocol SingleFigure: Sendable {
  /// The type of the figure's values.
  associatedtype Value: Storable
  /// The value of the group at a place.
  ///
  /// - Parameter place: The place of the group among the rows, 0 for the first.
  func value(at place: Int) -> Value
}

extension Figure: SingleFigure {
  /// The value of the group at a place.
  public func value(at place: Int) -> Value { values[place] }
}

extension GroupRow: CustomStringConvertible {
  public var description: String {
    func text(_ label: String?, _ value: Any) -> String {
      let number = label.flatMap { $0.hasPrefix(".") ? nil : $0 }
      return (number.map { "\($0): " } ?? "") + "\(value)"
    }
    var parts = ["\(key)"]
    if let alone = figures as? any SingleFigure {
      parts.append("\(alone.value(at: place))")
    } else {
      for child in Mirror(reflecting: figures).children {
        guard let figure = child.value as? any SingleFigure else { continue }
        parts.append(text(child.label, figure.value(at: place)))
      }
    }
    return parts.joined(separator: ", ")
  }
}
