#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryEngines
  import QuarryPrivateServer
  import QuarrySyncHTTP
  import Testing

  @testable import QuarrySync

  /// A hub in PostgreSQL that several servers serve: SYNC-54, SYNC-58.
  @Suite struct PostgreSQLHubTests {
    /// A hub with two openings, each served at a port of its own.
    private final class Hub: Sendable {
      let places: [Place]
      let servers: [Served]

      init(_ writers: String, servers count: Int = 2) async throws {
        let url = try StoreURL(
          parsing: "postgres:\(PostgreSQLCluster.connection())?schema=\(Self.schema())&writers=\(writers)")
        var places = [try Place(opening: url, making: NoteModels.all, as: .hub)]
        while places.count < count { places.append(try Place(opening: url)) }
        self.places = places
        var servers: [Served] = []
        for place in places { servers.append(try await Served(place)) }
        self.servers = servers
      }

      static func schema() -> String { "hub\(UUID().uuidString.prefix(8).lowercased())" }

      func end() async throws {
        for server in servers { await server.stop() }
        for place in places.dropFirst() { try place.store.close() }
        try places[0].store.destroy()
      }
    }

    /// Two clients write while a proxy sends their requests to the servers by turns, of which one is started again.
    @Test(arguments: ["one", "many"]) func twoServersAreOneHub(_ writers: String) async throws {
      let hub = try await Hub(writers)
      let clients = [try Place("sqlite"), try Place("lmdb")]
      let balancer = Balancer(hub.servers)
      try await balancer.serving { remote in
        var random = Seeded(7)
        for round in 0..<12 {
          if round == 4 { await hub.servers[1].stop() }
          if round == 8 {
            try hub.places[1].reopen { _, _ in }
            try await hub.servers[1].start()
          }
          for client in clients {
            for _ in 0..<4 { try client.write(&random) }
            try client.note(1_000 + round, "round \(round)")
          }
          // Both ask at once.
          try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { _ = try await client.store.sync(with: remote) } }
            try await group.waitForAll()
          }
          try hub.places[round % 4 / 3].note(2_000 + round, "of the hub")
        }
        for client in clients + clients.prefix(1) { #expect(try await client.store.sync(with: remote).isEqual) }
      }
      for place in clients + hub.places {
        #expect(try place.sync.check() == [])
        #expect(try place.sync.digest() == hub.places[0].sync.digest())
        #expect(try place.sync.knowledge() == hub.places[1].sync.knowledge())
      }
      #expect(try clients[0].count("Note") >= 24)
      #expect(balancer.answered.allSatisfy { $0 > 20 }, "\(balancer.answered)")
      try await hub.end()
    }

    /// A client that waits at one server hears of commits through the other one, and of those of a program.
    @Test(arguments: ["one", "many"]) func aWaitingClientHearsOfTheOtherServer(_ writers: String) async throws {
      let hub = try await Hub(writers)
      let (a, b) = (try Place("sqlite"), try Place("memory"))
      let runner = try SyncRunner(a.store, with: hub.servers[0].remote())
      func eventually(_ what: String, _ isTrue: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while try !isTrue() {
          guard ContinuousClock.now < end else {
            Issue.record("not in time: \(what)")
            return
          }
          try await Task.sleep(for: .milliseconds(10))
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await runner.run() }
        for number in 1...3 {
          try await eventually("waits") { runner.status.phase == .waiting }
          try b.note(number, "through the other server")
          try await b.store.sync(with: hub.servers[1].remote())
          let begin = ContinuousClock.now
          try await eventually("a note of the other client") { try a.count("Note") == number }
          // A poll lasts 25 seconds.
          #expect(ContinuousClock.now - begin < .seconds(10))
        }
        try hub.places[1].note(4, "of a program")
        try await eventually("a note of a program") { try a.count("Note") == 4 }
        group.cancelAll()
        try await group.waitForAll()
      }
      #expect(try a.sync.digest() == hub.places[1].sync.digest())
      try await hub.end()
    }

    /// Two processes of the tool serve one store. One is killed in the middle.
    @Test func twoProcessesServeOneStore() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "sync-hub-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let tool = Tool(folder)
      let rows = ["a,red", "b,blue", "c,gold", "d,pink"]
      for (number, row) in rows.enumerated() {
        try Data("id,name\n\(row)\n".utf8).write(to: folder.appending(path: "\(number).csv"))
      }
      try Data("0123456789abcdef\n".utf8).write(to: folder.appending(path: "token"))
      let hub = "postgres:\(try PostgreSQLCluster.connection())?schema=\(Hub.schema())&writers=many"
      let stores = [hub, "sqlite:a.db", "lmdb:b.lmdb"]
      for (number, url) in stores.enumerated() {
        let made = try tool.run("import", "\(number).csv", "--into", url, "--model", "Team", "--key", "id")
        try #require(made.status == 0, "\(made.errors)")
      }
      var (first, one) = try tool.serve(hub, "--hub")
      let (second, two) = try tool.serve(hub, "--hub")
      defer { for process in [first, second] where process.isRunning { process.terminate() } }
      func sync(_ store: String, _ address: String) throws {
        let done = try tool.run("sync", store, address, "--token-file", "token", "--verify")
        #expect(done.status == 0, "\(done.errors)")
      }
      try sync(stores[1], one)
      try sync(stores[2], two)
      kill(first.processIdentifier, SIGKILL)
      first.waitUntilExit()
      let more = try tool.run("import", "3.csv", "--into", stores[1], "--model", "Team", "--key", "id")
      #expect(more.status == 0, "\(more.errors)")
      try sync(stores[1], two)
      (first, one) = try tool.serve(hub, "--hub")
      try sync(stores[2], one)
      try sync(stores[1], one)
      for url in stores { #expect(try tool.run("count", url, "Team").output.contains("4"), "\(url)") }
      for process in [first, second] {
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
      }
      #expect(try tool.run("sync", hub, "sqlite:c.db").status == 0)
      try Store(opening: StoreURL(parsing: hub)).destroy()
    }
  }
#endif
