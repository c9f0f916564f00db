"""The machine and its libraries: cores and memory, the solver, progress, HTML."""
