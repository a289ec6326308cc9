import Testing

@testable import BenchmarkHarness

@Suite struct EngineSelectionTests {
  private static let all = [
    engine("memory"), engine("plain"), engine("plain-encrypted", isEncrypted: true, peer: "plain"),
    engine("plain-option", isVariant: true, peer: "plain"), engine("other", isEncrypted: true),
    engine("absent", isEncrypted: true, obstacle: "it is not installed"),
  ]

  private static func engine(
    _ name: String, isEncrypted: Bool = false, isVariant: Bool = false, peer: String? = nil, obstacle: String? = nil
  ) -> BenchmarkEngine {
    BenchmarkEngine(
      name: name, summary: "", version: "", isQuarry: true, isEncrypted: isEncrypted, isVariant: isVariant,
      peer: peer, obstacle: obstacle
    ) { _ in throw BenchmarkError("nobody opens it") }
  }

  private func names(_ names: [String]?, encrypted: Bool) throws -> [String] {
    try EngineSelection(from: Self.all, names: names, isAboutEncryption: encrypted).engines.map(\.name)
  }

  @Test func encryptedEnginesTakeNoPartUnlessTheRunIsAboutThem() throws {
    #expect(try names(nil, encrypted: false) == ["memory", "plain"])
  }

  @Test func aRunAboutEncryptionHasThePlainOnesBeside() throws {
    #expect(try names(nil, encrypted: true) == ["plain", "plain-encrypted", "other"])
  }

  @Test func namedEnginesBringTheirEncryptedForms() throws {
    #expect(try names(["plain"], encrypted: true) == ["plain", "plain-encrypted"])
    #expect(try names(["other"], encrypted: true) == ["other"])
  }

  @Test func anEngineWithAnOptionTakesPartWhereItIsNamed() throws {
    #expect(try names(["plain", "plain-option"], encrypted: false) == ["plain", "plain-option"])
    #expect(try names(["plain-option"], encrypted: true) == ["plain-option"])
  }

  @Test func anEncryptedEngineCanBeNamed() throws {
    #expect(try names(["memory", "plain-encrypted"], encrypted: false) == ["memory", "plain-encrypted"])
  }

  @Test func whatIsNotInstalledIsLeftOutAndSaidSo() throws {
    let selection = try EngineSelection(from: Self.all, names: nil, isAboutEncryption: true)
    #expect(selection.leftOut == ["absent is left out: it is not installed"])
    #expect(try EngineSelection(from: Self.all, names: nil, isAboutEncryption: false).leftOut.isEmpty)
  }

  @Test(arguments: [["absent"], ["nobody"], []])
  func whatCannotBeMeasuredIsRefused(names: [String]) {
    #expect(throws: BenchmarkError.self) { try self.names(names, encrypted: true) }
  }

  @Test func aRunWithoutAnEngineSaysWhy() {
    let absent = [Self.engine("absent", obstacle: "no server is named")]
    #expect(throws: BenchmarkError("no engine can take part: no server is named")) {
      try EngineSelection(from: absent, names: nil, isAboutEncryption: false)
    }
  }
}
