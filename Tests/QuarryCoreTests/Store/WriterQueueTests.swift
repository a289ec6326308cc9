import Foundation
import QuarryBackend
import Synchronization
import Testing

@testable import QuarryCore

@Suite(.timeLimit(.minutes(1))) struct WriterQueueTests {
  /// What each writer heard, in the order in which they did.
  private final class Heard: Sendable {
    private let list = Mutex<[String]>([])

    func note(_ number: Int) -> WriterQueue.Waiter {
      { [self] answer, _ in
        let text =
          switch answer {
          case .success(.turn): "turn"
          case .success(.part): "part"
          case .failure(let error): "\(error.code)"
          }
        list.withLock { $0.append("\(number) \(text)") }
        return true
      }
    }

    var all: [String] { list.withLock { $0 } }
  }

  /// Whether the turn is to be had without waiting.
  private func hasTurn(_ line: WriterQueue) throws -> Bool {
    if case .turn(0) = try line.enter(0) { true } else { false }
  }

  @Test("Turns come in the order of the calls, and who gave up has none")
  func order() throws {
    let (line, heard) = (WriterQueue(), Heard())
    #expect(try hasTurn(line))
    let places = (0..<4).map { line.enter(30, heard.note($0)) }
    line.giveUp(try #require(places[1]))
    for _ in 0..<3 { line.leave() }
    #expect(heard.all == ["0 turn", "2 turn", "3 turn"])
    line.leave()
    // Nobody has the turn now.
    #expect(line.enter(0, heard.note(9)) == nil)
    #expect(heard.all.last == "9 turn")
    line.leave()
  }

  @Test("Who comes while others wait is behind them, with or without time to wait")
  func noOvertaking() throws {
    let (line, heard) = (WriterQueue(), Heard())
    _ = try line.enter(0)
    _ = line.enter(30, heard.note(0))
    _ = line.enter(0, heard.note(1))
    #expect(throws: StorageError.self) { try line.enter(0) }
    line.leave()
    _ = line.enter(0, heard.note(2))
    #expect(heard.all == ["1 busy", "0 turn", "2 busy"])
    line.leave()
    #expect(try hasTurn(line))
  }

  @Test("Who has the turn takes those who wait, in their order, up to one who is to be alone")
  func followers() throws {
    let (line, heard) = (WriterQueue(), Heard())
    #expect(!line.hasFollower)
    _ = try line.enter(0)
    #expect(!line.hasFollower, "nobody waits")
    let gone = try #require(line.enter(30, heard.note(0)))
    _ = line.enter(30, heard.note(1))
    _ = line.enter(30, heard.note(2))
    _ = line.enter(30, isAlone: true, heard.note(3))
    _ = line.enter(30, heard.note(4))
    line.giveUp(gone)
    for number in 1...2 {
      #expect(line.hasFollower)
      let hearer = try #require(line.takeFollower())
      #expect(hearer(.failure(.storeClosed), true))
      #expect(heard.all.last == "\(number) closed")
    }
    #expect(!line.hasFollower, "one who is to be alone is the next")
    #expect(line.takeFollower() == nil)
    line.leave()
    #expect(heard.all.last == "3 turn")
    // Now it is the turn of the one who is alone.
    #expect(line.takeFollower() != nil)
    #expect(!line.hasFollower)
    #expect(line.takeFollower() == nil)
    line.leave()
    #expect(try hasTurn(line))
  }

  @Test("What is one call is taken as such, and nothing in the place of another")
  func oneCalls() throws {
    let (line, heard) = (WriterQueue(), Heard())
    _ = try line.enter(0)
    #expect(line.isTaken)
    #expect(line.followerIsOneCall == nil)
    _ = line.enter(30, isSingleStatement: true, heard.note(0))
    _ = line.enter(30, heard.note(1))
    #expect(line.followerIsOneCall == true)
    #expect(line.takeFollower(isSingleStatement: false) == nil)
    #expect(line.takeFollower(isSingleStatement: true) != nil)
    #expect(line.followerIsOneCall == false)
    #expect(line.takeFollower(isSingleStatement: true) == nil)
    #expect(line.takeFollower() != nil)
    #expect(line.followerIsOneCall == nil)
    line.leave()
    #expect(!line.isTaken)
    #expect(try hasTurn(line))
  }

  @Test("Closing tells all who wait, and all who come while somebody has the turn")
  func closing() throws {
    let (line, heard) = (WriterQueue(), Heard())
    _ = try line.enter(0)
    for number in 0..<3 { _ = line.enter(30, heard.note(number)) }
    line.close()
    _ = line.enter(30, heard.note(3))
    #expect(heard.all == ["0 closed", "1 closed", "2 closed", "3 closed"])
    line.leave()
  }

  @Test("Time without a thread is over while the turn is another's, the shorter first")
  func time() async throws {
    let (line, heard) = (WriterQueue(), Heard())
    _ = try line.enter(0)
    _ = line.enter(60, heard.note(0))
    _ = line.enter(1.5, heard.note(1))
    _ = line.enter(0.02, heard.note(2))
    while heard.all.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(heard.all == ["2 busy", "1 busy"])
    line.leave()
    #expect(heard.all.last == "0 turn")
    line.leave()
  }

  @Test("Thousands who give up are let go of while the turn is another's")
  func released() throws {
    final class Token: Sendable {}
    let line = WriterQueue()
    _ = try line.enter(0)
    var token: Token? = Token()
    weak let held = token
    for _ in 0..<5_000 {
      let place = line.enter(60) { [token] _, _ in withExtendedLifetime(token) { true } }
      line.giveUp(try #require(place))
    }
    token = nil
    #expect(held == nil)
    line.leave()
    #expect(try hasTurn(line))
  }

  @Test("Threads that enter and leave at once are alone in between", arguments: [false, true])
  func threads(hasShortTurns: Bool) async throws {
    let line = WriterQueue(hasShortTurns: hasShortTurns)
    let counts = Counts()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<2_000 {
            do throws(StorageError) {
              _ = try line.enter((task + round) % 5 == 0 ? 0 : 30)
            } catch {
              #expect(error.code == .busy)
              continue
            }
            #expect(counts.inside.add(1, ordering: .relaxed).newValue == 1)
            counts.turns.add(1, ordering: .relaxed)
            counts.inside.subtract(1, ordering: .relaxed)
            line.leave()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(counts.turns.load(ordering: .relaxed) >= 6_400)
    #expect(try hasTurn(line))
  }

  @Test("Threads that look before they sleep come in the order of their calls, after short turns and long ones")
  func shortTurns() throws {
    let line = WriterQueue(hasShortTurns: true)
    let order = Mutex<[Int]>([])
    for pause in [0.0, 0.00001, 0.0001, 0.005] {
      order.withLock { $0 = [] }
      _ = try line.enter(0)
      let threads = (0..<6).map { number in
        let isAtIt = Atomic(false)
        let thread = Thread {
          isAtIt.store(true, ordering: .relaxed)
          do throws(StorageError) {
            // The fourth gives up before its turn can come.
            _ = try line.enter(number == 3 ? 0.0001 : 30)
          } catch {
            return order.withLock { $0.append(error.code == .busy ? 100 + number : -1) }
          }
          order.withLock { $0.append(number) }
          if pause > 0 { Thread.sleep(forTimeInterval: pause) }
          line.leave()
        }
        thread.start()
        while !isAtIt.load(ordering: .relaxed) { Thread.sleep(forTimeInterval: 0.001) }
        // Nothing shows from outside that it waits.
        Thread.sleep(forTimeInterval: 0.03)
        return thread
      }
      line.leave()
      while threads.contains(where: { !$0.isFinished }) { Thread.sleep(forTimeInterval: 0.001) }
      #expect(order.withLock { $0 } == [103, 0, 1, 2, 4, 5], "turns of \(pause) s")
      #expect(try hasTurn(line))
      line.leave()
    }
  }

  @Test("A thread that looks before it sleeps hears that the store is closed")
  func closingWhileLooking() throws {
    for _ in 0..<50 {
      let line = WriterQueue(hasShortTurns: true)
      _ = try line.enter(0)
      let heard = Atomic(0)
      let thread = Thread {
        do throws(StorageError) { _ = try line.enter(30) } catch {
          heard.store(error.code == .closed ? 1 : 2, ordering: .relaxed)
        }
      }
      thread.start()
      line.close()
      while !thread.isFinished { Thread.sleep(forTimeInterval: 0.0001) }
      #expect(heard.load(ordering: .relaxed) == 1)
    }
  }

  @Test("A read that waits for a thread hears at once that its task was cancelled, and never runs")
  func cancelledRead() async throws {
    let threads = TransactionThreads(name: "test", limit: 1)
    let gate = DispatchGate()
    let holders = Atomic(0)
    let runs = Atomic(0)
    let first = Task {
      try await Store.run(on: threads, ()) { _ in
        _ = holders.add(1, ordering: .relaxed)
        gate.wait()
      }
    }
    // Tasks begin in any order.
    while holders.load(ordering: .relaxed) == 0 { try await Task.sleep(for: .milliseconds(1)) }
    let waiting = Task { try await Store.run(on: threads, ()) { _ in _ = runs.add(1, ordering: .relaxed) } }
    try await Task.sleep(for: .milliseconds(20))
    waiting.cancel()
    // The thread is still another's, or the task had not come so far: neither runs it.
    await #expect(throws: CancellationError.self) { try await waiting.value }
    gate.open()
    try await first.value
    try await Store.run(on: threads, ()) { _ in }
    #expect(runs.load(ordering: .relaxed) == 0)
  }
}

/// How many threads are inside, and how many turns there were.
private final class Counts: Sendable {
  let inside = Atomic(0)
  let turns = Atomic(0)
}
