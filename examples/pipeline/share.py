"""Share: the layers that a node holds. A thread of its own reads those that it is told to, and gives up the others."""

import threading
import time

import weights


class Moved(Exception):
    """These layers are not held here, or not any more."""


class Share:
    def __init__(self, folder, say):
        self.folder, self.say = folder, say
        self.shape, self.digest = weights.read_shape(folder), weights.digest(folder)
        self.range = (0, 0)  # held, and said to be held
        self.error = None  # why the layers could not be read
        self.changed = threading.Event()  # somebody may want to say so
        self._layers = {}
        self._ends = {}  # the embedding beside the first layer, the head beside the last
        self._wanted = (0, 0)
        self._wake = threading.Condition()
        threading.Thread(target=self._follow, daemon=True).start()

    def hold(self, first, end):
        """These and no others; what is there of them already is kept, and goes on being served."""
        with self._wake:
            if (first, end) == self._wanted:
                return
            self._wanted = (first, end)
            kept = (max(first, self.range[0]), min(end, self.range[1]))
            self.range = kept if kept[0] < kept[1] else (0, 0)
            self._drop_all_but(self.range)
            self._wake.notify()

    def is_loading(self):
        with self._wake:
            return self.range != self._wanted

    def layers(self, first, end):
        with self._wake:
            if not (self.range[0] <= first < end <= self.range[1]):
                raise Moved(f"layers {first} to {end - 1} are not here, {self.range[0]} to {self.range[1] - 1} are")
            return [self._layers[number] for number in range(first, end)]

    def embedding(self):
        return self._end_of_model("embedding")

    def head(self):
        return self._end_of_model("head")

    def _end_of_model(self, name):
        with self._wake:
            if name not in self._ends:
                raise Moved(f"the {name} is not here")
            return self._ends[name]

    def _drop_all_but(self, kept):
        self._layers = {number: layer for number, layer in self._layers.items() if kept[0] <= number < kept[1]}
        if kept[0] > 0 or kept[1] == 0:
            self._ends.pop("embedding", None)
        if kept[1] < self.shape.layers:
            self._ends.pop("head", None)

    def _follow(self):
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self.range != self._wanted)
                wanted = self._wanted
            try:
                self._load(wanted)
            except (OSError, ValueError) as error:
                self.error = str(error)
                self.changed.set()
                return

    def _load(self, wanted):
        begun, count = time.monotonic(), 0
        ends = {}
        if wanted[0] == 0 and wanted[1] > 0:
            ends["embedding"] = weights.read_embedding(self.folder, self.shape)
        if wanted[1] == self.shape.layers:
            ends["head"] = weights.read_head(self.folder, self.shape)
        for number in range(*wanted):
            if number in self._layers:
                continue
            layer = weights.read_layer(self.folder, self.shape, number)
            count += 1
            with self._wake:
                if self._wanted != wanted:  # told otherwise meanwhile
                    self._drop_all_but(self.range)
                    return
                self._layers[number] = layer
        with self._wake:
            if self._wanted != wanted:
                return
            self._ends.update(ends)
            self.range = wanted
        self.say(f"holds layers [{wanted[0]}, {wanted[1]}), {count} of them read in {time.monotonic() - begun:.3f} s")
        self.changed.set()
