import BenchmarkHarness
import CBenchLMDB
import Foundation

/// LMDB as one would use it from C: rows of varying length by an integer key, an index on age, the read transaction renewed
/// instead of begun.
final class RawLMDBStore: BenchmarkStore {
  private let environment: RawLMDBEnvironment

  init(_ folder: String, _ form: RawLMDBAgeIndex.Form) throws {
    environment = try RawLMDBEnvironment(folder, form)
  }

  func close() throws { environment.close() }

  // MARK: Writing

  private func add(_ person: Person, _ transaction: OpaquePointer) throws {
    try withValue(person.id) { key in
      var value = MDB_val(mv_size: RawLMDBRow.size(person), mv_data: nil)
      let flags = UInt32(MDB_NOOVERWRITE | MDB_RESERVE)
      try RawLMDBEnvironment.check(mdb_put(transaction, environment.people, &key, &value, flags))
      RawLMDBRow.write(person, to: value.mv_data)
    }
    try environment.ages.add(person.id, person.age, transaction)
  }

  func insert(_ people: [Person]) throws {
    try environment.write { transaction in for person in people { try add(person, transaction) } }
  }

  func insertSingly(_ people: ArraySlice<Person>, _ latency: LatencyRecorder) throws {
    for person in people {
      let start = latency.start()
      try environment.write { try add(person, $0) }
      latency.stop(start)
    }
  }

  /// Copies the row and stores it with another score.
  private func setScore(_ key: Int64, _ transaction: OpaquePointer, _ score: (RawLMDBRow) -> Double) throws {
    try withValue(key) { key in
      var old = MDB_val()
      try RawLMDBEnvironment.check(mdb_get(transaction, environment.people, &key, &old))
      try withUnsafeTemporaryAllocation(byteCount: old.mv_size, alignment: 8) { copy in
        copy.copyMemory(from: UnsafeRawBufferPointer(start: old.mv_data, count: old.mv_size))
        copy.storeBytes(of: score(RawLMDBRow(bytes: UnsafeRawBufferPointer(copy))), as: Double.self)
        var value = MDB_val(mv_size: copy.count, mv_data: copy.baseAddress)
        try RawLMDBEnvironment.check(mdb_put(transaction, environment.people, &key, &value, 0))
      }
    }
  }

  func setScores(_ scores: [KeyedScore], _ latency: LatencyRecorder) throws {
    try environment.write { transaction in
      for change in scores {
        let start = latency.start()
        try setScore(change.key, transaction) { _ in change.score }
        latency.stop(start)
      }
    }
  }

  func addToScores(age: Int, _ amount: Double) throws -> Int {
    try environment.write { transaction in
      let keys = try environment.ages.ids(age, transaction)
      for key in keys { try setScore(key, transaction) { $0.score + amount } }
      return keys.count
    }
  }

  private func deleteOne(_ id: Int64, _ transaction: OpaquePointer) throws -> Bool {
    try withValue(id) { key in
      var old = MDB_val()
      let code = mdb_get(transaction, environment.people, &key, &old)
      if code == MDB_NOTFOUND { return false }
      try RawLMDBEnvironment.check(code)
      let age = RawLMDBRow(bytes: UnsafeRawBufferPointer(start: old.mv_data, count: old.mv_size)).age
      try RawLMDBEnvironment.check(mdb_del(transaction, environment.people, &key, nil))
      try environment.ages.remove(id, age, transaction)
      return true
    }
  }

  func delete(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Int {
    try environment.write { transaction in
      var count = 0
      for key in keys {
        let start = latency.start()
        if try deleteOne(key, transaction) { count += 1 }
        latency.stop(start)
      }
      return count
    }
  }

  func delete(age: Int) throws -> Int {
    try environment.write { transaction in
      let keys = try environment.ages.ids(age, transaction)
      for key in keys {
        try withValue(key) { try RawLMDBEnvironment.check(mdb_del(transaction, environment.people, &$0, nil)) }
      }
      try environment.ages.removeAll(keys, age, transaction)
      return keys.count
    }
  }

  func readAndAddToScore(_ key: Int64, _ amount: Double) throws -> Digest {
    try environment.write { transaction in
      var digest = Digest()
      try withRow(key, transaction) { digest.add($0.person(key)) }
      try setScore(key, transaction) { $0.score + amount }
      return digest
    }
  }

  // MARK: Reading

  @inline(__always)
  private func withRow(_ key: Int64, _ transaction: OpaquePointer, _ body: (RawLMDBRow) -> Void) throws {
    try withValue(key) { key in
      var value = MDB_val()
      let code = mdb_get(transaction, environment.people, &key, &value)
      if code == MDB_NOTFOUND { return }
      try RawLMDBEnvironment.check(code)
      body(RawLMDBRow(bytes: UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)))
    }
  }

  func get(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    try environment.read { transaction in
      var digest = Digest()
      for key in keys {
        let start = latency.start()
        try withRow(key, transaction) { digest.add($0.person(key)) }
        latency.stop(start)
      }
      return digest
    }
  }

  func getSingly(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for key in keys {
      let start = latency.start()
      try environment.read { transaction in try withRow(key, transaction) { digest.add($0.person(key)) } }
      latency.stop(start)
    }
    return digest
  }

