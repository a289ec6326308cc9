public import Foundation
import QuarryBackend

extension Query {
  /// Adds a predicate of Foundation that objects must fulfil: `try Book.where(#Predicate { $0.year >= 1970 })`.
  ///
  /// Strings are compared by their UTF-8 bytes, as in every query of Quarry. A `#Predicate` of five conditions takes the compiler
  /// many seconds. The equivalent typed closure, `Book.where { $0.year >= 1970 }`, takes milliseconds.
  ///
  /// - Parameter predicate: The predicate.
  /// - Throws: `unsupported` for an expression that Quarry cannot represent.
  public func `where`(_ predicate: Foundation.Predicate<M>) throws -> Query {
    do throws(StorageError) {
      return adding(try predicateTree(predicate) { M.modelDefinition.name(of: $0) })
    } catch {
      throw error.with(model: tree.model)
    }
  }

  /// Sorts by the descriptors, after the existing orders.
  ///
  /// Strings are ordered by their UTF-8 bytes: with the comparator `.lexical`, and where a descriptor has none. On Apple's
  /// platforms a descriptor of strings has one of the user's language unless another is written.
  ///
  /// - Parameter descriptors: The descriptors, the first of which decides most.
  /// - Throws: `unsupported` for a comparator of a language, for a type that orders its values itself, and for a descriptor
  ///   without a key path. `invalidQuery` for a descriptor of a property that is not stored.
  public func sorted(by descriptors: SortDescriptor<M>...) throws -> Query {
    try sorted(by: descriptors)
  }

  /// Sorts by the descriptors of an array.
  ///
  /// - Parameter descriptors: The descriptors, the first of which decides most.
  /// - Throws: As the form that takes descriptors one by one.
  public func sorted(by descriptors: [SortDescriptor<M>]) throws -> Query {
    var copy = self
    do throws(StorageError) {
      copy.tree.order += try sortKeys(descriptors) { M.modelDefinition.name(of: $0) }
    } catch {
      throw error.with(model: tree.model)
    }
    return copy
  }
}

extension Model {
  /// The objects that fulfil a predicate of Foundation.
  ///
  /// - Parameter predicate: The predicate: `#Predicate { $0.year >= 1970 }`.
  /// - Throws: `unsupported` for an expression that Quarry cannot represent.
  public static func `where`(_ predicate: Foundation.Predicate<Self>) throws -> Query<Self> {
    try Query<Self>().where(predicate)
  }
}
