"""The parts of benchmarks/bench.py: the same work done by clausal and its peers, in turns."""
