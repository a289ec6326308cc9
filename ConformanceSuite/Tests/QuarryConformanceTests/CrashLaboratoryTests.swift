#if os(Linux)
  import Foundation
  import QuarryBackend
  import QuarryHarnesses
  import Testing

  @testable import QuarryConformance
  @testable import QuarryConformanceKit

  /// The laboratory finds what it should, and nothing in the engines.
  @Suite struct CrashLaboratoryTests {
    static let engines = EngineHarnesses.all.map(\.engine.name).filter { $0 != "memory" }
    static let variants = EngineHarnesses.variants.map(\.name)

    private func harness(_ engine: String, _ folder: TemporaryFolder) throws -> any ConformanceHarness {
      try #require(EngineHarnesses.harness(engine, in: folder))
    }

    /// A folder that is in memory where there is such a place: nothing here is about a real disk.
    private static var memory: TemporaryFolder {
      TemporaryFolder(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
    }

    @Test(arguments: engines) func plantedFaultsAreFound(_ engine: String) throws {
      let folder = Self.memory
      defer { folder.removeAll() }
      var run = CrashLabRun()
      run.states = 3_000
      let proofs = try run.prove(on: harness(engine, folder))
      #expect(proofs.count >= 12)
      // An engine that brings nothing to the disk by the write itself cannot do without it.
      let absent = engine == "lmdb" ? [] : ["noSyncedWrites"]
      #expect(proofs.filter { $0.states == nil }.map(\.fault) == absent)
    }

    @Test(arguments: variants) func variantsHold(_ engine: String) throws { try enginesHold(engine, isSealed: false) }

    @Test(arguments: engines, [false, true]) func enginesHold(_ engine: String, isSealed: Bool) throws {
      let folder = Self.memory
      defer { folder.removeAll() }
      var run = CrashLabRun()
      (run.states, run.failures, run.isSealed) = (120, 60, isSealed)
      let result = try run.run(on: harness(engine, folder))
      #expect(result.findings == [])
      #expect(result.states >= 120 && result.recoveries > 0 && result.failures >= 60)
    }

    /// What each engine says of stores that were opened for less than a loss of power, and that a fault in the records shows.
    @Test(arguments: engines, ["processCrash", "none"]) func promisesHold(_ engine: String, _ level: String) throws {
      let folder = Self.memory
      defer { folder.removeAll() }
      let harness = try harness(engine, folder)
      let durability = try #require(BackendManifest.Durability(rawValue: level))
      let promise = harness.afterLostPower(durability)
      var run = CrashLabRun()
      (run.durability, run.states, run.failures) = (durability, 80, nil)
      let result = try run.run(on: harness)
      #expect(result.findings == [])
      #expect((result.states > 0) == (promise != LostPowerPromise()))
      guard promise != LostPowerPromise() else { return }
      // A state that is none, or one that was lost although the store had been closed.
      let faults = try run.prove(on: harness).filter { $0.states != nil }.map(\.fault)
      #expect(faults.contains(promise.keepsWhatWasClosed ? "noSync" : "misplaced"), "\(faults)")
    }

    @Test(arguments: PlantedDiskFault.allCases.flatMap { fault in fault.engines.map { (fault, $0) } })
    func faultsInEnginesAreFound(_ fault: PlantedDiskFault, _ engine: String) throws {
      let folder = Self.memory
      defer { folder.removeAll() }
      let planted = try #require(EngineHarnesses.harness(engine, with: fault, in: folder))
      var run = CrashLabRun()
      (run.states, run.failures, run.limit) = (2_000, nil, 1)
      #expect(try run.run(on: planted).findings.count == 1)
    }

    @Test(arguments: engines) func aFindingIsShownAgain(_ engine: String) throws {
      let folder = Self.memory
      defer { folder.removeAll() }
      let kit = ConformanceContext(try harness(engine, folder), patience: 3)
      defer { kit.cleanUp() }
      let laboratory = try CrashLaboratory(kit)
      laboratory.fault = .noSync
      var random = kit.random(1)
      let long = LabWorkload(isFilled: true, [.delete, .insert, .upsert])
      let finding = try #require(try laboratory.losePower(long, states: 200, depth: 1, &random))
      let shrunk = try laboratory.shrunk(finding, states: 100, &random)
      #expect(shrunk.workload.steps.count <= 2, "\(shrunk)")
      let workload = try #require(LabWorkload("\(shrunk.workload)"))
      let states = shrunk.trail.compactMap { CrashState($0) }
      #expect(try laboratory.again(workload, .lostPower(.powerLoss), states)?.message == shrunk.message)
      laboratory.fault = nil
      let sound = try laboratory.again(workload, .lostPower(.powerLoss), states)
      #expect(sound == nil, "\(sound.map { "\($0)" } ?? "")")
    }

    // MARK: Texts

    @Test func textsAreReadAgain() throws {
      let state = CrashState(
        point: 17, parts: [3: .whole, 9: .length, 12: .sectors([0, 3], of: 512), 13: .sectors([], of: 4_096)])
      #expect(CrashState("\(state)") == state)
      for text in ["", "x:", "17", "17: x", "17: 3[512]"] { #expect(CrashState(text) == nil, "\(text)") }
      for workload in LabWorkload.all(of: LabStep.allCases, upTo: 2) { #expect(LabWorkload("\(workload)") == workload) }
      for text in ["", "old insert", "new inserts", "new insert delete"] {
        #expect(LabWorkload(text) == nil, "\(text)")
      }
      let failure = CrashLaboratory.Failure(operation: 7, error: CrashLab.short, goesOn: true)
      #expect(CrashLaboratory.Failure("\(failure)") == failure)
      for text in ["", "7 EIO", "x EIO once", "7 EWHAT once"] {
        #expect(CrashLaboratory.Failure(text) == nil, "\(text)")
      }
    }

    @Test func workloadsAreAllOfThem() {
      #expect(LabWorkload.all(of: [.insert, .update], upTo: 3).count == 2 * (1 + 2 + 4 + 8))
    }

    // MARK: Disks

    private func made(_ kinds: [FileOperation.Kind]) -> FileRecording {
      FileRecording(FileImage(), kinds.enumerated().map { FileOperation(number: $0.offset + 1, kind: $0.element) })
    }

    private func files(_ recording: FileRecording, _ text: String) throws -> [String: [UInt8]] {
      let image = recording.image(try #require(CrashState(text)))
      return image.paths.mapValues { image.files[$0]?.bytes ?? [] }
    }

    @Test func whatWasNotSyncedMayBeMissing() throws {
      let recording = made([
        .create("a", 1), .write(1, at: 0, [1, 2], isSynced: false), .sync(1), .syncFolder(""),
        .write(1, at: 1, [3, 4], isSynced: false), .truncate(1, to: 1), .unlink("a"),
      ])
      #expect(recording.pending(at: 2) == [0, 1])
      #expect(recording.pending(at: 3) == [0])
      #expect(recording.pending(at: 7) == [4, 5, 6])
      #expect(try files(recording, "2: 1") == [:])
      #expect(try files(recording, "2: 0") == ["a": []])
      #expect(try files(recording, "3: 0") == ["a": [1, 2]])
      #expect(try files(recording, "7:") == ["a": [1, 2]])
      #expect(try files(recording, "7: 4") == ["a": [1, 3, 4]])
      #expect(try files(recording, "7: 5") == ["a": [1]])
      #expect(try files(recording, "7: 4 5 6") == [:])
      #expect(try files(recording, "7: 4[length]") == ["a": [1, 2, 0]])
    }

    @Test func writesAreTornAtSectors() throws {
      let bytes = (0..<1_200).map { UInt8($0 / 512 + 1) }
      let recording = made([.create("a", 1), .syncFolder(""), .write(1, at: 100, bytes, isSynced: false)])
      let torn = try #require(try files(recording, "3: 2[512:1]")["a"])
      #expect(torn.count == 100 + 1_024)
      #expect(torn[..<612].allSatisfy { $0 == 0 } && torn[612...].allSatisfy { $0 == 2 })
    }

    @Test func renamesAndFolders() throws {
      let recording = made([
        .makeFolder("d"), .create("d/a", 1), .write(1, at: 0, [1], isSynced: true), .rename("d", to: "e"),
        .syncFolder("e"), .syncFolder(""), .create("b", 2), .rename("b", to: "e/a"),
      ])
      #expect(recording.pending(at: 4) == [0, 1, 3])
      #expect(recording.pending(at: 6) == [])
      #expect(try files(recording, "4: 0 1") == ["d/a": [1]])
      #expect(try files(recording, "4: 1") == [:])
      #expect(try files(recording, "6:") == ["e/a": [1]])
      #expect(try files(recording, "8: 6") == ["e/a": [1], "b": []])
      #expect(try files(recording, "8: 6 7") == ["e/a": []])
    }
  }
#endif
