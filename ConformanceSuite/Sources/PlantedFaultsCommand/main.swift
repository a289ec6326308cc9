import Foundation
import QuarryConformanceFaults

exit(PlantedFaultsCommand.run(Array(CommandLine.arguments.dropFirst())))
