import QuarryTool

runTool()
