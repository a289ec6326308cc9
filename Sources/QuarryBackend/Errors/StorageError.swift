/// The one error that Quarry and every backend throw.
///
/// Programs decide by ``code``; ``message`` is for people and may change. Where they are known, the model, the property
/// and the key tell what the error is about. Messages never contain stored values other than keys.
///
/// The value is one reference wide, so that a typed throw costs nothing on the way that does not throw.
public struct StorageError: Error, Sendable {
  /// The kind of an error, as a program sees it.
  ///
  /// New codes may be added: switch with a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Wrapped: String {
      case closed, transactionEnded, wrongThread, readOnly, reentrant, iterationActive, notFound, duplicateKey
      case uniqueViolation, conflict, busy, inUse, limitExceeded, full, io, corrupt, wrongKey, keyRequired, notEncrypted
      case schemaMismatch, schemaTooNew, invalidValue, missingValue, invalidQuery, unsupported
      case missingReference, referenced, unavailable, commitUnknown
    }
    private let wrapped: Wrapped

    /// The code's name as written in the contract, `duplicateKey` for example.
    public var description: String { wrapped.rawValue }

    /// The store was closed.
    public static let closed = Code(wrapped: .closed)
    /// The transaction, cursor or snapshot has ended.
    public static let transactionEnded = Code(wrapped: .transactionEnded)
    /// A transaction was used on another thread than the one that began it.
    public static let wrongThread = Code(wrapped: .wrongThread)
    /// A write to something that was opened for reading only.
    public static let readOnly = Code(wrapped: .readOnly)
    /// A call that may not be made from where it was made, such as a write inside a read of the same store.
    public static let reentrant = Code(wrapped: .reentrant)
    /// A model was written to while a cursor over it was open in the same transaction.
    public static let iterationActive = Code(wrapped: .iterationActive)
    /// There is no object with that key, or no store at that place.
    public static let notFound = Code(wrapped: .notFound)
    /// An object with that primary key exists.
    public static let duplicateKey = Code(wrapped: .duplicateKey)
    /// Another object has that value in a unique index.
    public static let uniqueViolation = Code(wrapped: .uniqueViolation)
    /// A reference has the key of an object that is not there.
    public static let missingReference = Code(wrapped: .missingReference)
    /// An object cannot be removed, because another one refers to it.
    public static let referenced = Code(wrapped: .referenced)
    /// The object was changed since it was read, or a serializable transaction has to be run again.
    public static let conflict = Code(wrapped: .conflict)
    /// Another writer held the store for longer than the timeout.
    public static let busy = Code(wrapped: .busy)
    /// Another process, or another place in this process, has the store open.
    public static let inUse = Code(wrapped: .inUse)
    /// A declared limit was passed; the message has the limit and the actual number.
    public static let limitExceeded = Code(wrapped: .limitExceeded)
    /// No space is left on the device or in the map.
    public static let full = Code(wrapped: .full)
    /// The operating system refused a read or a write.
    public static let io = Code(wrapped: .io)
    /// The file is damaged, or is not a store.
    public static let corrupt = Code(wrapped: .corrupt)
    /// The encryption key is not the key of the store.
    public static let wrongKey = Code(wrapped: .wrongKey)
    /// The store is encrypted, and no key was given.
    public static let keyRequired = Code(wrapped: .keyRequired)
    /// The store is not encrypted, and a key was given.
    public static let notEncrypted = Code(wrapped: .notEncrypted)
    /// The stored schema and the program's schema differ in a way that opening cannot bridge.
    public static let schemaMismatch = Code(wrapped: .schemaMismatch)
    /// The store was written by a newer version.
    public static let schemaTooNew = Code(wrapped: .schemaTooNew)
    /// A value cannot be stored, or an arithmetic result does not fit.
    public static let invalidValue = Code(wrapped: .invalidValue)
    /// A value is nil where the property needs one.
    public static let missingValue = Code(wrapped: .missingValue)
    /// The query names what does not exist, compares what cannot be compared, or does not parse.
    public static let invalidQuery = Code(wrapped: .invalidQuery)
    /// The backend does not offer the capability.
    public static let unsupported = Code(wrapped: .unsupported)

    /// The server of the store cannot be reached, or has ended the connection. Nothing of the call is stored.
    public static let unavailable = Code(wrapped: .unavailable)
    /// The connection was lost during a commit: the write is stored whole or not at all, and it is not known which.
    public static let commitUnknown = Code(wrapped: .commitUnknown)

    /// Every code of this version of the contract.
    public static let all: [Code] = [
      closed, transactionEnded, wrongThread, readOnly, reentrant, iterationActive, notFound, duplicateKey,
      uniqueViolation, conflict, busy, inUse, limitExceeded, full, io, corrupt, wrongKey, schemaMismatch,
      schemaTooNew, invalidValue, missingValue, invalidQuery, unsupported, keyRequired, notEncrypted,
      missingReference, referenced, unavailable, commitUnknown,
    ]
  }

  private final class Storage: Sendable {
    let code: Code
    let message: String
    let cause: (any Error)?
    let model: String?
    let property: String?
    let place: String?
    let key: String?
    let capability: Capability?
    let processID: Int32?

    init(
      code: Code, message: String, cause: (any Error)?, model: String?, property: String?, place: String? = nil,
      key: String?, capability: Capability?, processID: Int32? = nil
    ) {
      self.code = code
      self.message = message
      self.cause = cause
      self.model = model
      self.property = property
      self.place = place
      self.key = key
      self.capability = capability
      self.processID = processID
    }
  }
  private let storage: Storage

  /// The kind of the error.
  public var code: Code { storage.code }
  /// A sentence for people.
  public var message: String { storage.message }
  /// The error underneath, where there is one.
  public var cause: (any Error)? { storage.cause }
  /// The name of the model that the error is about, where it is known.
  public var model: String? { storage.model }
  /// The name of the property that the error is about, where it is known.
  public var property: String? { storage.property }
  /// Where inside the property's value it is, for nested values and arrays: `address.lines[2]`. Nil where it is the
  /// value itself.
  public var place: String? { storage.place }
  /// The primary key of the object that the error is about, as people read it (``KeyText``), where it is known.
  public var key: String? { storage.key }
  /// The capability that is not offered, when the code is ``Code/unsupported``.
  public var capability: Capability? { storage.capability }
  /// The process that has the store open, when the code is ``Code/inUse`` and it is known.
  public var processID: Int32? { storage.processID }

  /// An error of an object or of a call; what is not known stays nil.
  ///
  /// - Parameters:
  ///   - code: The kind of the error, by which programs decide.
  ///   - message: A sentence for people, without stored values other than keys.
  ///   - model: The name of the model.
  ///   - property: The name of the property.
  ///   - key: The primary key as people read it (``KeyText``).
  ///   - cause: The error underneath.
  public init(
    _ code: Code, _ message: String, model: String? = nil, property: String? = nil, key: String? = nil,
    cause: (any Error)? = nil
  ) {
    storage = Storage(
      code: code, message: message, cause: cause, model: model, property: property, key: key, capability: nil)
  }

  /// The refusal of a capability, thrown before any effect.
  ///
  /// - Parameters:
  ///   - capability: The capability that is not offered.
  ///   - message: A sentence for people: which engine refuses, and why.
  public static func unsupported(_ capability: Capability, _ message: String) -> StorageError {
    StorageError(
      storage: Storage(
        code: .unsupported, message: message, cause: nil, model: nil, property: nil, key: nil, capability: capability))
  }

  /// Another opening holds the store.
  ///
  /// - Parameter processID: The process that holds it, which may be this one; nil when it is not known.
  public static func inUse(by processID: Int32?, _ message: String) -> StorageError {
    StorageError(
      storage: Storage(
        code: .inUse, message: message, cause: nil, model: nil, property: nil, key: nil, capability: nil,
        processID: processID))
  }

  /// A declared limit was passed.
  ///
  /// - Parameters:
  ///   - what: The thing that is counted, with its unit: `bytes of a row`.
  ///   - limit: The greatest number allowed.
  ///   - actual: The number that was asked for.
  ///   - model: The name of the model.
  ///   - property: The name of the property.
  public static func limitExceeded(
    _ what: String, limit: Int, actual: Int, model: String? = nil, property: String? = nil
  ) -> StorageError {
    StorageError(.limitExceeded, "\(what): the limit is \(limit), this is \(actual)", model: model, property: property)
  }

  private init(storage: Storage) {
    self.storage = storage
  }

  /// The same error with model, property or key filled in where they were not known.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - property: The name of the property.
  ///   - key: The primary key as people read it (``KeyText``).
  public func with(model: String? = nil, property: String? = nil, key: String? = nil) -> StorageError {
    StorageError(
      storage: Storage(
        code: code, message: message, cause: cause, model: self.model ?? model, property: self.property ?? property,
        place: place, key: self.key ?? key, capability: capability, processID: processID))
  }

  /// The same error about a part of the value that it is about: the place before the one that it has.
  ///
  /// - Parameter outer: A member's name, or an element's number in brackets.
  public func at(_ outer: String) -> StorageError {
    let inner = place.map { $0.hasPrefix("[") ? $0 : ".\($0)" } ?? ""
    return StorageError(
      storage: Storage(
        code: code, message: message, cause: cause, model: model, property: property, place: outer + inner, key: key,
        capability: capability, processID: processID))
  }
}

extension StorageError: CustomStringConvertible {
  /// `code: message (model, property, place, key)`.
  public var description: String {
    var about: [String] = []
    if let model { about.append("model \(model)") }
    if let property { about.append("property \(property)") }
    if let place { about.append("at \(place)") }
    if let key { about.append("key \(key)") }
    return about.isEmpty ? "\(code): \(message)" : "\(code): \(message) (\(about.joined(separator: ", ")))"
  }
}
