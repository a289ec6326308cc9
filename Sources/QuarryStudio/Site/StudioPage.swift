import QuarryBackend

/// A page before it is HTML or JSON.
struct StudioPage {
  var status = 200
  /// The name of its template.
  var template: String
  var title: String
  /// The values of the template.
  var values: [String: Any]
  /// The same as data.
  var json: Value
  /// The navigation's entry that is marked.
  var section = ""
  /// The commits after which the page is read again; nil for a page that stays as it is.
  var live: LiveScope?
}

/// Makes HTML of templates.
protocol PageRenderer: Sendable {
  func html(_ template: String, _ values: [String: Any]) -> String
}

/// What a route answers with.
enum StudioAnswer {
  case page(StudioPage)
  case response(StudioResponse)
}
