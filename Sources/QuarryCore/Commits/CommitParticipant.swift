package import QuarryBackend

/// A part of Quarry that takes part in the commits of a store: observation, and parts that record changes in the store itself.
///
/// For each body that writes, ``CommitPipeline`` asks for the ``demand``, begins the transaction, runs the body, and calls
/// ``prepare(_:in:)``. After the commit it calls ``publish(_:)``.
package protocol CommitParticipant: AnyObject, Sendable {
  /// The changes that a write has to capture for the participant. Asked when a write begins.
  var demand: Capture { get }

  /// Sees the changes of one body before they are committed, and may write in the same transaction.
  ///
  /// It is called on the thread of the transaction. Bodies that share a commit are seen one by one. What a participant writes is
  /// among the changes of the commit, so a participant passes over its own models.
  ///
  /// - Parameters:
  ///   - changes: The changes of the body, as far as they were captured.
  ///   - transaction: The transaction of the body, which the participant neither commits nor rolls back.
  /// - Throws: Any error, which undoes the body, and all bodies that share its commit.
  func prepare(_ changes: ChangeSet, in transaction: any BackendWriteTransaction) throws(StorageError)

  /// Receives the result of a commit, once it is as durable as the store declares.
  ///
  /// Where there are many writers, the calls do not come in the order of commits.
  func publish(_ result: CommitResult)
}

extension CommitParticipant {
  package func prepare(_ changes: ChangeSet, in transaction: any BackendWriteTransaction) throws(StorageError) {}
  package func publish(_ result: CommitResult) {}
}
