"""The parts of benchmarks/bench.py: the same work by clausal and by other packages (peers), alternately."""
