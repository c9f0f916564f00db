"""A worker with handlers of the tests: some that stop when they are asked to, some that do not, some that fail."""

import os
import time

from discreet.web import worker


def tells(context, *, seconds):
    """Tell how far it is, again and again."""
    context.stage("telling")
    for step in range(int(seconds * 100)):
        context.advance(step / (seconds * 100), step)
        time.sleep(0.01)
    return {"process": os.getpid()}


def sleeps(context, *, seconds):
    """Tell nothing for a while."""
    context.stage("sleeping")
    time.sleep(seconds)
    return {"process": os.getpid()}


def fails(_context, *, how):
    """Fail in a way that nobody foresees."""
    match how:
        case "error":
            raise KeyError("a label")
        case "memory":
            raise MemoryError
        case "hunger":
            return {"bytes": len(bytearray(1 << 40))}
        case "exit":
            os._exit(9)
        case "print":
            os.write(1, b"what a library prints\n")
            print("what a library prints")  # noqa: T201 - on purpose
            return {"process": os.getpid()}
        case "number":
            return {"nan": float("nan")}
    return {}


def preview(context):
    """Read for long, and do not listen."""
    return sleeps(context, seconds=600)


if __name__ == "__main__":
    worker.warm_up = lambda: None  # nothing here needs a kernel
    worker.main({"tells": tells, "sleeps": sleeps, "fails": fails, "preview": preview})
