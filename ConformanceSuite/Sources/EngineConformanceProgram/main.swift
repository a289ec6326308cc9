import EngineConformance

runEngineConformance()
