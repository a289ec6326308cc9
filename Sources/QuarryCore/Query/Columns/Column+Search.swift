import QuarryBackend
import QuarryQuery
public import QuarryText

extension ModelColumns {
  /// Whether the searchable properties of the object have the words of a text that a user typed.
  ///
  /// ```swift
  /// let found = try store.fetch(Article.where { $0.search(field.text) && $0.year > 2000 })
  /// ```
  ///
  /// No text is an error. Words and phrases in quotes must all be there, `-` excludes one, and `*` behind a word makes it a
  /// beginning. Each may be in another property. A query on a model without searchable properties throws `invalidQuery`.
  public func search(_ text: String) -> Condition {
    Condition(.search([.property(.element)], typed: text))
  }

  /// Whether the searchable properties of the object have the words of a query.
  ///
  /// - Parameter query: The words: `.all("swift", .prefix("conc"), .not("java"))`.
  public func search(_ query: SearchQuery) -> Condition {
    Condition(.search([.property(.element)], query), failure: query.excess)
  }
}

extension Column where Value: SearchedText {
  /// Whether the text has the words of a text that a user typed: ``ModelColumns/search(_:)-swift.method`` of one property.
  ///
  /// A property that is not searchable is searched without an index, object by object.
  public func search(_ text: String) -> Condition {
    Condition(.search([operand], typed: text))
  }

  /// Whether the text has the words of a query.
  public func search(_ query: SearchQuery) -> Condition {
    Condition(.search([operand], query), failure: query.excess)
  }
}

extension ElementColumn where Value: SearchedText {
  /// Whether the text has the words of a text that a user typed: ``ModelColumns/search(_:)-swift.method`` of one property.
  ///
  /// A property that is not searchable is searched without an index, object by object.
  public func search(_ text: String) -> Condition {
    Condition(.search([operand], typed: text))
  }

  /// Whether the text has the words of a query.
  public func search(_ query: SearchQuery) -> Condition {
    Condition(.search([operand], query), failure: query.excess)
  }
}

extension OtherColumns {
  /// Whether the searchable properties of the object have the words of a text that a user typed.
  public func search(_ text: String) -> Condition { .search(object: .element, typed: text) }

  /// Whether the searchable properties of the object have the words of a query.
  public func search(_ query: SearchQuery) -> Condition { .search(object: .element, query) }
}

extension Condition {
  /// A search in the object that a path leads to: its element is the object itself.
  static func search(object path: PropertyPath, typed text: String) -> Condition {
    Condition(.search([.property(path.object)], typed: text))
  }

  static func search(object path: PropertyPath, _ query: SearchQuery) -> Condition {
    Condition(.search([.property(path.object)], query), failure: query.excess)
  }
}

extension PropertyPath {
  /// The object that the path leads to, as a whole.
  fileprivate var object: PropertyPath { PropertyPath(property, members: members + [PropertyPath.element.property]) }
}

/// A type of properties that are searched by words: texts, texts that may be nil, and arrays of texts.
public protocol SearchedText: Storable {}

extension String: SearchedText {}
extension Optional: SearchedText where Wrapped == String {}
extension Array: SearchedText where Element == String {}
