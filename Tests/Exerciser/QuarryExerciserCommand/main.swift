import QuarryExerciser

runExerciser()