  func getFrozen(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    try environment.read { transaction in
      var digest = Digest()
      for key in keys {
        let start = latency.start()
        var copy: [UInt8] = []
        try withRow(key, transaction) { copy = Array($0.bytes) }
        copy.withUnsafeBytes {
          let row = RawLMDBRow(bytes: $0)
          digest.add(id: key, age: row.age, score: row.score, active: row.active)
        }
        latency.stop(start)
      }
      return digest
    }
  }

  func people(_ keys: [Int64]) throws -> [Person?] {
    try environment.read { transaction in
      try keys.map { key in
        var person: Person?
        try withRow(key, transaction) { person = $0.person(key) }
        return person
      }
    }
  }

  /// Calls the body with every row from a key on, until it returns false.
  @inline(__always)
  private func forEach(
    from first: Int64, _ transaction: OpaquePointer, _ body: (Int64, RawLMDBRow) -> Bool
  ) throws {
    try RawLMDBEnvironment.withCursor(transaction, environment.people) { cursor in
      try withValue(first) { key in
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
        while code == 0 {
          let row = RawLMDBRow(bytes: UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
          guard body(key.mv_data.loadUnaligned(as: Int64.self), row) else { return }
          code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        if code != MDB_NOTFOUND { throw RawLMDBEnvironment.failure(code) }
      }
    }
  }

  func scan() throws -> Digest {
    try scan(from: 0, count: .max)
  }

  func scan(from key: Int64, count: Int) throws -> Digest {
    var people: [Person] = []
    try environment.read { transaction in
      try forEach(from: key, transaction) { key, row in
        people.append(row.person(key))
        return people.count < count
      }
    }
    return Digest.of(people)
  }

  func scanFrozen() throws -> Digest {
    // Rows side by side in pieces of 64 KiB, and where each of them is.
    var pieces: [[UInt8]] = []
    var places: [(piece: Int, start: Int, key: Int64)] = []
    try environment.read { transaction in
      var piece: [UInt8] = []
      piece.reserveCapacity(64 << 10)
      try forEach(from: 0, transaction) { key, row in
        if piece.count + row.bytes.count > 64 << 10 {
          pieces.append(piece)
          piece = []
          piece.reserveCapacity(64 << 10)
        }
        places.append((pieces.count, piece.count, key))
        piece.append(contentsOf: row.bytes)
        return true
      }
      pieces.append(piece)
    }
    var digest = Digest()
    for place in places {
      pieces[place.piece].withUnsafeBytes {
        let row = RawLMDBRow(bytes: UnsafeRawBufferPointer(rebasing: $0[place.start...]))
        digest.add(id: place.key, age: row.age, score: row.score, active: row.active)
      }
    }
    return digest
  }

  func fetch(ages: [Int], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for age in ages {
      let start = latency.start()
      let people = try environment.read { transaction in
        var people: [Person] = []
        for key in try environment.ages.ids(age, transaction) {
          try withRow(key, transaction) { people.append($0.person(key)) }
        }
        return people
      }
      for person in people { digest.add(person) }
      latency.stop(start)
    }
    return digest
  }

  func count(ages: [Int], _ latency: LatencyRecorder) throws -> Int {
    var total = 0
    for age in ages {
      let start = latency.start()
      total += try environment.read { try environment.ages.count(age, $0) }
      latency.stop(start)
    }
    return total
  }

  func count(scoreAbove score: Double, emailContaining text: String) throws -> Int {
    try text.withUTF8Bytes { needle in
      var count = 0
      try environment.read { transaction in
        try forEach(from: 0, transaction) { _, row in
          if row.score > score {
            let email = row.email
            if bench_contains(email.baseAddress, email.count, needle.baseAddress, needle.count) != 0 { count += 1 }
          }
          return true
        }
      }
      return count
    }
  }

  func firstByEmail(_ limit: Int) throws -> [Int64] {
    try environment.read { transaction in
      // The best so far, in order. Their bytes lie in the map, which stays as it is while the transaction lasts.
      var best: [(key: Int64, row: RawLMDBRow)] = []
      func precedes(_ left: (key: Int64, row: RawLMDBRow), _ right: (key: Int64, row: RawLMDBRow)) -> Bool {
        let (one, other) = (left.row.email, right.row.email)
        guard let first = one.baseAddress, let second = other.baseAddress else { return one.count < other.count }
        let order = memcmp(first, second, min(one.count, other.count))
        if order != 0 { return order < 0 }
        return one.count == other.count ? left.key < right.key : one.count < other.count
      }
      try forEach(from: 0, transaction) { key, row in
        let candidate = (key, row)
        if best.count == limit, let last = best.last, !precedes(candidate, last) { return true }
        var low = 0
        var high = best.count
        while low < high {
          let middle = (low + high) / 2
          if precedes(candidate, best[middle]) { high = middle } else { low = middle + 1 }
        }
        best.insert(candidate, at: low)
        if best.count > limit { best.removeLast() }
        return true
      }
      return best.map { $0.row.person($0.key).id }
    }
  }

  func scores(_ first: Int64, _ second: Int64) throws -> (Double, Double) {
    try environment.read { transaction in
      var scores: [Double] = []
      scores.reserveCapacity(2)
      for key in [first, second] { try withRow(key, transaction) { scores.append($0.person(key).score) } }
      guard scores.count == 2 else { throw BenchmarkError("a person is missing") }
      return (scores[0], scores[1])
    }
  }
}
