/// The files that pages use. They have nothing of a store, and need no session.
enum StudioFiles {
  static func file(_ page: String) -> StudioResponse? {
    switch page {
    case "studio.css": StudioResponse(200, "text/css; charset=utf-8", Stylesheet.text.utf8)
    case "studio.js": StudioResponse(200, "text/javascript; charset=utf-8", Script.text.utf8)
    case "favicon.ico", "favicon.svg": StudioResponse(200, "image/svg+xml", icon.utf8)
    default: nil
    }
  }

  private static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="3" y="4" width="26" height="7" rx="2" \
    fill="#0b57a4"/><rect x="3" y="13" width="26" height="7" rx="2" fill="#3b82c4"/><rect x="3" y="22" width="26" \
    height="7" rx="2" fill="#8ab8e0"/></svg>
    """
}
