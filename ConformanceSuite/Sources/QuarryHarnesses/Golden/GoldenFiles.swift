import Foundation
import QuarryBackend
import QuarryConformance

/// The bytes of a store's file that an earlier version wrote: what `Tests/Golden/0.3` has, for who runs the kit elsewhere.
struct GoldenFiles: Sendable {
  /// How long the file is.
  let bytes: Int
  /// What in it is not zero. A line begins with a place in the file, in hexadecimal; it and those after it that begin with
  /// spaces have the bytes from there on as Base64.
  let runs: String

  /// Writes the file, for its owner alone.
  func write(to path: String) throws {
    var content = Data(count: bytes)
    var place = 0
    var text = ""
    func put() throws {
      guard let part = Data(base64Encoded: text), place + part.count <= bytes else {
        throw StorageError(.corrupt, "the golden file for \(path) is none")
      }
      content.replaceSubrange(place..<place + part.count, with: part)
    }
    for line in runs.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2 {
        try put()
        place = Int(words[0], radix: 16) ?? bytes
        text = ""
      }
      text += words.last ?? ""
    }
    try put()
    guard FileManager.default.createFile(atPath: path, contents: content, attributes: [.posixPermissions: 0o600]) else {
      throw StorageError(.io, "\(path) cannot be written")
    }
  }

  /// The stores of an engine, the plain one and the encrypted one.
  ///
  /// - Parameter path: Where the file of a store at a place belongs; its folder is there.
  static func stores(
    _ plain: GoldenFiles, _ sealed: GoldenFiles, _ path: @escaping @Sendable (any BackendProvider) throws -> String?
  ) -> [GoldenStore] {
    [(plain, nil), (sealed, Array(0..<32))].map { files, key in
      GoldenStore(version: "0.3", key: key, dump: dump) { place in
        guard let path = try path(place) else { throw StorageError(.unsupported, "\(place) has no file") }
        try files.write(to: path)
      }
    }
  }

  /// What all of them have.
  private static let dump = String(
    decoding: Data(
      base64Encoded: """
        eyJxdWFycnkiOiJkdW1wIiwiZm9ybWF0IjoxLCJ2ZXJzaW9uIjoxfQp7Im1vZGVsIjoiRXZlcnkiLCJrZXkiOiJpZCIsInByb3BlcnRp
        ZXMiOlt7Im5hbWUiOiJpZCIsInR5cGUiOiJpbnQ2NCJ9LHsibmFtZSI6ImJvb2wiLCJ0eXBlIjoiYm9vbCJ9LHsibmFtZSI6ImJvb2xN
        YXliZSIsInR5cGUiOiJib29sIiwib3B0aW9uYWwiOnRydWV9LHsibmFtZSI6ImludDgiLCJ0eXBlIjoiaW50OCJ9LHsibmFtZSI6Imlu
        dDhNYXliZSIsInR5cGUiOiJpbnQ4Iiwib3B0aW9uYWwiOnRydWV9LHsibmFtZSI6ImludDE2IiwidHlwZSI6ImludDE2In0seyJuYW1l
        IjoiaW50MTZNYXliZSIsInR5cGUiOiJpbnQxNiIsIm9wdGlvbmFsIjp0cnVlfSx7Im5hbWUiOiJpbnQzMiIsInR5cGUiOiJpbnQzMiJ9
        LHsibmFtZSI6ImludDMyTWF5YmUiLCJ0eXBlIjoiaW50MzIiLCJvcHRpb25hbCI6dHJ1ZX0seyJuYW1lIjoiaW50NjQiLCJ0eXBlIjoi
        aW50NjQifSx7Im5hbWUiOiJpbnQ2NE1heWJlIiwidHlwZSI6ImludDY0Iiwib3B0aW9uYWwiOnRydWV9LHsibmFtZSI6InVpbnQ4Iiwi
        dHlwZSI6InVpbnQ4In0seyJuYW1lIjoidWludDhNYXliZSIsInR5cGUiOiJ1aW50OCIsIm9wdGlvbmFsIjp0cnVlfSx7Im5hbWUiOiJ1
        aW50MTYiLCJ0eXBlIjoidWludDE2In0seyJuYW1lIjoidWludDE2TWF5YmUiLCJ0eXBlIjoidWludDE2Iiwib3B0aW9uYWwiOnRydWV9
        LHsibmFtZSI6InVpbnQzMiIsInR5cGUiOiJ1aW50MzIifSx7Im5hbWUiOiJ1aW50MzJNYXliZSIsInR5cGUiOiJ1aW50MzIiLCJvcHRp
        b25hbCI6dHJ1ZX0seyJuYW1lIjoidWludDY0IiwidHlwZSI6InVpbnQ2NCJ9LHsibmFtZSI6InVpbnQ2NE1heWJlIiwidHlwZSI6InVp
        bnQ2NCIsIm9wdGlvbmFsIjp0cnVlfSx7Im5hbWUiOiJmbG9hdCIsInR5cGUiOiJmbG9hdCJ9LHsibmFtZSI6ImZsb2F0TWF5YmUiLCJ0
        eXBlIjoiZmxvYXQiLCJvcHRpb25hbCI6dHJ1ZX0seyJuYW1lIjoiZG91YmxlIiwidHlwZSI6ImRvdWJsZSJ9LHsibmFtZSI6ImRvdWJs
        ZU1heWJlIiwidHlwZSI6ImRvdWJsZSIsIm9wdGlvbmFsIjp0cnVlfSx7Im5hbWUiOiJzdHJpbmciLCJ0eXBlIjoic3RyaW5nIn0seyJu
        YW1lIjoic3RyaW5nTWF5YmUiLCJ0eXBlIjoic3RyaW5nIiwib3B0aW9uYWwiOnRydWV9LHsibmFtZSI6ImRhdGUiLCJ0eXBlIjoiZGF0
        ZSJ9LHsibmFtZSI6ImRhdGVNYXliZSIsInR5cGUiOiJkYXRlIiwib3B0aW9uYWwiOnRydWV9LHsibmFtZSI6ImRhdGEiLCJ0eXBlIjoi
        ZGF0YSJ9LHsibmFtZSI6ImRhdGFNYXliZSIsInR5cGUiOiJkYXRhIiwib3B0aW9uYWwiOnRydWV9LHsibmFtZSI6InV1aWQiLCJ0eXBl
        IjoidXVpZCJ9LHsibmFtZSI6InV1aWRNYXliZSIsInR5cGUiOiJ1dWlkIiwib3B0aW9uYWwiOnRydWV9LHsibmFtZSI6ImRlY2ltYWwi
        LCJ0eXBlIjoiZGVjaW1hbCJ9LHsibmFtZSI6ImRlY2ltYWxNYXliZSIsInR5cGUiOiJkZWNpbWFsIiwib3B0aW9uYWwiOnRydWV9LHsi
        bmFtZSI6InVybCIsInR5cGUiOiJ1cmwifSx7Im5hbWUiOiJ1cmxNYXliZSIsInR5cGUiOiJ1cmwiLCJvcHRpb25hbCI6dHJ1ZX0seyJu
        YW1lIjoibmVzdGVkIiwidHlwZSI6Im5lc3RlZCJ9LHsibmFtZSI6Im5lc3RlZE1heWJlIiwidHlwZSI6Im5lc3RlZCIsIm9wdGlvbmFs
        Ijp0cnVlfSx7Im5hbWUiOiJhcnJheSIsInR5cGUiOiJhcnJheSIsImVsZW1lbnQiOiJpbnQzMiJ9LHsibmFtZSI6ImFycmF5TWF5YmUi
        LCJ0eXBlIjoiYXJyYXkiLCJlbGVtZW50IjoiaW50MzIiLCJvcHRpb25hbCI6dHJ1ZX1dLCJpbmRleGVzIjpbeyJuYW1lIjoiZG91Ymxl
        TWF5YmUiLCJjb2x1bW5zIjpbeyJuYW1lIjoiZG91YmxlTWF5YmUifV19LHsibmFtZSI6InN0cmluZ19pZCIsImNvbHVtbnMiOlt7Im5h
        bWUiOiJzdHJpbmcifSx7Im5hbWUiOiJpZCIsImRlc2NlbmRpbmciOnRydWV9XSwidW5pcXVlIjp0cnVlfV19ClswLHRydWUsbnVsbCwt
        MTI4LG51bGwsLTMyNzY4LG51bGwsMjE0NzQ4MzY0NyxudWxsLC05MjIzMzcyMDM2ODU0Nzc1ODA4LG51bGwsMjU1LG51bGwsNjU1MzUs
        bnVsbCw0Mjk0OTY3Mjk1LG51bGwsMTg0NDY3NDQwNzM3MDk1NTE2MTUsbnVsbCwtMC4wLG51bGwsIk5hTjo3ZmY4MDAwMDAwMDAwMTIz
        IixudWxsLCJzMCIsbnVsbCwiMjAwMS0wMS0wMVQwMDowMDowMC4xMjVaIixudWxsLCJBUDhCIixudWxsLCIwMDAxMDIwMy0wNDA1LTA2
        MDctMDgwOS0wQTBCMEMwRDBFRkYiLG51bGwsIi0xMjM0LjU2NyIsbnVsbCwiZmlsZTovLy9hIixudWxsLHsiYSI6MSwiYiI6W251bGws
        IngiXX0sbnVsbCxbMywtMV0sbnVsbF0KWzEsdHJ1ZSx0cnVlLC0xMjgsLTEyOCwtMzI3NjgsLTMyNzY4LDIxNDc0ODM2NDcsMjE0NzQ4
        MzY0NywtOTIyMzM3MjAzNjg1NDc3NTgwOCwtOTIyMzM3MjAzNjg1NDc3NTgwOCwyNTUsMjU1LDY1NTM1LDY1NTM1LDQyOTQ5NjcyOTUs
        NDI5NDk2NzI5NSwxODQ0Njc0NDA3MzcwOTU1MTYxNSwxODQ0Njc0NDA3MzcwOTU1MTYxNSwtMC4wLC0wLjAsIk5hTjo3ZmY4MDAwMDAw
        MDAwMTIzIiwiTmFOOjdmZjgwMDAwMDAwMDAxMjMiLCJzMSIsImXMgVx1MDAwMPCfmYIiLCIyMDAxLTAxLTAxVDAwOjAwOjAwLjEyNVoi
        LCIyMDAxLTAxLTAxVDAwOjAwOjAwLjEyNVoiLCJBUDhCIiwiQVA4QiIsIjAwMDEwMjAzLTA0MDUtMDYwNy0wODA5LTBBMEIwQzBEMEVG
        RiIsIjAwMDEwMjAzLTA0MDUtMDYwNy0wODA5LTBBMEIwQzBEMEVGRiIsIi0xMjM0LjU2NyIsIi0xMjM0LjU2NyIsImZpbGU6Ly8vYSIs
        ImZpbGU6Ly8vYSIseyJhIjoxLCJiIjpbbnVsbCwieCJdfSx7ImEiOjEsImIiOltudWxsLCJ4Il19LFszLC0xXSxbMywtMV1dClsyLHRy
        dWUsbnVsbCwtMTI4LG51bGwsLTMyNzY4LG51bGwsMjE0NzQ4MzY0NyxudWxsLC05MjIzMzcyMDM2ODU0Nzc1ODA4LG51bGwsMjU1LG51
        bGwsNjU1MzUsbnVsbCw0Mjk0OTY3Mjk1LG51bGwsMTg0NDY3NDQwNzM3MDk1NTE2MTUsbnVsbCwtMC4wLG51bGwsIk5hTjo3ZmY4MDAw
        MDAwMDAwMTIzIixudWxsLCJzMiIsbnVsbCwiMjAwMS0wMS0wMVQwMDowMDowMC4xMjVaIixudWxsLCJBUDhCIixudWxsLCIwMDAxMDIw
        My0wNDA1LTA2MDctMDgwOS0wQTBCMEMwRDBFRkYiLG51bGwsIi0xMjM0LjU2NyIsbnVsbCwiZmlsZTovLy9hIixudWxsLHsiYSI6MSwi
        YiI6W251bGwsIngiXX0sbnVsbCxbMywtMV0sbnVsbF0KWzMsdHJ1ZSx0cnVlLC0xMjgsLTEyOCwtMzI3NjgsLTMyNzY4LDIxNDc0ODM2
        NDcsMjE0NzQ4MzY0NywtOTIyMzM3MjAzNjg1NDc3NTgwOCwtOTIyMzM3MjAzNjg1NDc3NTgwOCwyNTUsMjU1LDY1NTM1LDY1NTM1LDQy
        OTQ5NjcyOTUsNDI5NDk2NzI5NSwxODQ0Njc0NDA3MzcwOTU1MTYxNSwxODQ0Njc0NDA3MzcwOTU1MTYxNSwtMC4wLC0wLjAsIk5hTjo3
        ZmY4MDAwMDAwMDAwMTIzIiwiTmFOOjdmZjgwMDAwMDAwMDAxMjMiLCJzMyIsImXMgVx1MDAwMPCfmYIiLCIyMDAxLTAxLTAxVDAwOjAw
        OjAwLjEyNVoiLCIyMDAxLTAxLTAxVDAwOjAwOjAwLjEyNVoiLCJBUDhCIiwiQVA4QiIsIjAwMDEwMjAzLTA0MDUtMDYwNy0wODA5LTBB
        MEIwQzBEMEVGRiIsIjAwMDEwMjAzLTA0MDUtMDYwNy0wODA5LTBBMEIwQzBEMEVGRiIsIi0xMjM0LjU2NyIsIi0xMjM0LjU2NyIsImZp
        bGU6Ly8vYSIsImZpbGU6Ly8vYSIseyJhIjoxLCJiIjpbbnVsbCwieCJdfSx7ImEiOjEsImIiOltudWxsLCJ4Il19LFszLC0xXSxbMywt
        MV1dCls1LHRydWUsdHJ1ZSwtMTI4LC0xMjgsLTMyNzY4LC0zMjc2OCwyMTQ3NDgzNjQ3LDIxNDc0ODM2NDcsLTkyMjMzNzIwMzY4NTQ3
        NzU4MDgsLTkyMjMzNzIwMzY4NTQ3NzU4MDgsMjU1LDI1NSw2NTUzNSw2NTUzNSw0Mjk0OTY3Mjk1LDQyOTQ5NjcyOTUsMTg0NDY3NDQw
        NzM3MDk1NTE2MTUsMTg0NDY3NDQwNzM3MDk1NTE2MTUsLTAuMCwtMC4wLCJOYU46N2ZmODAwMDAwMDAwMDEyMyIsIk5hTjo3ZmY4MDAw
        MDAwMDAwMTIzIiwiczUiLCJlzIFcdTAwMDDwn5mCIiwiMjAwMS0wMS0wMVQwMDowMDowMC4xMjVaIiwiMjAwMS0wMS0wMVQwMDowMDow
        MC4xMjVaIiwiQVA4QiIsIkFQOEIiLCIwMDAxMDIwMy0wNDA1LTA2MDctMDgwOS0wQTBCMEMwRDBFRkYiLCIwMDAxMDIwMy0wNDA1LTA2
        MDctMDgwOS0wQTBCMEMwRDBFRkYiLCItMTIzNC41NjciLCItMTIzNC41NjciLCJmaWxlOi8vL2EiLCJmaWxlOi8vL2EiLHsiYSI6MSwi
        YiI6W251bGwsIngiXX0seyJhIjoxLCJiIjpbbnVsbCwieCJdfSxbMywtMV0sWzMsLTFdXQp7InJvd3MiOjUsInNoYTI1NiI6Ijg3NGZi
        YTBiNzIyOTUwZDNkODdjMmIwNDU1Y2RhYmVkNzU1ZjljOGQwY2M0ODg5NTdkY2U4YTRhNTJhYTM2YTEifQp7ImVuZCI6dHJ1ZSwibW9k
        ZWxzIjoxLCJyb3dzIjo1LCJzaGEyNTYiOiIwY2M3YjMzNTRlOTVkMzkxMTI4ODE4MWZlYThjNTBjZDhlMWQ0NjkwNWJlOTAyODE4NmY2
        NGZiMGM5MDJmYTVjIn0K
        """, options: .ignoreUnknownCharacters) ?? Data(), as: UTF8.self)
}
