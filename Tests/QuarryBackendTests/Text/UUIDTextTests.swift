import Foundation
import QuarryBackend
import Testing

@Suite struct UUIDTextTests {
  private static let id = UUID(uuid: (0x0F, 0x1E, 0x2D, 0x3C, 0x4B, 0x5A, 0x69, 0x78, 0x87, 1, 2, 3, 4, 5, 6, 0xFF))
  private static let text = "0F1E2D3C-4B5A-6978-8701-0203040506FF"

  @Test func textIsThatOfFoundation() {
    let written = withUnsafeBytes(of: Self.id.uuid) { UUIDText.text($0) }
    #expect(String(decoding: written, as: UTF8.self) == Self.text)
    #expect(Self.id.uuidString == Self.text)
  }

  @Test(arguments: [true, false])
  func lowercaseIsReadWhereItMayBe(_ allowsLowercase: Bool) {
    func read(_ text: String) -> UUID? {
      UUIDText.bytes(text.utf8, allowsLowercase: allowsLowercase).map { UUID(uuid: $0) }
    }
    #expect(read(Self.text) == Self.id)
    #expect(read(Self.text.lowercased()) == (allowsLowercase ? Self.id : nil))
  }

  @Test(arguments: ["", "0F1E2D3C4B5A697887010203040506FF", "0F1E2D3C-4B5A-6978-8701-0203040506F", "{"])
  func otherTextsAreNone(_ text: String) {
    #expect(UUIDText.bytes(text.utf8, allowsLowercase: true) == nil)
  }
}
