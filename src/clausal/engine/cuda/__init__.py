"""The CUDA backend: machines that train, and clauses that vote, on an NVIDIA GPU, to the bits of the CPU."""
