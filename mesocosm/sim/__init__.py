"""Rules in plain Python, run as Python, compiled for the CPU and for CUDA, with equal bits."""
