import Foundation
import Quarry

/// The fourth shape: one generic access object for every model of a program.
struct DataAccess<M: Model & Identifiable>: Sendable where M.PrimaryKey == M.ID {
  let store: Store

  subscript(id: M.ID) -> M? {
    get throws { try store.get(M.self, id) }
  }

  func all(limit: Int? = nil) throws -> [M] {
    try store.fetch(M.all.limit(limit))
  }

  func first(_ condition: (M.Columns) -> Condition) throws -> M? {
    try store.first(M.where(condition))
  }

  func find(_ condition: (M.Columns) -> Condition) throws -> [M] {
    try store.fetch(M.where(condition))
  }

  /// By the text that a user typed or a configuration holds: `invalidQuery` says where it is wrong.
  func find(text: String, sortedBy order: String? = nil) throws -> [M] {
    let query = try M.where(text)
    return try store.fetch(order.map { try query.sorted($0) } ?? query)
  }

  func count(_ condition: (M.Columns) -> Condition) throws -> Int {
    try store.count(M.where(condition))
  }

  /// Adds the objects or replaces those that have their keys, all of them or none.
  ///
  /// - Returns: How many were new.
  @discardableResult
  func save(_ objects: M...) throws -> Int {
    try store.upsert(contentsOf: objects)
  }

  @discardableResult
  func change(_ id: M.ID, _ change: (inout M) throws -> Void) throws -> M {
    try store.update(M.self, id, change)
  }

  @discardableResult
  func remove(_ condition: (M.Columns) -> Condition) throws -> Int {
    try store.delete(M.where(condition))
  }

  func pages(of size: Int) throws -> [[M]] {
    var pages: [[M]] = []
    var page = try store.page(M.all, size: size)
    pages.append(page.elements)
    while let next = page.next {
      page = try store.page(M.all.after(next), size: size)
      pages.append(page.elements)
    }
    return pages
  }
}
