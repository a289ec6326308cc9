import Foundation
import QuarryPrivateServer

// Starts a private server, prints its connection string, and stops the server when standard input ends. Arguments are settings of
// the server, as NAME=VALUE. A line of input is an order: `crash` kills all processes of the server, `start` starts it again. Each is
// answered by its name when it is done.
func answer(_ line: String, to handle: FileHandle = .standardOutput) {
  handle.write(Data("\(line)\n".utf8))
}

signal(SIGPIPE, SIG_IGN)
// An interrupt of the terminal is for the script, which ends the input then.
signal(SIGINT, SIG_IGN)
do {
  let server = try PostgreSQLServer(settings: Array(CommandLine.arguments.dropFirst()))
  defer { server.stop() }
  answer(server.connection)
  while let order = readLine() {
    switch order {
    case "crash": server.crash()
    case "start": try server.start()
    default: answer("error: the orders are crash and start", to: .standardError)
    }
    answer(order)
  }
} catch {
  answer("error: \(error)", to: .standardError)
  exit(1)
}
