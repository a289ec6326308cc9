import OneEngine
import QuarryMemory

OneEngineProgram.main { _ in MemoryConfiguration() }
