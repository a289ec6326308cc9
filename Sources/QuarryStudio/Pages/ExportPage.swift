import QuarryBackend
import QuarryData
import QuarryInspect

extension StudioSite {
  /// The objects of a grid as a file, which is complete before its first byte is sent.
  func exportFile(_ parameters: GridParameters, _ query: FormText, _ deadline: Deadline) throws -> StudioResponse {
    guard let format = ExportFormat(rawValue: query["format"] ?? "csv") else {
      throw StorageError(.invalidQuery, "the formats of an export are csv, json and jsonl")
    }
    var request = parameters.request
    request.place = nil
    let file = try SpooledInput(named: "the export")
    _ = try inspector.export(request, as: format, to: file, until: deadline)
    let type =
      switch format {
      case .csv: "text/csv; charset=utf-8"
      case .json: "application/json; charset=utf-8"
      case .jsonl: "application/x-ndjson; charset=utf-8"
      }
    var response = StudioResponse(type, .file(file))
    // Only a plain name of a model becomes part of a header.
    let isPlain = request.model.utf8.count <= 60 && request.model.utf8.allSatisfy(Self.isPlain)
    let name = isPlain ? request.model : "objects"
    response.headers.append(("Content-Disposition", "attachment; filename=\"\(name).\(format.rawValue)\""))
    return response
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The stream of events of a page that is open.
  func eventStream(_ request: StudioRequest) throws -> StudioResponse {
    guard live.hasRoom else { throw StorageError(.busy, "too many pages are open: close some of them") }
    let scope = request.query["model"].map { LiveScope.model($0) } ?? .everything
    let events = LiveEvents(
      store: inspector.store, models: try scope.models(in: inspector.store),
      since: request.lastEvent ?? request.query["since"], running: live)
    return StudioResponse("text/event-stream; charset=utf-8", .events(events))
  }
}
