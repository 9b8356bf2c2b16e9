#!/usr/bin/python3
"""Weft beside PyTorch on the shapes of weft_bench, one thread each, measured in turns in one run.

    bench/compare_torch.py [BUILD]      default: build/release, configured with -DWEFT_BENCH=ON

Prints the median of each side over the rounds, and PyTorch's time divided by Weft's: above 1, Weft
is faster. PyTorch is Debian's python3-torch; its convolution is that of oneDNN.
"""
import json
import os
import statistics
import subprocess
import sys
import time

ROUNDS = 9
SECONDS = 0.2  # a measurement

try:
    import torch
except ImportError:
    sys.exit("compare_torch: there is no PyTorch to compare with (apt-get install python3-torch)")


def weft_times(program):
    """Microseconds a run of every benchmark of one thread that this machine can run."""
    command = [program, "--benchmark_filter=^(Unfold|Convolution)/", "--benchmark_format=json",
               f"--benchmark_min_time={SECONDS}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = json.loads(output)["benchmarks"]
    scale = {"ns": 1e-3, "us": 1, "ms": 1e3}
    return {row["name"]: row["real_time"] * scale[row["time_unit"]] for row in rows
            if not row.get("error_occurred") and "threads:" not in row["name"]}


def torch_time(function):
    function()
    calls = 0
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        function()
        calls += 1
    return (time.perf_counter() - start) / calls * 1e6


def main():
    program = (sys.argv[1] if len(sys.argv) > 1 else "build/release") + "/bench/weft_bench"
    if not os.path.exists(program):
        sys.exit(f"compare_torch: no {program}: cmake --preset release -DWEFT_BENCH=ON, and build")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    image = torch.full((1, 64, 56, 56), 0.5)
    weights = torch.full((64, 64, 3, 3), 0.5)
    peers = {"Unfold": lambda: torch.nn.functional.unfold(image, 3, padding=1),
             "Convolution": lambda: torch.nn.functional.conv2d(image, weights, padding=1)}
    ours, theirs = {}, {}
    for _ in range(ROUNDS):
        for name, value in weft_times(program).items():
            ours.setdefault(name, []).append(value)
        for name, function in peers.items():
            theirs.setdefault(name, []).append(torch_time(function))
    print(f"medians of {ROUNDS} rounds, microseconds, one thread; PyTorch {torch.__version__}")
    print(f"{'':32} {'Weft':>9} {'PyTorch':>9} {'ratio':>7}")
    for name, values in ours.items():
        weft, peer = statistics.median(values), statistics.median(theirs[name.split('/')[0]])
        print(f"{name:32} {weft:9.1f} {peer:9.1f} {peer / weft:7.2f}")


if __name__ == "__main__":
    main()
