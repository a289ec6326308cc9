import Foundation
import QuarryBackend

/// Errors with the right code that say something else than the contract.
enum ErrorFault: String, FaultGroup, Twist {
  static let group = "error"

  case keyLost, keyOfUniqueLost, keyOfResultLost, dateKeyInSeconds, dataKeyInHex, numberKeyRounded
  case uuidKeyInLowerCase, textKeyCut
  case resultInOtherWords, duplicateInOtherWords, missingInOtherWords, uniqueWithoutIndex, savepointNotFound
  case savepointInOtherWords, propertyOfDuplicateLost

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .keyLost: ("duplicateKey does not name the key.", ["ERR-2", "ERR-4", "ERR-5"])
    case .keyOfUniqueLost: ("uniqueViolation does not name the key.", ["ERR-2", "ERR-4", "ERR-5"])
    case .keyOfResultLost: ("A result that does not fit does not name the key.", ["ERR-2", "ERR-4", "ERR-5"])
    case .dateKeyInSeconds: ("Dates are told as seconds since 2001.", ["ERR-4"])
    case .dataKeyInHex: ("Data is told in hex.", ["ERR-4"])
    case .numberKeyRounded: ("Floating-point keys are told with six digits.", ["ERR-4"])
    case .uuidKeyInLowerCase: ("UUIDs are told in lower case.", ["ERR-4"])
    case .textKeyCut: ("Text is told to its first NUL.", ["ERR-4"])
    case .resultInOtherWords: ("A result that does not fit is told without the type.", ["ERR-5"])
    case .duplicateInOtherWords: ("A taken key is told in other words.", ["ERR-5"])
    case .missingInOtherWords: ("An object that is not there is told in other words.", ["ERR-5"])
    case .uniqueWithoutIndex: ("A taken unique value is told without the index.", ["ERR-5"])
    case .savepointNotFound: ("Without a savepoint its end is notFound.", ["ERR-7"])
    case .savepointInOtherWords: ("Without a savepoint its end is told in other words.", ["ERR-5"])
    case .propertyOfDuplicateLost: ("duplicateKey does not name the property.", ["ERR-5", "ERR-2"])
    }
  }

  private func changed(_ error: StorageError, _ type: PropertyType?) -> StorageError {
    switch (self, error.code) {
    case (.keyLost, .duplicateKey), (.keyOfUniqueLost, .uniqueViolation),
      (.keyOfResultLost, .invalidValue):
      told(error, key: nil)
    case (.dateKeyInSeconds, _) where type == .date:
      told(error, key: error.key.map { ISO8601Text.date($0)?.timeIntervalSinceReferenceDate.description ?? $0 })
    case (.dataKeyInHex, _) where type == .data:
      told(error, key: error.key.flatMap { Data(base64Encoded: $0) }?.map { String($0, radix: 16) }.joined())
    case (.numberKeyRounded, _) where type == .double || type == .float:
      told(error, key: error.key.flatMap { Double($0) }.map { String(format: "%g", $0) })
    case (.uuidKeyInLowerCase, _) where type == .uuid: told(error, key: error.key?.lowercased())
    case (.textKeyCut, _) where type == .string:
      told(error, key: error.key.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix { $0 != "\0" })) })
    case (.resultInOtherWords, .invalidValue): told(error, "a result does not fit into the property's type")
    case (.duplicateInOtherWords, .duplicateKey): told(error, "an object with this key exists")
    case (.missingInOtherWords, .notFound): told(error, "there is no object with this key")
    case (.uniqueWithoutIndex, .uniqueViolation): told(error, "another object has this value")
    case (.propertyOfDuplicateLost, .duplicateKey):
      StorageError(error.code, error.message, model: error.model, key: error.key)
    default: error
    }
  }

  private func told(_ error: StorageError, _ message: String? = nil, key: String?) -> StorageError {
    StorageError(error.code, message ?? error.message, model: error.model, property: error.property, key: key)
  }

  private func told(_ error: StorageError, _ message: String) -> StorageError {
    told(error, message, key: error.key)
  }

  private func telling<R>(
    _ tx: Writer, _ model: ModelID, _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw changed(error, tx.schema.model(id: model)?.keyProperty.type)
    }
  }

  // MARK: What is told

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    do throws(StorageError) {
      try tx.insert(model, rows)
    } catch {
      throw changed(error, tx.schema.model(id: model)?.keyProperty.type)
    }
  }

  func upsert(
    _ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    do throws(StorageError) {
      return try tx.upsert(model, rows, policy)
    } catch {
      throw changed(error, tx.schema.model(id: model)?.keyProperty.type)
    }
  }

  func getOrInsert(
    _ tx: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try telling(tx, model) { () throws(StorageError) in try tx.getOrInsert(model, row) }
  }

  func update(_ tx: Writer, _ update: RowUpdate) throws(StorageError) {
    try telling(tx, update.model) { () throws(StorageError) in try update.run(tx) }
  }

  func update(_ tx: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try telling(tx, query.model) { () throws(StorageError) in try tx.update(query, assignments) }
  }

  func releaseSavepoint(_ tx: Writer) throws(StorageError) {
    try ending { () throws(StorageError) in try tx.releaseSavepoint() }
  }

  func rollbackSavepoint(_ tx: Writer) throws(StorageError) {
    try ending { () throws(StorageError) in try tx.rollbackSavepoint() }
  }

  private func ending(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) {
      try body()
    } catch {
      switch self {
      case .savepointNotFound: throw StorageError(.notFound, error.message)
      case .savepointInOtherWords: throw StorageError(error.code, "there is no savepoint")
      default: throw error
      }
    }
  }
}
