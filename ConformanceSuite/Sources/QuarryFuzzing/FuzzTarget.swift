import QuarryBackend

/// A reader of bytes that come from outside, and what must hold for each input: an answer that passes its own tests, or an
/// error of one of its codes. Anything else is a defect; so are the end of the process, more than 1 GB of memory, and more
/// than ten seconds, which the driver sees to.
package struct FuzzTarget: Sendable {
  /// The name in commands.
  package let name: String
  /// What is read.
  package let reads: String
  /// The codes of errors that an input may give.
  let codes: Set<StorageError.Code>
  /// Inputs to begin with, which are sound.
  package let seeds: @Sendable () throws -> [[UInt8]]
  /// Reads an input.
  ///
  /// - Returns: What is wrong; nil when nothing is.
  private let body: @Sendable (UnsafeRawBufferPointer) throws -> String?

  init(
    _ name: String, _ reads: String, codes: Set<StorageError.Code>,
    seeds: @escaping @Sendable () throws -> [[UInt8]],
    _ body: @escaping @Sendable (UnsafeRawBufferPointer) throws -> String?
  ) {
    self.name = name
    self.reads = reads
    self.codes = codes
    self.seeds = seeds
    self.body = body
  }

  /// What is wrong with how an input is read; nil when nothing is.
  package func defect(_ input: UnsafeRawBufferPointer) -> String? {
    do {
      return try body(input)
    } catch let error as StorageError {
      return codes.contains(error.code) ? nil : "an error of another code: \(error)"
    } catch {
      return "an error that is no StorageError: \(error)"
    }
  }

  package func defect(_ input: [UInt8]) -> String? { input.withUnsafeBytes { defect($0) } }

  /// All of them, in the order of their layers.
  package static let all: [FuzzTarget] = [
    row, key, nested, schema, changes, keySlot, predicate, order, assignment, predicateJSON, url, storeURL, options,
    query, csv, jsonLines,
    dump, flatFile, sqlite, lmdb, sealedPages,
  ]
}

extension UnsafeRawBufferPointer {
  /// The bytes from a place on.
  func from(_ start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[Swift.min(start, count)...])
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}
