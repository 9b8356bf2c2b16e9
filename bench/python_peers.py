"""PyTorch and OpenCV as rivals of `weft bench`, which starts this and talks to it over pipes.

    python3 python_peers.py EXCHANGE      EXCHANGE: a file that holds the tensors

Answers each line that it reads with one line:

    (started)               ready NAME=VERSION ...      VERSION is - where it is not installed
    load NAME TASK          ways WAY ...                TASK: what to compute, as JSON
    compute NAME WAY        done                        the output is then in EXCHANGE
    time NAME WAY CALLS     times T ...                 microseconds of each call

or with "error TEXT". A way that the library does not have for a task is left out.
"""
import ctypes
import itertools
import json
import sys
import time

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None
try:
    import cv2
except ImportError:
    cv2 = None

# Inputs and outputs are there so often that a call does not find its own in a near cache.
ROTATION_BYTES = 24 << 20


def keep_memory():
    """Freed memory is used again instead of being given back: no page faults in the timing."""
    m_trim_threshold, m_mmap_max = -1, -4
    libc = ctypes.CDLL(None)
    libc.mallopt(m_mmap_max, 0)
    libc.mallopt(m_trim_threshold, 2**31 - 1)


class Task:
    """What has to be computed, with its tensors as NumPy arrays in the exchange file."""

    def __init__(self, exchange, text):
        for name, value in json.loads(text).items():
            setattr(self, name, value)
        self.exchange = exchange
        self.x = self.array("input", "r")
        self.filter = self.array("filter", "r")
        self.bias = self.array("bias", "r")
        self.y = self.array("output", "r+")
        self.sets = max(1, -(-ROTATION_BYTES // (self.x.nbytes + self.y.nbytes)))

    def array(self, name, mode):
        tensor = self.tensors.get(name)
        if tensor is None:
            return None
        return numpy.memmap(self.exchange, dtype=self.type, mode=mode, offset=tensor["offset"],
                            shape=tuple(tensor["sizes"]))

    def symmetric(self):
        return self.start_padding == self.end_padding

    def positions_are_usual(self):
        """Whether the interpolation takes its source positions as these libraries do."""
        for i, o, scale, in_offset, out_offset in zip(
                self.x.shape, self.y.shape, self.scales, self.input_offsets, self.output_offsets):
            if abs(scale - o / i) > 1e-6 * scale:
                return False
            if o == i:
                right = in_offset == -out_offset
            elif self.mode == "LINEAR":
                right = (in_offset, out_offset) == (0.5, -0.5)
            else:
                right = in_offset == out_offset == 0 and o % i == 0 and self.rounding == "DECREASING"
            if not right:
                return False
        return True

    def unscaled(self):
        """How many of the leading dimensions keep their size."""
        count = 0
        while count < self.x.ndim and self.x.shape[count] == self.y.shape[count]:
            count += 1
        return count


class Torch:
    """Ways are functions from one input tensor to a new output tensor."""

    def __init__(self, task):
        torch.set_num_threads(task.threads)
        self.task = task
        self.inputs = [torch.from_numpy(numpy.array(task.x)) for _ in range(task.sets)]
        x = self.inputs[0]
        self.outputs = [None] * task.sets
        makers = {"CONVOLUTION": self.convolution, "UNFOLD": self.unfold, "FOLD": self.fold,
                  "RESAMPLE2": self.resample}
        self.ways = {}
        for name, way in makers[task.op]().items():
            try:
                way(x)
                self.ways[name] = way
            except (RuntimeError, NotImplementedError, TypeError):
                pass  # it has no such operator for this type

    def convolution(self):
        task = self.task
        functional = torch.nn.functional
        if task.flipped or (any(task.output_padding) and not task.backward):
            return {}
        spatial = len(task.strides)
        weight = torch.from_numpy(numpy.array(task.filter))
        bias = None if task.bias is None else torch.from_numpy(numpy.array(task.bias).reshape(-1))
        finish = torch.relu_ if task.relu else (lambda y: y)
        if task.backward:
            if not task.symmetric():
                return {}
            rest = [o - ((i - 1) * s - 2 * p + d * (k - 1) + 1) for o, i, s, p, d, k in zip(
                task.y.shape[2:], task.x.shape[2:], task.strides, task.start_padding,
                task.dilations, task.filter.shape[2:])]
            function = [functional.conv_transpose1d, functional.conv_transpose2d,
                        functional.conv_transpose3d][spatial - 1]

            def run(x, w, b):
                return finish(function(x, w, b, task.strides, task.start_padding, rest,
                                       task.groups, task.dilations))
        else:
            function = [functional.conv1d, functional.conv2d, functional.conv3d][spatial - 1]
            pads = [p for pair in zip(reversed(task.start_padding), reversed(task.end_padding))
                    for p in pair]

            def run(x, w, b):
                padding = task.start_padding
                if not task.symmetric():
                    x, padding = functional.pad(x, pads), 0
                return finish(function(x, w, b, task.strides, padding, task.dilations, task.groups))
        if task.type == "float16":
            wide, wide_bias = weight.float(), None if bias is None else bias.float()
            return {"plain": lambda x: run(x, weight, bias),
                    "float32": lambda x: run(x.float(), wide, wide_bias).half()}
        ways = {"plain": lambda x: run(x, weight, bias)}
        if spatial == 2:
            last = torch.channels_last
            weight_last = weight.contiguous(memory_format=last)
            ways["nhwc"] = lambda x: run(x.contiguous(memory_format=last), weight_last,
                                         bias).contiguous()
            prepacked = getattr(torch.ops, "mkldnn_prepacked", None)
            if prepacked is not None and not task.backward and task.symmetric():
                try:
                    packed = prepacked.conv2d_prepack(
                        weight, bias, task.strides, task.start_padding, task.dilations, task.groups,
                        list(task.x.shape), "relu" if task.relu else "none")
                    ways["prepacked"] = lambda x: prepacked.conv2d_run(x, packed)
                except (RuntimeError, AttributeError):
                    pass
        return ways

    def unfold(self):
        task = self.task
        spatial = len(task.window)
        n, c = task.x.shape[:2]
        counts = [(i + s + e - (w - 1) * d - 1) // t + 1 for i, s, e, w, d, t in zip(
            task.x.shape[2:], task.start_padding, task.end_padding, task.window, task.dilations,
            task.strides)]
        pads = [p for pair in zip(reversed(task.start_padding), reversed(task.end_padding))
                for p in pair]

        def strided(x):
            x = torch.nn.functional.pad(x, pads)
            steps = list(x.stride())
            windows = x.as_strided(
                [n, c] + task.window + counts,
                steps[:2] + [t * d for t, d in zip(steps[2:], task.dilations)] +
                [t * s for t, s in zip(steps[2:], task.strides)])
            return windows.reshape(task.y.shape)

        ways = {"strided": strided}
        if task.symmetric() and spatial <= 2:
            line = [1] * (2 - spatial)
            shape = [n, c] + line + list(task.x.shape[2:])
            arguments = (line + task.window, line + task.dilations,
                         [0] * (2 - spatial) + task.start_padding, line + task.strides)
            ways["unfold"] = lambda x: torch.nn.functional.unfold(x.view(shape), *arguments)
        return ways

    def fold(self):
        task = self.task
        spatial = len(task.window)
        n, c = task.y.shape[:2]
        sizes = list(task.y.shape[2:])
        if task.symmetric() and spatial <= 2:
            line = [1] * (2 - spatial)
            arguments = (line + sizes, line + task.window, line + task.dilations,
                         [0] * (2 - spatial) + task.start_padding, line + task.strides)
            return {"fold": lambda x: torch.nn.functional.fold(x, *arguments).view(task.y.shape)}
        padded = [o + s + e for o, s, e in zip(sizes, task.start_padding, task.end_padding)]
        counts = [(p - (w - 1) * d - 1) // t + 1 for p, w, d, t in zip(
            padded, task.window, task.dilations, task.strides)]

        def slices(x):
            x = x.view([n, c] + task.window + counts)
            y = torch.zeros([n, c] + padded, dtype=x.dtype)
            for tap in itertools.product(*map(range, task.window)):
                places = tuple(slice(k * d, k * d + (b - 1) * t + 1, t) for k, d, b, t in zip(
                    tap, task.dilations, counts, task.strides))
                y[(slice(None), slice(None)) + places] += x[(slice(None), slice(None)) + tap]
            inner = tuple(slice(s, s + o) for s, o in zip(task.start_padding, sizes))
            return y[(slice(None), slice(None)) + inner].contiguous()

        return {"slices": slices}

    def resample(self):
        task = self.task
        unscaled = task.unscaled()
        spatial = task.x.ndim - unscaled
        if not task.positions_are_usual() or not 1 <= spatial <= 3:
            return {}
        batch, sizes = task.x.shape[:unscaled], list(task.y.shape[unscaled:])
        linear = task.mode == "LINEAR"
        mode = ["linear", "bilinear", "trilinear"][spatial - 1] if linear else "nearest"
        shape = [1, int(numpy.prod(batch))] + list(task.x.shape[unscaled:])

        def interpolate(x):
            y = torch.nn.functional.interpolate(x.view(shape), size=sizes, mode=mode,
                                                align_corners=False if linear else None)
            return y.view(task.y.shape)

        ways = {"plain": interpolate}
        if task.type != "float32":
            ways["float32"] = lambda x: interpolate(x.float()).to(x.dtype)
        if task.type == "int8" and not linear:
            ways["uint8"] = lambda x: interpolate(x.view(torch.uint8)).view(torch.int8)
        return ways

    def run(self, way, position):
        self.outputs[position] = way(self.inputs[position])

    def output(self):
        return self.outputs[0].numpy()


