/// FNV-1a of texts: short, and the same everywhere. It is no protection against forgery.
public enum Fingerprint {
  public static func of(_ texts: some Sequence<String>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for text in texts {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      // Which no text holds: two texts are not taken for one.
      hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    return hash
  }
}
