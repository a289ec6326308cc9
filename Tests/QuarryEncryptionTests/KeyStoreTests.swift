import Foundation
import QuarryBackend
import QuarryEncryption
import QuarryTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite(.serialized) struct KeyStoreTests {
  private let directory: ScratchFolder

  init() throws { directory = try ScratchFolder() }

  private func file(_ name: String) -> String { directory.path + "/" + name }

  private var contents: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
  }

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  private func bytes(_ key: EncryptionKey) throws -> [UInt8] { try key.withBytes { Array($0) } }

  @Test func aFileStoreKeepsKeys() throws {
    let store = FileKeyStore(directory: file("a/b/keys"))
    #expect(try store.names() == [])
    #expect(code { _ = try store.key(named: "library") } == .notFound)
    #expect(code { _ = try store.key(named: "library", orCreate: false) } == .notFound)
    let key = try store.key(named: "library", orCreate: true)
    #expect(try bytes(key).count == 32)
    #expect(try bytes(store.key(named: "library", orCreate: true)) == bytes(key))
    #expect(try bytes(store.key(named: "library")) == bytes(key))
    #expect(code { try store.add(key, named: "library") } == .duplicateKey)
    try store.add(key, named: "archive")
    #expect(try store.names() == ["archive", "library"])
    try store.remove(named: "archive")
    #expect(code { try store.remove(named: "archive") } == .notFound)
    #expect(try store.names() == ["library"])
    var status = stat()
    #expect(stat(store.directory, &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(stat(store.directory + "/library", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func namesThatArePathsAreRefused() throws {
    let store = FileKeyStore(directory: file("keys"))
    for name in ["", ".", "..", "../x", "a/b", ".hidden", "ä", "a b", "a\0b", String(repeating: "x", count: 101)] {
      #expect(code { _ = try store.key(named: name, orCreate: true) } == .invalidValue, "\(name)")
    }
    #expect(contents == [])
  }

  @Test func aKeyFileThatOthersCanReadIsRefused() throws {
    let path = file("key")
    try KeyFile.write(EncryptionKey([UInt8](repeating: 9, count: 32)), to: path)
    for mode: mode_t in [0o640, 0o604, 0o620, 0o602, 0o644, 0o666] {
      chmod(path, mode)
      do {
        _ = try KeyFile.key(at: path)
        Issue.record("\(mode) was taken")
      } catch {
        #expect(error.code == .invalidValue)
        #expect(error.message.contains("chmod 600"))
      }
    }
    for mode: mode_t in [0o600, 0o400] {
      chmod(path, mode)
      #expect(try bytes(KeyFile.key(at: path)) == [UInt8](repeating: 9, count: 32))
    }
  }

  @Test func keyFilesOfOtherKinds() throws {
    let path = file("key")
    #expect(code { _ = try KeyFile.key(at: path) } == .notFound)
    #expect(code { _ = try KeyFile.key(at: directory.path) } == .invalidValue)
    for (count, expected): (Int, StorageError.Code?) in [
      (0, .invalidValue), (15, .invalidValue), (16, nil), (1 << 20, nil), (1 << 20 + 1, .invalidValue),
    ] {
      try Data(repeating: 5, count: count).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      #expect(code { _ = try KeyFile.key(at: path) } == expected, "\(count) bytes")
    }
    #expect(code { try KeyFile.write(EncryptionKey.random(), to: path) } == .duplicateKey)
    #expect(code { try KeyFile.write(EncryptionKey.random(), to: file("none/key")) } == .notFound)
    #expect(code { try KeyFile.write(.passphrase("x"), to: file("other")) } == .invalidValue)
    #expect(contents == ["key"])
  }

  @Test func processesThatMakeAKeyAtOnceGetTheSame() throws {
    let store = FileKeyStore(directory: file("keys"))
    nonisolated(unsafe) var keys = [[UInt8]](repeating: [], count: 8)
    keys.withUnsafeMutableBufferPointer { keys in
      nonisolated(unsafe) let keys = keys
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        keys[thread] = (try? bytes(store.key(named: "shared", orCreate: true))) ?? []
      }
    }
    #expect(Set(keys).count == 1)
    #expect(keys[0].count == 32)
  }

  @Test func environmentAndCredentials() throws {
    setenv("QUARRY_TEST_KEY", "000102030405060708090a0b0c0d0e0F", 1)
    #expect(try bytes(EnvironmentKeyStore().key(named: "QUARRY_TEST_KEY")) == Array(0...15))
    for text in ["00", "0g0102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f0", ""] {
      setenv("QUARRY_TEST_KEY", text, 1)
      #expect(code { _ = try EnvironmentKeyStore().key(named: "QUARRY_TEST_KEY") } == .invalidValue, "\(text)")
    }
    unsetenv("QUARRY_TEST_KEY")
    #expect(code { _ = try EnvironmentKeyStore().key(named: "QUARRY_TEST_KEY") } == .notFound)

    unsetenv("CREDENTIALS_DIRECTORY")
    #expect(code { _ = try CredentialKeyStore().key(named: "library") } == .notFound)
    setenv("CREDENTIALS_DIRECTORY", directory.path, 1)
    defer { unsetenv("CREDENTIALS_DIRECTORY") }
    #expect(code { _ = try CredentialKeyStore().key(named: "library") } == .notFound)
    try Data(repeating: 3, count: 32).write(to: URL(fileURLWithPath: file("library")))
    chmod(file("library"), 0o440)
    #expect(try bytes(CredentialKeyStore().key(named: "library")) == [UInt8](repeating: 3, count: 32))
    chmod(file("library"), 0o444)
    #expect(code { _ = try CredentialKeyStore().key(named: "library") } == .invalidValue)
  }
}