class OpenCv:
    """Resizes the planes of an image one after the other, or as many at once as there are threads."""

    def __init__(self, task):
        self.task = task
        self.ways = {}
        unscaled = task.unscaled()
        usable = (task.op == "RESAMPLE2" and task.x.ndim - unscaled == 2 and
                  task.type in ("float32", "uint8") and task.positions_are_usual())
        if not usable:
            return
        planes = (-1,) + task.x.shape[unscaled:]
        self.inputs = [numpy.array(task.x).reshape(planes) for _ in range(task.sets)]
        self.outputs = [numpy.empty(task.y.shape, task.type).reshape((-1,) + task.y.shape[unscaled:])
                        for _ in range(task.sets)]
        size = (task.y.shape[-1], task.y.shape[-2])
        kind = cv2.INTER_LINEAR if task.mode == "LINEAR" else cv2.INTER_NEAREST

        def one(pair):
            cv2.resize(pair[0], size, dst=pair[1], interpolation=kind)

        def in_turn(position):
            cv2.setNumThreads(task.threads)
            for pair in zip(self.inputs[position], self.outputs[position]):
                one(pair)

        self.ways["planes"] = in_turn
        if task.threads > 1:
            from concurrent.futures import ThreadPoolExecutor
            pool = ThreadPoolExecutor(task.threads)

            def share(pairs):
                for pair in pairs:
                    one(pair)

            def at_once(position):
                cv2.setNumThreads(1)
                pairs = list(zip(self.inputs[position], self.outputs[position]))
                list(pool.map(share, [pairs[t::task.threads] for t in range(task.threads)]))

            self.ways["at_once"] = at_once

    def run(self, way, position):
        way(position)

    def output(self):
        return self.outputs[0]


