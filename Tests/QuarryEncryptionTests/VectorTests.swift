import QuarryBackend
import Testing

@testable import QuarryEncryption

/// What others published of these algorithms.
@Suite struct VectorTests {
  struct Sealed: Sendable, CustomTestStringConvertible {
    var name, key, nonce, plain, associated, sealed, tag: String
    var testDescription: String { name }
  }

  /// McGrew and Viega, The Galois/Counter Mode of Operation, appendix B, which NIST's validation refers to.
  static let sealed = [
    Sealed(
      name: "13", key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12), plain: "",
      associated: "", sealed: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    Sealed(
      name: "14", key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
      plain: String(repeating: "00", count: 16), associated: "", sealed: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    Sealed(
      name: "15", key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plain: """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255
        """,
      associated: "",
      sealed: """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad
        """,
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    Sealed(
      name: "16", key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plain: """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """,
      associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      sealed: """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
        """,
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test(arguments: sealed) func aes256GCM(_ vector: Sealed) throws {
    let cipher = try LibraryCipher(SecretBytes(hex(vector.key)))
    var plain = [UInt8](repeating: 0xEE, count: hex(vector.plain).count)
    func open(_ sealed: [UInt8], _ associated: [UInt8], _ trailer: [UInt8]) throws -> Bool {
      try sealed.withBytes { sealed in
        try associated.withBytes { associated in
          try trailer.withBytes { trailer in
            var isAuthentic = false
            try plain.withMutableBytes { plain throws(StorageError) in
              isAuthentic = try cipher.open(sealed, associated, trailer: trailer, into: plain)
            }
            return isAuthentic
          }
        }
      }
    }
    let (sealed, associated, trailer) = (hex(vector.sealed), hex(vector.associated), hex(vector.nonce + vector.tag))
    #expect(try open(sealed, associated, trailer))
    #expect(plain == hex(vector.plain))
    for place in trailer.indices {
      var other = trailer
      other[place] ^= 1
      #expect(try !open(sealed, associated, other), "byte \(place) of nonce and tag")
    }
    for place in sealed.indices {
      var other = sealed
      other[place] ^= 0x80
      #expect(try !open(other, associated, trailer), "byte \(place)")
    }
    #expect(try !open(sealed, associated + [0], trailer))
  }

  struct Derived: Sendable, CustomTestStringConvertible {
    var name: String
    var key, salt, info: [UInt8]
    var derived: String
    var testDescription: String { name }
  }

  /// RFC 5869, appendix A.
  static let derived = [
    Derived(
      name: "A.1", key: [UInt8](repeating: 0x0b, count: 22), salt: Array(0x00...0x0c), info: Array(0xf0...0xf9),
      derived: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
    Derived(
      name: "A.2", key: Array(0x00...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
      derived: """
        b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
        da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
        """),
    Derived(
      name: "A.3", key: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [],
      derived: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
  ]

  @Test(arguments: derived) func hkdf(_ vector: Derived) throws {
    let expected = hex(vector.derived)
    let derived = try KeyDerivation.hkdf(
      SecretBytes(vector.key), salt: vector.salt, info: vector.info, count: expected.count)
    #expect(try derived.withBytes { Array($0) } == expected)
  }

  struct Stretched: Sendable, CustomTestStringConvertible {
    var passphrase, salt: String
    var logN, r, p: UInt8
    var derived: String
    var testDescription: String { "N = 2^\(logN)" }
  }

  /// RFC 7914, 12.
  static let stretched = [
    Stretched(
      passphrase: "", salt: "", logN: 4, r: 1, p: 1,
      derived: """
        77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442
        fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
        """),
    Stretched(
      passphrase: "password", salt: "NaCl", logN: 10, r: 8, p: 16,
      derived: """
        fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
        2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
        """),
    Stretched(
      passphrase: "pleaseletmein", salt: "SodiumChloride", logN: 14, r: 8, p: 1,
      derived: """
        7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2
        d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
        """),
  ]

  @Test(arguments: stretched) func scrypt(_ vector: Stretched) throws {
    let derived = try KeyDerivation.scrypt(
      SecretBytes(vector.passphrase.utf8), salt: Array(vector.salt.utf8), logN: vector.logN, r: vector.r, p: vector.p,
      count: 64)
    #expect(try derived.withBytes { Array($0) } == hex(vector.derived))
  }

  @Test func scryptThatTakesTooMuchIsRefused() {
    for (logN, r, p): (UInt8, UInt8, UInt8) in [(24, 255, 1), (63, 8, 1), (0, 8, 1), (14, 0, 1), (14, 8, 255)] {
      #expect(throws: StorageError.self) {
        _ = try KeyDerivation.scrypt(SecretBytes([1]), salt: [2], logN: logN, r: r, p: p)
      }
    }
  }
}
