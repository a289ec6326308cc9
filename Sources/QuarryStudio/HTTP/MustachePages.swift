#if HTTP
  import Mustache
  import QuarryBackend
  import QuarryCharts

  /// The templates of ``Templates``, parsed once.
  struct MustachePages: PageRenderer {
    private static let contentType = "QUARRY_HTML"
    private let library: MustacheLibrary

    /// - Throws: `invalidValue` for a template that does not parse, which a test of all of them finds.
    init() throws {
      MustacheContentTypes.register(EscapedText(), named: Self.contentType)
      var library = MustacheLibrary()
      for (name, text) in Templates.all {
        do {
          try library.register("{{% CONTENT_TYPE:\(Self.contentType)}}\(text)", named: name)
        } catch {
          throw StorageError(.invalidValue, "the template \(name) does not parse", cause: error)
        }
      }
      self.library = library
    }

    func html(_ template: String, _ values: [String: Any]) -> String {
      library.render(values, withTemplate: template) ?? ""
    }
  }
  /// Escapes scalar by scalar. The library's own form does it by characters, and does not see a quotation mark that a combining
  /// mark follows.
  private struct EscapedText: MustacheContentType {
    func escapeText(_ text: String) -> String { SVG.escaped(text, keepsLines: true) }
  }
#endif