def timed(rival, way, start, calls):
    """Microseconds of each call, from set `start` on."""
    times = []
    for call in range(start, start + calls):
        before = time.perf_counter_ns()
        rival.run(way, call % rival.task.sets)
        times.append((time.perf_counter_ns() - before) / 1000)
    return times


class Server:
    def __init__(self, exchange):
        self.exchange = exchange
        self.libraries = {}
        if numpy and torch:
            torch.set_grad_enabled(False)
            self.libraries["torch"] = (Torch, torch.__version__)
        if numpy and cv2:
            self.libraries["opencv"] = (OpenCv, cv2.__version__)
        self.loaded = {}
        self.next = 0

    def versions(self):
        return " ".join(f"{name}={self.libraries[name][1] if name in self.libraries else '-'}"
                        for name in ("torch", "opencv"))

    def answer(self, line):
        command, name, rest = line.rstrip("\n").split(" ", 2)
        if command == "load":
            self.loaded.pop(name, None)
            self.loaded[name] = self.libraries[name][0](Task(self.exchange, rest))
            return " ".join(["ways", *self.loaded[name].ways])
        rival = self.loaded[name]
        way, *calls = rest.split()
        if command == "compute":
            rival.run(rival.ways[way], 0)
            rival.task.y[...] = rival.output().reshape(rival.task.y.shape)
            return "done"
        times = timed(rival, rival.ways[way], self.next, int(calls[0]))
        self.next += len(times)
        return " ".join(["times", *map(str, times)])


def main():
    keep_memory()
    server = Server(sys.argv[1])
    print("ready", server.versions(), flush=True)
    for line in sys.stdin:
        try:
            reply = server.answer(line)
        except Exception as error:  # whatever a library throws
            reply = "error " + " ".join(f"{type(error).__name__}: {error}".split())[:300]
        print(reply, flush=True)


if __name__ == "__main__":
    main()
