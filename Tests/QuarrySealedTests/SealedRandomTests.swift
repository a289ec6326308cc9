import QuarryBackend
import QuarryKeyValue
import QuarryMemory
import QuarryTestSupport
import Testing

@testable import QuarrySealed

/// The tree against a dictionary, through random changes, savepoints and reopenings.
@Suite struct SealedRandomTests {
  private struct Form: Sendable, CustomTestStringConvertible {
    var name: String
    var keyBytes: ClosedRange<Int>
    var valueBytes: ClosedRange<Int>
    var cacheBytes: Int
    var testDescription: String { name }
  }

  private static let forms = [
    Form(name: "short", keyBytes: 0...4, valueBytes: 0...9, cacheBytes: 32 << 20),
    Form(name: "rows", keyBytes: 8...17, valueBytes: 20...200, cacheBytes: 64 << 10),
    Form(name: "long", keyBytes: 1...960, valueBytes: 0...5_000, cacheBytes: 0),
  ]

  @Test(arguments: forms, [1, 2] as [UInt64])
  private func itIsADictionary(_ form: Form, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var base = MemoryEngine()
    var engine = try sealed(base, cacheBytes: form.cacheBytes)
    var model: [[UInt8]: [UInt8]] = [:]
    func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
      // Few different bytes, so that keys have much in common.
      (0..<Int.random(in: count, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) }
    }
    for round in 0..<14 {
      let write = try engine.beginWrite(timeout: 0)
      var kept: [[[UInt8]: [UInt8]]] = []
      let before = model
      for _ in 0..<120 {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<11:
          let (key, value) = (bytes(form.keyBytes), bytes(form.valueBytes))
          #expect(try write.put(1, key, value) == (model.updateValue(value, forKey: key) == nil))
        case 11..<16:
          let key = model.keys.sorted { $0.lexicographicallyPrecedes($1) }.randomElement(using: &random) ?? []
          #expect(try write.delete(1, key) == (model.removeValue(forKey: key) != nil))
        case 16:
          let bounds = [bytes(form.keyBytes), bytes(form.keyBytes)].sorted { $0.lexicographicallyPrecedes($1) }
          let gone = model.keys.filter {
            !$0.lexicographicallyPrecedes(bounds[0]) && $0.lexicographicallyPrecedes(bounds[1])
          }
          guard gone.count < model.count / 3 else { continue }
          let range = KeyRange(lower: bounds[0], upper: bounds[1])
          #expect(try write.count(1, range) == gone.count)
          #expect(try write.delete(1, in: range) == gone.count)
          for key in gone { model[key] = nil }
        case 17:
          try write.savepoint()
          kept.append(model)
        case 18:
          guard kept.popLast() != nil else { continue }
          try write.releaseSavepoint()
        default:
          guard let last = kept.popLast() else { continue }
          try write.rollbackSavepoint()
          model = last
        }
      }
      #expect(try write.contents([1]) == [model])
      if round % 5 == 4 {
        write.end()
        model = before
      } else {
        _ = try write.commit()
      }
      if round % 3 == 0 {
        base = try base.reopened()
        engine = try sealed(base, cacheBytes: form.cacheBytes)
      }
      if round == 6 { try engine.rekey(to: encryption(7), .full) }
      #expect(try engine.check() == [])
      try compare(engine, model)
    }
  }

  private func compare(_ engine: SealedEngine<MemoryEngine>, _ model: [[UInt8]: [UInt8]]) throws {
    let read = try engine.beginRead()
    defer { read.end() }
    let keys = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(try read.keys(1) == keys)
    #expect(try read.keys(1, descending: true) == keys.reversed())
    #expect(try read.contents([1]) == [model])
    for key in keys { #expect(try engine.value(1, key) == model[key]) }
    if let lower = keys.dropFirst(keys.count / 3).first, let upper = keys.dropFirst(keys.count * 2 / 3).first {
      #expect(try read.count(1, KeyRange(lower: lower, upper: upper)) == keys.count * 2 / 3 - keys.count / 3)
      #expect(try read.keys(1, KeyRange(lower: lower, upper: upper)).count == keys.count * 2 / 3 - keys.count / 3)
    }
  }

  @Test func ascendingKeysFillTheirPages() throws {
    let base = MemoryEngine()
    let engine = try sealed(base)
    try engine.write { tx throws(StorageError) in
      for number in 0..<20_000 { try tx.put(1, key(number), [UInt8](repeating: 1, count: 86)) }
    }
    #expect(try engine.check() == [])
    // 100 bytes for each entry.
    #expect(try BaseContent(base).pages.count < 20_000 * 100 / 4_040 * 110 / 100)
    let read = try engine.beginRead()
    #expect(try read.statistics(of: 1).entries == 20_000)
    #expect(try read.count(1, KeyRange(lower: key(500), upper: key(15_000))) == 14_500)
  }
}
