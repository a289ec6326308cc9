import Foundation
import Quarry

/// The second shape: work in the background whose callers get a result of their own types, never the layer's.
struct BackgroundStore: Sendable {
  /// What can go wrong, as the program sees it.
  enum Failure: Error, Equatable {
    case alreadyThere, notThere, changedMeanwhile, busy
    case storage(String)

    init(_ error: any Error) {
      switch (error as? StorageError)?.code {
      case .duplicateKey, .uniqueViolation: self = .alreadyThere
      case .notFound: self = .notThere
      case .conflict: self = .changedMeanwhile
      case .busy: self = .busy
      default: self = .storage(error.localizedDescription)
      }
    }
  }

  let store: Store

  func save(_ notes: [Note]) async -> Result<Int, Failure> {
    await result { tx in
      try tx.insert(contentsOf: notes)
      return notes.count
    }
  }

  /// Replaces a note that nobody has changed since it was read.
  func replace(_ original: Note, with note: Note) async -> Result<Note, Failure> {
    await result { tx in
      try tx.update(note, ifUnchangedFrom: original)
      return note
    }
  }

  func stars(in folder: String) async -> Result<Int, Failure> {
    do {
      return .success(try await store.read { tx in try tx.sum(Note.where { $0.folder == folder }, of: \.stars) ?? 0 })
    } catch {
      return .failure(Failure(error))
    }
  }

  private func result<R: Sendable>(
    _ body: @Sendable @escaping (WriteTransaction) throws -> R
  ) async -> Result<R, Failure> {
    do {
      return .success(try await store.write(body))
    } catch {
      return .failure(Failure(error))
    }
  }
}
