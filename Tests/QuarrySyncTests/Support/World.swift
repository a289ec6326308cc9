import Foundation
import QuarryBackend
import Synchronization

@testable import QuarrySync

/// The time, the names and the random numbers of replicas in a test.
final class World: Sendable {
  private struct State {
    var now: Int64 = 10
    var skews: [Int: Int64] = [:]
    var names = 0
    var random: UInt64
  }

  private let state: Mutex<State>

  init(seed: UInt64 = 1) {
    state = Mutex(State(random: seed))
  }

  var now: Int64 {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }

  func skew(_ place: Int, _ skew: Int64) { state.withLock { $0.skews[place] = skew } }
  func clearSkews() { state.withLock { $0.skews = [:] } }

  /// The next name: `r0`, or of a renewed replica its first name with a number.
  func name(_ old: ReplicaID? = nil) -> ReplicaID {
    let number = state.withLock { state in
      defer { state.names += 1 }
      return state.names
    }
    guard let old else { return ReplicaID(name: "r\(number)") }
    return ReplicaID(name: "\(old.name.prefix { $0 != "." }).\(number)")
  }

  /// SplitMix64.
  func random() -> UInt64 {
    state.withLock { state in
      state.random &+= 0x9E37_79B9_7F4A_7C15
      var word = state.random
      word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
      return word ^ word >> 31
    }
  }

  func random(below bound: Int) -> Int { Int(random() % UInt64(bound)) }

  /// The clock of the specification: 16 ticks to the unit, 50 units ahead.
  func environment(_ place: Int) -> SyncEnvironment {
    SyncEnvironment(
      scale: ClockScale(ticks: 16, ahead: 50, patience: 1),
      now: { self.state.withLock { UInt64(max(0, $0.now + ($0.skews[place] ?? 0))) } },
      random: { self.random() }, renewed: { self.name($0) })
  }
}

extension ReplicaID {
  /// The short names of the specification, padded.
  init(name: String) {
    let bytes = Array(name.utf8.prefix(16))
    self = ReplicaID(bytes: bytes + [UInt8](repeating: 0, count: 16 - bytes.count)) ?? .none
  }

  var name: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
