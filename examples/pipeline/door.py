"""Door: where lines to a node come in. A thread for each; at most so many at once."""

import socketserver
import threading

from passage import Ended, Passage, failed
from wire import Gone, receive, send

IDLE_S = 600  # a line that says nothing for so long is closed: whoever held it is gone


class Door(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, listen, name, share, pace, most_lines):
        host, _, port = listen.rpartition(":")
        super().__init__((host, int(port)), _Visit)
        self.name, self.share, self.pace, self.most_lines = name, share, pace, most_lines
        self.is_leaving = False
        self._lines = 0
        self._changed = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return "{}:{}".format(*self.server_address)

    def begin(self, begin):
        with self._changed:
            if self.is_leaving:
                raise failed(self.name, "moved", "this node is leaving")
            if self._lines >= self.most_lines:
                raise failed(self.name, "full", f"{self._lines} requests pass through here, the limit")
            self._lines += 1
        try:
            return Passage(self.name, self.share, self.pace, begin)
        except BaseException:
            self.end()
            raise

    def end(self):
        with self._changed:
            self._lines -= 1
            self._changed.notify_all()

    def wait_until_empty(self, seconds):
        """Takes nobody in any more; whether all who were here have gone by then."""
        with self._changed:
            self.is_leaving = True
            return self._changed.wait_for(lambda: self._lines == 0, seconds)


class _Visit(socketserver.BaseRequestHandler):
    def setup(self):
        self.passage = None
        self.request.settimeout(IDLE_S)

    def handle(self):
        try:
            while (heard := receive(self.request, self.server.share.shape.hidden)) and self._answer(*heard):
                pass
        except (OSError, Gone):
            pass  # whoever was there has gone

    def finish(self):
        if self.passage:
            self.passage.close()
            self.server.end()

    def _answer(self, message, vectors):
        """Whether there may be more to come."""
        try:
            send(self.request, self._done(message, vectors))
            return True
        except Ended as ended:
            send(self.request, ended.answer)
            return False

    def _done(self, message, vectors):
        try:
            if "ping" in message:
                return {"ping": message["ping"]}
            if "begin" in message and self.passage is None:
                self.passage = self.server.begin(message["begin"])
                return {"ready": True}
            return self.passage.step(message.get("tokens", ()), vectors)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise Ended({"refused": f"no message of ours: {type(error).__name__}: {error}"}) from error
