"""A pseudo-terminal, and as much of a terminal as it takes to read what stands on its screen."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

# A control sequence, a string up to its end, another escape, or one character.
PIECE = re.compile(
    r"\x1b\[([?<>=]?)([0-9;:]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9A-B]|\x1b.|([^\x1b])",
    re.DOTALL,
)
# The beginning of an escape at the end of a text.
OPEN = re.compile(r"\x1b(?:\[[?<>=]?[0-9;:]*[ -/]*|\][^\x07\x1b]*|[()])?\Z")


class Terminal:
    """A program in a pseudo-terminal of 80 columns and 24 rows."""

    COLUMNS, ROWS = 80, 24

    def __init__(self, argv, env, cwd):
        self.cells = {}
        self.at = (0, 0)
        self.raw = b""
        self.rest = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.chdir(cwd)
            os.execve(argv[0], argv, env)
        size = struct.pack("HHHH", self.ROWS, self.COLUMNS, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def type(self, keys):
        """Types text."""
        os.write(self.fd, keys.encode())

    def screen(self):
        """What stands on the screen."""
        rows = [[" "] * self.COLUMNS for _ in range(self.ROWS)]
        for (row, column), char in self.cells.items():
            if row < self.ROWS and column < self.COLUMNS:
                rows[row][column] = char
        return "\n".join("".join(row).rstrip() for row in rows)

    def wait_for(self, words, seconds=60):
        """Reads until the screen holds the words."""
        end = time.monotonic() + seconds
        while words not in self.screen():
            if not self.read(end - time.monotonic()):
                raise AssertionError(f"{words!r} does not come up; the screen holds:\n{self.screen()}")

    def finish(self, seconds=60):
        """Reads until the program has ended, and answers its exit code."""
        end = time.monotonic() + seconds
        while self.read(end - time.monotonic()):
            pass
        _, status = os.waitpid(self.child, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)

    def read(self, seconds):
        """Reads what is there; false when nothing comes any more."""
        if not select.select([self.fd], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # The other end is closed.
            return False
        self.raw += data
        self.take(data)
        return bool(data)

    def take(self, data):
        text = self.rest + self.decoder.decode(data)
        # What a read cut in two waits for its other half.
        cut = OPEN.search(text)
        whole, self.rest = (text[: cut.start()], cut[0]) if cut else (text, "")
        for piece in PIECE.finditer(whole):
            if piece[4]:
                self.char(piece[4])
            elif piece[3] and not piece[1]:
                self.control(piece[3], [int(n or 0) for n in re.split("[;:]", piece[2])])

    def char(self, char):
        row, column = self.at
        if char == "\n":
            self.at = (row + 1, column)
        elif char == "\r":
            self.at = (row, 0)
        elif char >= " ":
            self.cells[self.at] = char
            self.at = (row, column + 1)

    def control(self, name, numbers):
        row, column = self.at
        if name in "Hf":
            numbers = (numbers + [1, 1])[:2]
            self.at = (max(numbers[0], 1) - 1, max(numbers[1], 1) - 1)
        elif name == "J":
            self.cells = {} if numbers[0] >= 2 else {p: c for p, c in self.cells.items() if p < self.at}
        elif name == "K":
            self.cells = {p: c for p, c in self.cells.items() if p[0] != row or p[1] < column}
        elif name == "C":
            self.at = (row, column + max(numbers[0], 1))
